//! T0213: unknown-member. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0213", name: "unknown-member", page: include_str!("unknown_member.md") };

/// Raises it.
pub fn unknown_member(span: Span, base: &str, member: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{base}` has no member `{member}`"))
        .at(span, "unknown member")
        .help("`current.comm`, `current.pid` and `current.cpu` are the task that runs")
}

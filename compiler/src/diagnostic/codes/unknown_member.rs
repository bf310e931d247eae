//! T0213: unknown-member. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0213", "unknown-member", include_str!("unknown_member.md"));

/// What `current` has.
const CURRENT: [&str; 3] = ["comm", "pid", "cpu"];

/// Raises it.
pub fn unknown_member(span: Span, base: &str, member: &str) -> Diagnostic {
    let near = if base == "current" { nearest(member, CURRENT, 1) } else { Vec::new() };
    let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
    Diagnostic::error(&CODE, format!("`{base}` has no member `{member}`"))
        .at(span, "unknown member")
        .suggest(span, &near)
        .help("`current.comm`, `current.pid` and `current.cpu` are the task that runs")
}

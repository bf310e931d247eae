//! T0903: unused-allow. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

/// The code. It is allowed by itself: what a text does not need on one kernel it may need on another.
pub static CODE: Code = Code::lint("T0903", "unused-allow", Level::Allow, include_str!("unused_allow.md"));

/// Raises it. `part` is what to remove so that the name is gone: the name with its comma, or the whole clause.
pub fn unused_allow(span: Span, lint: &str, part: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("nothing here raises `{lint}`")).at(span, "allows nothing").fix(
        "remove it",
        part,
        "",
    )
}

//! T0903: unused-allow. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

// Allowed by default: what a text does not need on one kernel it may need on another.
pub(crate) static CODE: Code =
    Code::lint("T0903", "unused-allow", Level::Allow, include_str!("unused_allow.md"));

/// Reports an unused `allow`. `part` is the text to remove: the name with its comma, or the whole clause.
pub(crate) fn unused_allow(span: Span, lint: &str, part: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("unused `allow`: nothing here raises `{lint}`")).at(span, "unused").fix(
        "remove it",
        part,
        "",
    )
}

//! T0301: duplicate-clause. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0301", "duplicate-clause", include_str!("duplicate_clause.md"));

pub(crate) fn duplicate_clause(span: Span, first: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("duplicate {what}")).at(span, "again").and_at(first, "first here").guess(
        "remove it",
        span,
        "",
    )
}

/// A field that `drop` or `redact` names again.
pub(crate) fn of_field(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is hidden twice"))
        .at(span, "again")
        .and_at(first, "first here")
        .help("leave it out: a field is either dropped or redacted")
}

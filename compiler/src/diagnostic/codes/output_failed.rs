//! T0509: output-failed. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0509", "output-failed", include_str!("output_failed.md"));

/// Returns the error for a file that cannot be written; `span` is the clause that names it, if one does.
pub fn output_failed(span: Option<Span>, path: &str, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("cannot write {path}: {reason}"));
    match span {
        Some(span) => diagnostic.at(span, "this output"),
        None => diagnostic,
    }
}

//! T0742: not-printable. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0742", "not-printable", include_str!("not_printable.md"));

pub(crate) fn not_printable(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be printed"))
        .at(span, "not printable")
        .help("record the members that you need as separate fields")
}

//! T0741: unsafe-format. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0741", "unsafe-format", include_str!("unsafe_format.md"));

/// Reports an extension that follows a pointer out of the record.
pub(crate) fn outside(span: Span, letters: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{letters}` follows a pointer out of the record"))
        .at(span, "its target may no longer exist when the record is printed")
        .help(instead)
}

/// Reports an array of characters that is printed as a string.
pub(crate) fn without_nul(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`s` prints up to a NUL, and this array need not have one")
        .at(span, "as many characters as its count says")
        .help("record a string of this length: `string = (POINTER, COUNT)`")
}

/// Reports a value that is not in the record.
pub(crate) fn unsafe_format(span: Span, letters: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{letters}` follows a pointer out of the record"))
        .at(span, "this is not in the record itself")
        .help(instead)
}

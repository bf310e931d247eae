//! T0741: unsafe-format. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0741", "unsafe-format", include_str!("unsafe_format.md"));

/// Raises it for an extension that leads out of every record.
pub fn outside(span: Span, letters: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{letters}` follows a pointer out of the record"))
        .at(span, "what it leads to may be gone when the record is printed")
        .help(instead)
}

/// Raises it for a value that does not lie in the record.
pub fn unsafe_format(span: Span, letters: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{letters}` follows a pointer out of the record"))
        .at(span, "this is not in the record itself")
        .help(instead)
}

//! T0728: duplicate-part. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0728", "duplicate-part", include_str!("duplicate_part.md"));

/// Raises it.
pub fn duplicate_part(span: Span, part: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{part}` stands here a second time")).at(span, "again").help("put both into one")
}

//! T0728: part-again. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0728", "part-again", include_str!("part_again.md"));

/// Raises it.
pub fn part_again(span: Span, part: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{part}` stands here a second time")).at(span, "again").help("put both into one")
}

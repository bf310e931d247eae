//! T0305: bad-size. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0305", "bad-size", include_str!("bad_size.md"));

/// Raises it.
pub fn bad_size(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "not a buffer size")
        .at(span, reason)
        .help("write a size: `buffer 4MiB per cpu;`")
}

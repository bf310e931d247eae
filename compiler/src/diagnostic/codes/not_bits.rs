//! T0711: not-bits. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0711", "not-bits", include_str!("not_bits.md"));

pub(crate) fn not_bits(span: Span, value: i128) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("a member of flags cannot be {value}"))
        .at(span, "expected 1 or more");
    if value == 0 {
        diagnostic.note("the kernel would print the name of a member without bits for every value")
    } else {
        diagnostic.note("flags are unsigned")
    }
}

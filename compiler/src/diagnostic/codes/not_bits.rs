//! T0711: not-bits. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0711", "not-bits", include_str!("not_bits.md"));

pub(crate) fn not_bits(span: Span, value: i128) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(&CODE, format!("{value} is no set of bits")).at(span, "expected 1 or more");
    if value == 0 {
        diagnostic.note("every value has all bits of zero, so that the name would be printed each time")
    } else {
        diagnostic.note("flags are unsigned")
    }
}

//! T0217: backward-range. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0217", "backward-range", include_str!("backward_range.md"));

pub(crate) fn backward_range(span: Span, first: i128, last: i128) -> Diagnostic {
    Diagnostic::error(&CODE, "this range is empty")
        .at(span, "the first number is greater than the last")
        .guess(format!("write `{last}..={first}`"), span, format!("{last}..={first}"))
}

//! T0707: does-not-fit. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0707", "does-not-fit", include_str!("does_not_fit.md"));

pub(crate) fn does_not_fit(span: Span, value: i128, ty: &str, low: i128, high: i128) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{value} does not fit `{ty}`"))
        .at(span, format!("`{ty}` holds {low} to {high}"))
}

/// Reports a member of an enum whose value follows from the member before.
pub(crate) fn next_does_not_fit(span: Span, value: i128, ty: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the next value, {value}, does not fit `{ty}`"))
        .at(span, "follows the member before it")
        .help("give the member a value, or the enum a wider type")
}

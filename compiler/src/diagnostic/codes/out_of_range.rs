//! T0202: out-of-range. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0202", "out-of-range", include_str!("out_of_range.md"));

/// The behaviour of the kernel's filter for a number that a field cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterBehaviour {
    /// It reads 64 bits, with the sign of the field, and keeps as many as the field has.
    Cut,
    /// It refuses a minus for an unsigned field.
    NoMinus,
    /// A note would not help.
    Untold,
}

/// Reports a number outside of the range of a field.
pub(crate) fn out_of_range(
    span: Span,
    value: i128,
    field: &str,
    (low, high): (i128, i128),
    kernel: FilterBehaviour,
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("{value} does not fit `{field}`"))
        .at(span, format!("`{field}` holds {low} to {high}"));
    with_kernel(said, kernel)
}

/// Reports a mask that has more bits than the number.
pub(crate) fn of_width(
    span: Span,
    value: i128,
    field: &str,
    bits: u32,
    kernel: FilterBehaviour,
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("the mask {value} does not fit `{field}`"))
        .at(span, format!("`{field}` has {bits} bits"));
    with_kernel(said, kernel)
}

fn with_kernel(said: Diagnostic, kernel: FilterBehaviour) -> Diagnostic {
    match kernel {
        FilterBehaviour::Cut => said.note("the kernel would truncate the number to the size of the field"),
        FilterBehaviour::NoMinus => said.note("the kernel refuses a negative number for an unsigned field"),
        FilterBehaviour::Untold => said,
    }
}

/// Reports `x & mask` that is compared with bits outside of the mask.
pub(crate) fn of_mask(span: Span, value: i128, text: &str, mask: u64) -> Diagnostic {
    let (bits, other) = (value as u64, value as u64 & !mask);
    let left = if mask == 0 { "no bit".to_owned() } else { format!("only the bits {mask:#x}") };
    Diagnostic::error(&CODE, format!("{value} does not fit `{text}`"))
        .at(span, format!("{bits:#x} has the bits {other:#x}, which `{text}` never has"))
        .note(format!("the mask keeps {left}"))
}

/// Reports a number outside of the range of a computed value; `wraps` says that a negative value of unsigned
/// numbers was meant.
pub(crate) fn of_computed(
    span: Span,
    value: i128,
    text: &str,
    (low, high): (i128, i128),
    wraps: bool,
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("{value} does not fit `{text}`"))
        .at(span, format!("`{text}` is {low} to {high}"));
    if wraps {
        said.help("unsigned numbers wrap below 0; write `as s64` behind them to compute with signed numbers")
    } else {
        said
    }
}

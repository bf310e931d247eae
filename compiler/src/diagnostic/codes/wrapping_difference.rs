//! T0229: wrapping-difference. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix, Level};

pub(crate) static CODE: Code =
    Code::lint("T0229", "wrapping-difference", Level::Warn, include_str!("wrapping_difference.md"));

/// A difference and its comparison.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where it is.
    pub span: Span,
    /// Its `-`.
    pub minus: Span,
    /// The minuend, as it can be written before a `-`.
    pub from: String,
    /// The subtrahend, as it can be written behind a `-`.
    pub what: String,
    /// Those of the two that are not constants, as they can be written before `as`.
    pub castable: Vec<String>,
    /// The operator of the comparison.
    pub op: Span,
    /// That operator, as it reads with the difference on the left.
    pub symbol: &'static str,
}

/// Reports a difference that can wrap; `exact` says that the operands can change sides and the sum is right for all
/// values.
pub(crate) fn wrapping_difference(difference: &Difference, exact: bool) -> Diagnostic {
    let Difference { span, minus, from, what, castable, op, symbol } = difference;
    let said =
        Diagnostic::lint(&CODE, format!("`{from} - {what}` wraps if `{what}` is greater than `{from}`"))
            .at(*span, "wraps to a large number, never below 0")
            .note("the difference of unsigned numbers is unsigned");
    if !exact {
        let castable: Vec<String> = castable.iter().map(|text| format!("`{text}`")).collect();
        return said
            .help(format!("write `as s64` behind {} for a signed difference", castable.join(" and ")));
    }
    let edits = [(*minus, *symbol), (*op, "+")];
    let edits = edits.map(|(span, text)| Edit { span, text: text.to_owned() }).to_vec();
    said.offer(Fix::several(
        Applicability::Maybe,
        format!("compare with the sum: `{from} {symbol} {what} + ..`"),
        edits,
    ))
}

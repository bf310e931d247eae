//! T0229: wrapping-difference. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix, Level};

/// The code.
pub static CODE: Code =
    Code::lint("T0229", "wrapping-difference", Level::Warn, include_str!("wrapping_difference.md"));

/// A difference that is compared, and what with.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where it stands.
    pub span: Span,
    /// The place of its `-`.
    pub minus: Span,
    /// What is subtracted from, as it could be written before a `-`.
    pub from: String,
    /// What is subtracted, as it could be written behind a `-`.
    pub what: String,
    /// What of these is no constant, as it could be written before `as`.
    pub castable: Vec<String>,
    /// The place of the comparison's operator.
    pub op: Span,
    /// That operator, as it reads with the difference on the left.
    pub symbol: &'static str,
}

/// Raises it; `exact` where the operators can change places, and the sum is always right.
pub fn wrapping_difference(difference: &Difference, exact: bool) -> Diagnostic {
    let Difference { span, minus, from, what, castable, op, symbol } = difference;
    let said = Diagnostic::lint(&CODE, format!("`{from} - {what}` wraps where `{what}` is above `{from}`"))
        .at(*span, "a large number then, never one below 0")
        .note("numbers without sign have a difference without sign");
    if !exact {
        let castable: Vec<String> = castable.iter().map(|text| format!("`{text}`")).collect();
        return said.help(format!("`as s64` behind {} gives the difference a sign", castable.join(" and ")));
    }
    let edits = [(*minus, *symbol), (*op, "+")];
    let edits = edits.map(|(span, text)| Edit { span, text: text.to_owned() }).to_vec();
    said.offer(Fix::several(
        Applicability::Maybe,
        format!("compare with the sum: `{from} {symbol} {what} + ..`"),
        edits,
    ))
}

//! T0251: wrong-unit. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code = Code::lint("T0251", "wrong-unit", Level::Warn, include_str!("wrong_unit.md"));

/// Reports a duration that is converted to another unit than the one in which the event prints the field. `unit` is the
/// span of the unit.
pub(crate) fn wrong_unit(unit: Span, field: &str, written: &str, printed: &'static str) -> Diagnostic {
    Diagnostic::lint(
        &CODE,
        format!("the event prints `{field}` in {printed}, and this is a number of {written}"),
    )
    .at(unit, format!("a number of {written}"))
    .guess(format!("write `{printed}`"), unit, printed)
}

//! T0249: range-as-difference. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix, Level};

pub(crate) static CODE: Code =
    Code::lint("T0249", "range-as-difference", Level::Deny, include_str!("range_as_difference.md"));

/// Reports `1-5` behind `==` or `!=`.
pub(crate) fn of_comparison(
    span: Span,
    (first, last): (u64, u64),
    op: Span,
    is_equal: bool,
    operand: &str,
) -> Diagnostic {
    let range = format!("{{{first}..={last}}}");
    let said = difference(span, (first, last));
    if !is_equal {
        return said.help(format!("write `!({operand} in {range})` for a range"));
    }
    let edits = vec![Edit { span: op, text: "in".to_owned() }, Edit { span, text: range.clone() }];
    said.offer(Fix::several(Applicability::Maybe, format!("write `in {range}` for a range"), edits))
}

/// Reports `1-5` in a set.
pub(crate) fn of_member(span: Span, (first, last): (u64, u64)) -> Diagnostic {
    let range = format!("{first}..={last}");
    difference(span, (first, last)).guess(format!("write `{range}` for a range"), span, range)
}

fn difference(span: Span, (first, last): (u64, u64)) -> Diagnostic {
    let value = i128::from(first) - i128::from(last);
    Diagnostic::lint(&CODE, "this is a difference, and not a range").at(span, format!("the number {value}"))
}

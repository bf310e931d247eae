//! T0210: constant-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use super::contradiction::Other;
use crate::diagnostic::{Code, Diagnostic, Level};

/// The code.
pub static CODE: Code =
    Code::lint("T0210", "constant-condition", Level::Warn, include_str!("constant_condition.md"));

/// What is said at the place of what holds for no record.
const NEVER: &str = "never true";

/// Raises it.
pub fn constant_condition(span: Span, value: bool) -> Diagnostic {
    let says = if value { "always true" } else { NEVER };
    Diagnostic::lint(&CODE, format!("this condition is {says}")).at(span, says)
}

/// Raises it for what follows from the values that a number can have.
pub fn of_range(span: Span, value: bool, range: Option<(i128, i128)>) -> Diagnostic {
    because(constant_condition(span, value), range)
}

/// Raises it for a part of a condition, at its place and in quotes.
pub fn part(span: Span, part: &str, value: bool, range: Option<(i128, i128)>) -> Diagnostic {
    let says = if value { "always true" } else { NEVER };
    because(Diagnostic::lint(&CODE, format!("{part} is {says}")).at(span, says), range)
}

/// Raises it for two parts, one of which always holds; the one at the place is in quotes.
pub fn exhaustive(span: Span, one: &str, other: &Other) -> Diagnostic {
    let diagnostic = Diagnostic::lint(&CODE, format!("{one} or {} always holds", other.text));
    if other.is_at(span) {
        return diagnostic.at(span, "always true");
    }
    other.mark(diagnostic.at(span, format!("always true beside {}", other.text)))
}

fn because(diagnostic: Diagnostic, range: Option<(i128, i128)>) -> Diagnostic {
    match range {
        Some((first, last)) if first == last => diagnostic.note(format!("the number is {first}")),
        Some((first, last)) => diagnostic.note(format!("the number is {first} to {last}")),
        None => diagnostic,
    }
}

//! T0009: invalid-number. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0009", "invalid-number", include_str!("invalid_number.md"));

pub(crate) fn invalid_number(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not a number")
}

/// Reports `012`, which is `octal` in C and `decimal` to people; `octal` is `None` where both are equal.
pub(crate) fn leading_zero(error: &SyntaxError, octal: Option<&str>, decimal: &str) -> Diagnostic {
    let numbers = octal.into_iter().chain([decimal]);
    numbers.fold(
        Diagnostic::error(&CODE, error.to_string()).at(error.span, "a zero before the number"),
        |diagnostic, number| {
            let title = match number.starts_with("0o") {
                true => format!("write `{number}` for the octal number"),
                false => format!("write `{number}` for the decimal number"),
            };
            diagnostic.guess(title, error.span, number)
        },
    )
}

//! T0220: c-in-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0220", "c-in-condition", include_str!("c_in_condition.md"));

pub(crate) fn c_in_condition(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} has no meaning in a condition"))
        .at(span, "an expression of C")
        .help("conditions are about the fields of a record; C stands in the `entry` of an event's definition")
}

/// Reports a call that swaps the bytes of a number, as `htons` does.
pub(crate) fn byte_order(span: Span, function: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{function}(..)` has no meaning in a condition"))
        .at(span, "an expression of C")
        .help(
            "write the number alone: a record that prints a port as 443 holds 443, in the order of the host",
        )
}

//! T0220: c-in-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0220", "c-in-condition", include_str!("c_in_condition.md"));

/// Reports an expression of C for which the language has another form.
pub(crate) fn known_form(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be used in a condition")).at(span, "of another language")
}

pub(crate) fn c_in_condition(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be used in a condition"))
        .at(span, "expression of C")
        .help("a condition can use the fields of the record, `current.pid`, `current.comm` and `current.cpu`; C belongs in the `entry` of an event definition")
}

/// Reports a call that swaps the bytes of a number and is compared with an address; `address` is that of its argument.
pub(crate) fn address(span: Span, function: &str, address: Option<String>) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("`{function}(..)` cannot be used in a condition"))
        .at(span, "expression of C");
    match address {
        Some(address) => said.guess(format!("write `{address}`"), span, address),
        None => said.help("write the address itself, as in `10.0.0.1`"),
    }
}

/// Reports a call that swaps the bytes of a number, as `htons` does.
pub(crate) fn byte_order(span: Span, function: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{function}(..)` cannot be used in a condition"))
        .at(span, "expression of C")
        .help(match function {
            "htons" | "ntohs" => {
                "write the number alone: a field that is printed as 443 holds 443 in host byte order"
            }
            _ => "write the number as the event prints it",
        })
}

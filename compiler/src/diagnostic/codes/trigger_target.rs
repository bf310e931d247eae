//! T0324: trigger-target. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0324", "trigger-target", include_str!("trigger_target.md"));

pub(crate) fn trigger_target(span: Span, name: &str, wants: bool) -> Diagnostic {
    let said = Diagnostic::error(
        &CODE,
        match wants {
            true => format!("`{name}` needs an event"),
            false => format!("`{name}` takes no event"),
        },
    );
    match wants {
        true => said.at(span, "expected an event").help(format!("name it: `trigger {name} SYSTEM:EVENT;`")),
        false => said.at(span, "remove it"),
    }
}

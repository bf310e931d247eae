//! T0113: no-variant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0113", "no-variant", include_str!("no_variant.md"));

pub(crate) fn no_variant(span: Span, path: &str, what: &str, is: &str, known: &[&str]) -> Diagnostic {
    let said = match is {
        "" => Diagnostic::error(
            &CODE,
            format!("`{path}` depends on the {what}, which is unknown for this kernel"),
        ),
        is => Diagnostic::error(&CODE, format!("`{path}` has no values for the {what} {is}")),
    };
    said.at(span, format!("depends on the {what}")).note(format!("it has values for {}", known.join(", ")))
}

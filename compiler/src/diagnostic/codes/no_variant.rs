//! T0113: no-variant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0113", "no-variant", include_str!("no_variant.md"));

pub(crate) fn no_variant(span: Span, path: &str, what: &str, is: &str, known: &[&str]) -> Diagnostic {
    let said = match is {
        "" => Diagnostic::error(
            &CODE,
            format!("`{path}` depends on the {what} of the kernel, which is unknown"),
        ),
        is => Diagnostic::error(&CODE, format!("`{path}` has no constants for the {what} {is}")),
    };
    said.at(span, format!("its constants depend on the {what}"))
        .note(format!("it has constants for {}", known.join(", ")))
}

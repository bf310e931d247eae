//! T0122: unknown-parameter. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0122", "unknown-parameter", include_str!("unknown_parameter.md"));

pub(crate) fn unknown_parameter(span: Span, name: &str, known: &[&str]) -> Diagnostic {
    let near = nearest(name, known.iter().copied(), 1);
    let said = Diagnostic::error(&CODE, format!("the session has no parameter `{name}`"))
        .at(span, "unknown parameter")
        .suggest(span, near);
    match known {
        [] => said.note("it has no parameters"),
        known => said.note(format!("its parameters are {}", known.join(", "))),
    }
}

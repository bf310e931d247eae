//! T0123: missing-parameter. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0123", "missing-parameter", include_str!("missing_parameter.md"));

pub(crate) fn missing_parameter(span: Span, parameter: Span, name: &str, outermost: bool) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("the parameter `{name}` has no value"));
    if outermost {
        return said.at(parameter, "has no default").help(format!("set it: `--set {name}=VALUE`"));
    }
    said.at(span, "not set here").and_at(parameter, "has no default").help(format!("set it: `({name} = ..)`"))
}

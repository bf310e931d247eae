//! T0247: hidden-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0247", "hidden-constant", Level::Warn, include_str!("hidden_constant.md"));

/// Reports a field that has the name of a `what`: a parameter or a constant.
pub(crate) fn hidden_constant(span: Span, name: &str, event: &str, what: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("`{name}` means the field of `{event}` here, not the {what}"))
        .at(span, format!("the field of `{event}`"))
        .help(format!("give the {what} another name"))
}

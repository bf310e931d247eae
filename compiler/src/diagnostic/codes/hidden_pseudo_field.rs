//! T0211: hidden-pseudo-field. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0211", "hidden-pseudo-field", Level::Warn, include_str!("hidden_pseudo_field.md"));

pub(crate) fn hidden_pseudo_field(span: Span, name: &str, event: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("`{name}` means the field of `{event}` here, not the current task"))
        .at(span, format!("the field of `{event}`"))
        .guess(format!("write `current.{name}` for the current task"), span, format!("current.{name}"))
        .help(format!("add `lint allow {};` if the field is meant", CODE.name))
}

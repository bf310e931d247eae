//! T0211: hidden-pseudo-field. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0211", name: "hidden-pseudo-field", page: include_str!("hidden_pseudo_field.md") };

/// Raises it.
pub fn hidden_pseudo_field(span: Span, name: &str, event: &str) -> Diagnostic {
    Diagnostic::warning(&CODE, format!("`{name}` is a field of `{event}` here, not the task that runs"))
        .at(span, format!("the field of `{event}`"))
        .help(format!("write `current.{name}` for the task that runs"))
}

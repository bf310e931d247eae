//! T0737: unused-class. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0737", "unused-class", Level::Warn, include_str!("unused_class.md"));

pub(crate) fn unused_class(span: Span, name: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("the class `{name}` is unused"))
        .at(span, "no event has this class")
        .help(format!("write `event NAME: {name};`, or make it an event: `event {name} {{ .. }}`"))
}

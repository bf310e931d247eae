//! T0737: unused-class. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code = Code::lint("T0737", "unused-class", Level::Warn, include_str!("unused_class.md"));

pub(crate) fn unused_class(span: Span, name: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("no event is of the class `{name}`"))
        .at(span, "nothing is ever recorded of it")
        .help(format!("write `event NAME: {name};`, or make it an event: `event {name} {{ .. }}`"))
}

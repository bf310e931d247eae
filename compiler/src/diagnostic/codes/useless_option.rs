//! T0325: useless-option. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0325", "useless-option", Level::Warn, include_str!("useless_option.md"));

pub(crate) fn useless_option(span: Span, name: &str, why: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("the option `{name}` changes nothing in a session"))
        .at(span, "without effect")
        .note(why)
        .help("leave it out")
}

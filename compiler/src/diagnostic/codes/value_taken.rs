//! T0527: value-taken. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0527", "value-taken", include_str!("value_taken.md"));

/// Returns the error for a value of the whole machine that another session has set otherwise.
pub fn value_taken(span: Option<Span>, file: &str, instance: &str, value: &str) -> Diagnostic {
    let message = format!("another session has set {file}: the one of the instance `{instance}`");
    let diagnostic = Diagnostic::error(&CODE, message);
    let diagnostic = match span {
        Some(span) => diagnostic.at(span, "this asks for another value"),
        None => diagnostic,
    };
    diagnostic
        .note(format!("it was set to `{value}`, and was not touched"))
        .help("end that session first, or ask for the same value; if it was killed, `tracec recover` puts the value back")
}

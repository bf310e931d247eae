//! T0327: hidden-header. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0327", "hidden-header", include_str!("hidden_header.md"));

pub(crate) fn hidden_header(span: Span, name: &str, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` cannot hide `{name}`, which is in the header of every record"))
        .at(span, "a field that all events share")
        .help("leave it out: readers find the event and the task of a record by its header")
}

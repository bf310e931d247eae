//! T0724: second-subsystem. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0724", "second-subsystem", include_str!("second_subsystem.md"));

pub(crate) fn second_subsystem(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a file can have only one `subsystem`")
        .at(span, "the second")
        .and_at(first, "the first")
        .help("move the events of the other subsystem into another file")
}

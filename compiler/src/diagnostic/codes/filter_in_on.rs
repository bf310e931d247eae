//! T0311: filter-in-on. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0311", "filter-in-on", include_str!("filter_in_on.md"));

pub(crate) fn filter_in_on(span: Span, head: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`filter` narrows recording, and `on` does not record")
        .at(span, "no recording to narrow")
        .and_at(head, "this clause has triggers only")
        .help("move the condition behind `if`, in the head or at the trigger; one that the kernel cannot decide narrows \
             only the records of a `trace` clause")
}

/// `print`, `drop` and `redact` change what is shown of records.
pub(crate) fn shown_in_on(span: Span, head: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` changes what is shown of records, and `on` does not record"))
        .at(span, "no record to show")
        .and_at(head, "this clause has triggers only")
        .help(format!("move it into the block of a `trace` clause: `trace EVENT {{ {word} ..; }}`"))
}

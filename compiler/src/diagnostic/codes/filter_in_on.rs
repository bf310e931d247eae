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

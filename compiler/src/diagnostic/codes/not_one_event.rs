//! T0127: not-one-event. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0127", "not-one-event", include_str!("not_one_event.md"));

pub(crate) fn not_one_event(span: Span, count: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("expected one event, and this names {}", Grouped(count)))
        .at(span, "several events")
        .help("write a trigger for each of them")
}

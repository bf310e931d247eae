//! T0313: count-zero. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0313", "count-zero", include_str!("count_zero.md"));

/// Reports a trigger with the count 0 at `span`; `before` is the part of the trigger before it.
pub(crate) fn count_zero(span: Span, before: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of a trigger must not be 0")
        .at(span, "expected 1 or more")
        .note("a trigger with the count 0 never fires")
        .guess(WITHOUT, behind(before, span), "")
}

/// Reports `stop on EVENT` with the count 0 at `span`; `before` is the part of the clause before it.
pub(crate) fn of_stop(span: Span, before: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of `stop on EVENT` must not be 0")
        .at(span, "expected 1 or more")
        .note("the first event has the number 1")
        .guess("leave `count` out, to end at the first", behind(before, span), "")
}

/// Reports `dump on EVENT` with the count 0 at `span`; `before` is the part of the clause before it.
pub(crate) fn of_dumped_event(span: Span, before: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of `dump on EVENT` must not be 0")
        .at(span, "expected 1 or more")
        .note("with the count 1 every event makes a dump")
        .guess("leave `count` out, for a dump at every event", behind(before, span), "")
}

/// Reports a `dump` of 0 files at `span`; `before` is the part of the clause before it.
pub(crate) fn of_dump(span: Span, before: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the number of dumps must not be 0")
        .at(span, "expected 1 or more")
        .note("the first dump has the number 1")
        .guess("leave `max` out, for no limit", behind(before, span), "")
}

/// Reports a `rotate` that keeps 0 files at `span`; `before` is the part of the clause before it.
pub(crate) fn of_rotate(span: Span, before: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the number of files must not be 0")
        .at(span, "expected 1 or more")
        .note("with 1, the file that is being written is the only one")
        .guess("leave `max` out, to keep all files", behind(before, span), "")
}

/// Reports a negative count, which the grammar finds; `whole` is the count with its word.
pub(crate) fn below_one(error: &SyntaxError, whole: Span, text: &str) -> Diagnostic {
    let before = text.get(..whole.range().start).map_or(0, |before| before.len() - before.trim_end().len());
    let blanks = u32::try_from(before).unwrap_or_default();
    let whole = Span { start: whole.start - blanks, ..whole };
    Diagnostic::from_grammar(&CODE, error, "expected 1 or more").guess(WITHOUT, whole, "")
}

/// Returns the count with the blank before it.
fn behind(before: Span, count: Span) -> Span {
    Span { start: before.end, ..count }
}

/// What a count below 1 probably means.
const WITHOUT: &str = "leave `count` out, for no limit";

//! T0334: second-snapshot. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0334", "second-snapshot", include_str!("second_snapshot.md"));

const MESSAGE: &str = "a session takes one snapshot, and a second one would take its place";
const INSTEAD: &str =
    "write `dump on EVENT to \"FILE-{n}.dat\";` to keep what was recorded before each of several events";

/// Reports a trigger that fires more than once; `behind` is where `once` belongs, if no other count stands there.
pub(crate) fn not_once(span: Span, behind: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, MESSAGE).at(span, "fires more than once").help(INSTEAD);
    match behind {
        Some(behind) => diagnostic.fix("keep what was recorded before the first event", behind, " once"),
        None => diagnostic.help("or write `once`, to keep what was recorded before the first event"),
    }
}

/// Reports a second clause with the trigger.
pub(crate) fn of_clauses(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(&CODE, MESSAGE).at(span, "second one").and_at(first, "first here").help(INSTEAD)
}

/// Reports a trigger of several events, of which each would take a snapshot.
pub(crate) fn of_events(span: Span, events: usize) -> Diagnostic {
    Diagnostic::error(&CODE, MESSAGE)
        .at(span, format!("its clause is about {events} events, each of which would take one"))
        .help(INSTEAD)
}

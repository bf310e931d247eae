//! T0526: no-such-task. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0526", "no-such-task", include_str!("no_such_task.md"));

/// Returns the error for a session whose scope has no task on this machine.
pub fn no_such_task(span: Option<Span>, reason: &str) -> Diagnostic {
    let message = format!("the session cannot be limited to its scope: {reason}");
    at(span, Diagnostic::error(&CODE, message)).note("all changes of the session were undone")
}

/// Returns the error for a session that is to end with a process that does not exist.
pub fn no_process_to_end_with(span: Option<Span>, reason: &str) -> Diagnostic {
    let message = format!("the session cannot wait for the end of a process: {reason}");
    at(span, Diagnostic::error(&CODE, message)).note("the session was not started")
}

fn at(span: Option<Span>, diagnostic: Diagnostic) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span, "asked for here"),
        None => diagnostic,
    }
}

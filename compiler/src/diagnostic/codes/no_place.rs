//! T0404: no-place. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0404", "no-place", include_str!("no_place.md"));

/// The help where the condition asks for the process id of the task.
pub const PROCESS_ID: &str = "no target asks for the process id yet; `current.pid` is the id of the thread";

/// The help where each place can decide a part.
pub const APART: &str =
    "where its parts are joined by `&&` at the top, each goes to the place that can decide it";

/// Raises it. `kernel` says why the kernel's filter cannot decide the condition, `host` why the host cannot.
pub fn no_place(span: Span, event: &str, kernel: &str, host: &str, help: &'static str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("nothing can decide this condition on `{event}`"))
        .at(span, "has no place")
        .note(format!("not in the kernel: {kernel}"))
        .note(format!("not on the host: {host}"))
        .help(help)
}

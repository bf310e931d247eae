//! T0138: unknown-recorder. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0138", "unknown-recorder", include_str!("unknown_recorder.md"));

/// Reports a recorder that there is not.
pub(crate) fn unknown_recorder(span: Span, name: &str, nearest: &[&str]) -> Diagnostic {
    let error = Diagnostic::error(&CODE, format!("there is no recorder `{name}`"))
        .at(span, "unknown recorder")
        .suggest(span, nearest)
        .note("a session is recorded by `tracefs`, or by programs: `bpf`");
    if name == "auto" {
        return error.help("leave the clause out: tracefs records what it can");
    }
    error
}

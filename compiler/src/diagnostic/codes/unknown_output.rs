//! T0307: unknown-output. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0307", "unknown-output", include_str!("unknown_output.md"));

pub(crate) fn unknown_output(span: Span, path: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("tracec cannot tell the form of {path:?}"))
        .at(span, "unknown ending")
        .suggest(span, nearest)
        .help("`.txt` and `.log` are text, `.json` and `.jsonl` one JSON object a line")
}

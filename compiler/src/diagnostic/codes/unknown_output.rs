//! T0307: unknown-output. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0307", "unknown-output", include_str!("unknown_output.md"));

pub(crate) fn unknown_output(span: Span, path: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the extension of {path:?} does not name an output form"))
        .at(span, "unknown extension")
        .suggest(span, nearest)
        .help("write `.txt` or `.log` for text, `.json` or `.jsonl` for one JSON object per line, `.dat` for a trace.dat file")
}

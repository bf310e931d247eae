//! T0520: json-and-output. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0520", "json-and-output", include_str!("json_and_output.md"));

/// Returns the error for `--json` with a session whose `output` clause is at `span`.
pub fn json_and_output(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`--json` cannot be used with an `output` clause")
        .at(span, "the extension of this file selects the form of the records")
        .help("remove `--json` and write `output \"FILE.jsonl\";`, or remove this clause")
}

//! T0723: no-subsystem. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0723", "no-subsystem", include_str!("no_subsystem.md"));

pub(crate) fn no_subsystem(span: Span, event: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the file defines tracepoints and has no `subsystem`")
        .at(span, format!("the tracepoint `{event}` needs a system"))
        .help("write `subsystem NAME;`")
}

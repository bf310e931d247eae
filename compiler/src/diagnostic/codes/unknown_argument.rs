//! T0733: unknown-argument. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0733", "unknown-argument", include_str!("unknown_argument.md"));

pub(crate) fn unknown_argument(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no argument `{name}`"))
        .at(span, "unknown name")
        .suggest(span, nearest);
    if nearest.is_empty() {
        diagnostic.help("a value can use the arguments, `current`, constants, macros in capitals and calls; write any other C in `assign`")
    } else {
        diagnostic
    }
}

//! T0212: unknown-constant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0212", "unknown-constant", include_str!("unknown_constant.md"));

pub(crate) fn unknown_constant(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no constant `{name}`"))
        .at(span, "unknown constant")
        .suggest(span, nearest);
    if nearest.is_empty() { diagnostic.help("write the number") } else { diagnostic }
}

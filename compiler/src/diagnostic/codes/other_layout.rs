//! T0406: other-layout. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0406", "other-layout", include_str!("other_layout.md"));

/// Returns the error for an event that has another layout on the running kernel; `reason` is a clause about it, `span`
/// the condition, if it has one in a text.
pub fn other_layout(span: Option<Span>, event: &str, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("`{event}` has another layout on the running kernel"))
        .note(reason)
        .help("remove `--kernel` to check the session against the running kernel");
    match span {
        Some(span) => diagnostic.at(span, "cannot be decided on the running kernel"),
        None => diagnostic,
    }
}

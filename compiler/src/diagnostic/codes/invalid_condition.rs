//! T0407: invalid-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0407", "invalid-condition", include_str!("invalid_condition.md"));

/// Reports a condition in an invalid form. `reason` is a clause about the condition's form.
pub(crate) fn invalid_condition(span: Span, event: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the stored form of this condition on `{event}` is invalid"))
        .at(span, "cannot be built")
        .note(reason)
        .help("build the session from its text again")
}

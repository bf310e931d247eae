//! T0133: event-modifier. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0133", "event-modifier", include_str!("event_modifier.md"));

pub(crate) fn event_modifier(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a modifier")
}

//! T0135: event-as-path. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0135", "event-as-path", include_str!("event_as_path.md"));

pub(crate) fn event_as_path(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a path")
}

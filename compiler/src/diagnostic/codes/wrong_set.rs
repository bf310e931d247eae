//! T0025: wrong-set. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0025", "wrong-set", include_str!("wrong_set.md"));

/// Reports the mistake; `set` is the set in braces, with its span, where it is known.
pub(crate) fn wrong_set(error: &SyntaxError, set: Option<&(Span, String)>) -> Diagnostic {
    match set {
        Some((span, instead)) => Diagnostic::error(&CODE, error.to_string()).at(error.span, LABEL).fix(
            format!("write `{instead}`"),
            *span,
            instead.clone(),
        ),
        None => Diagnostic::from_grammar(&CODE, error, LABEL),
    }
}

const LABEL: &str = "opened with the wrong bracket";

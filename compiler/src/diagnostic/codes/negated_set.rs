//! T0026: negated-set. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0026", "negated-set", include_str!("negated_set.md"));

/// Reports the mistake; `negated` is the negated test, with its span, where it is known.
pub(crate) fn negated_set(error: &SyntaxError, negated: Option<&(Span, String)>) -> Diagnostic {
    match negated {
        Some((span, instead)) => Diagnostic::error(&CODE, error.to_string()).at(error.span, LABEL).fix(
            format!("write `{instead}`"),
            *span,
            instead.clone(),
        ),
        None => Diagnostic::from_grammar(&CODE, error, LABEL),
    }
}

const LABEL: &str = "before a set";

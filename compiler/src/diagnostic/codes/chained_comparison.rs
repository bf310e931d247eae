//! T0020: chained-comparison. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0020", "chained-comparison", include_str!("chained_comparison.md"));

/// Reports the mistake; `joined` is two comparisons in its place, with its span, where it is known.
pub(crate) fn chained_comparison(error: &SyntaxError, joined: Option<&(Span, String)>) -> Diagnostic {
    match joined {
        Some((span, instead)) => Diagnostic::error(&CODE, error.to_string()).at(error.span, LABEL).guess(
            format!("write `{instead}`"),
            *span,
            instead.clone(),
        ),
        None => Diagnostic::from_grammar(&CODE, error, LABEL),
    }
}

const LABEL: &str = "a second comparison";

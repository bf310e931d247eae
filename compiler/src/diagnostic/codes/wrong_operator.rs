//! T0019: wrong-operator. The page beside this file says what it means.

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind};
use tracec_grammar::span::Span;

use crate::diagnostic::foreign::THREADS;
use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0019", "wrong-operator", include_str!("wrong_operator.md"));

pub(crate) fn wrong_operator(error: &SyntaxError) -> Diagnostic {
    // `when` of `stop when` is a word, and so is what stands for it.
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    let label = match &error.kind {
        SyntaxErrorKind::WrongOperator { instead, .. } if is_word(instead) => "word of another language",
        _ => "operator of another language",
    };
    Diagnostic::from_grammar(&CODE, error, label)
}

/// Reports a form of another tool or language.
pub(crate) fn foreign_form(error: &SyntaxError) -> Diagnostic {
    let said = Diagnostic::from_grammar(&CODE, error, "syntax of another language");
    match &error.kind {
        SyntaxErrorKind::ForeignForm { instead, .. } if instead.contains("current.pid ==") => {
            said.note(THREADS)
        }
        _ => said,
    }
}

/// Reports `=~` and a string; `translated` is what both say in the language, with their span.
pub(crate) fn regular_expression(error: &SyntaxError, translated: Option<&(Span, String)>) -> Diagnostic {
    let label = "operator of another language";
    match translated {
        Some((span, instead)) => Diagnostic::error(&CODE, error.to_string()).at(error.span, label).guess(
            format!("write `{instead}`"),
            *span,
            instead.clone(),
        ),
        None => Diagnostic::from_grammar(&CODE, error, label),
    }
}

/// Reports `not`. `negated` is the span of the negated condition and its text with `!`, where they are known.
pub(crate) fn not(error: &SyntaxError, negated: Option<&(Span, String)>) -> Diagnostic {
    let diagnostic = Diagnostic::from_grammar(&CODE, error, "operator of another language");
    match negated {
        Some((span, instead)) => diagnostic.guess(format!("write `{instead}`"), *span, instead.clone()),
        None => diagnostic,
    }
}

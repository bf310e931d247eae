//! T0209: missing-quotes. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0209", "missing-quotes", include_str!("missing_quotes.md"));

/// Reports a word in a clause that takes a string.
pub(crate) fn of_clause(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` is neither a parameter nor a constant; a string needs quotes"))
        .at(span, "the clause takes a string")
        .fix(format!("write `\"{word}\"`"), span, format!("\"{word}\""))
}

pub(crate) fn missing_quotes(span: Span, word: &str, field: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("`{word}` is not a field; a string needs quotes"))
        .at(span, format!("`{field}` is a string"));
    let (title, text) = (format!("write `\"{word}\"`"), format!("\"{word}\""));
    // A similar name may have been meant; a string cannot be compared with it, but that is another mistake.
    match nearest {
        [] => diagnostic.fix(title, span, text),
        _ => diagnostic.guess(title, span, text),
    }
}

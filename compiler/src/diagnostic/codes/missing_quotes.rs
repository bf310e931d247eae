//! T0209: missing-quotes. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

pub(crate) static CODE: Code = Code::error("T0209", "missing-quotes", include_str!("missing_quotes.md"));

/// Reports a word in a clause that takes a string.
pub(crate) fn of_clause(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` is neither a parameter nor a constant; a string needs quotes"))
        .at(span, "the clause takes a string")
        .fix(format!("write `\"{word}\"`"), span, format!("\"{word}\""))
}

/// Reports a word that is compared with the id of a task: its name was meant, as in `comparison`.
pub(crate) fn of_name(
    span: Span,
    word: &str,
    id: &str,
    comparison: &str,
    edits: [(Span, String); 2],
) -> Diagnostic {
    let edits = edits.into_iter().map(|(span, text)| Edit { span, text }).collect();
    let title = format!("write `{comparison}` for the name");
    Diagnostic::error(&CODE, format!("`{word}` is not a field; a string needs quotes"))
        .at(span, format!("`{id}` is a number"))
        .offer(Fix::several(Applicability::Maybe, title, edits))
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

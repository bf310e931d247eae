//! T0228: star-in-text. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0228", "star-in-text", Level::Warn, include_str!("star_in_text.md"));

/// Reports `==` or `!=`; `pattern` is the operator that takes patterns, where it can replace them.
pub(crate) fn star_in_text(span: Span, op: Span, symbol: &str, pattern: Option<&str>) -> Diagnostic {
    let said = Diagnostic::lint(&CODE, format!("`{symbol}` compares with a string that contains `*`"))
        .at(span, "`*` matches only itself");
    match pattern {
        Some(pattern) => said.guess(format!("write `{pattern}` for a pattern"), op, pattern),
        None => said.help("write the pattern on the right of `~`"),
    }
}

/// Reports a member of a set; `word` is its `in`, if all members are strings.
pub(crate) fn of_member(span: Span, word: Option<Span>) -> Diagnostic {
    let said = Diagnostic::lint(&CODE, "a member of a set is not a pattern, and this one contains `*`")
        .at(span, "`*` matches only itself");
    match word {
        Some(word) => said.guess("write `~` in the place of `in`, for a set of patterns", word, "~"),
        None => said.help("write the patterns as a set behind `~`, as in `x ~ {\"a*\", \"b\"}`"),
    }
}

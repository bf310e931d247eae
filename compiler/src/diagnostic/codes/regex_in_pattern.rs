//! T0223: regex-in-pattern. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0223", "regex-in-pattern", Level::Warn, include_str!("regex_in_pattern.md"));

pub(crate) fn regex_in_pattern(span: Span, part: &str, glob: &str) -> Diagnostic {
    let text = quoted(glob);
    Diagnostic::lint(&CODE, format!("`{part}` belongs to a regular expression, and this is a glob pattern"))
        .at(span, format!("`{part}` matches only itself"))
        .guess(format!("write `{text}`"), span, text)
}

//! T0243: bad-pattern. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::condition::glob::{GlobError, GlobMistake};

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0243", "bad-pattern", include_str!("bad_pattern.md"));

/// Reports an invalid pattern; `literal` is the string that it is written as, with its span.
pub(crate) fn bad_pattern(span: Span, mistake: &GlobMistake, literal: Option<(Span, &str)>) -> Diagnostic {
    let said = too_long(span, &mistake.error.to_string());
    let (GlobError::Open, Some((at, text))) = (mistake.error, literal) else { return said };
    let open = mistake.range.start;
    let behind = &text[open + 1..];
    // The class ends before what follows any character.
    let length = behind.find(['*', '?']).unwrap_or(behind.len());
    let said = match length {
        0 => said,
        _ => {
            let closed = quoted(&format!("{}]{}", &text[..open + 1 + length], &behind[length..]));
            said.guess(format!("write `{closed}`: one of these characters stands there"), at, closed)
        }
    };
    let character = quoted(&format!("{}[[]{behind}", &text[..open]));
    said.guess(format!("write `{character}` for the character `[`"), at, character)
}

/// Reports a pattern that no text can match; `why` is a clause without its subject.
pub(crate) fn too_long(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the pattern {why}"))
        .at(span, "invalid pattern")
        .note("a pattern consists of `*`, `?`, `[a-z]`, `[!a-z]`, `\\c` for the character c, and characters that match themselves")
}

//! T0739: bad-format. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0739", "bad-format", include_str!("bad_format.md"));

/// Raises it.
pub fn bad_format(span: Span, word: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("`{word}` is no format")).at(span, "unknown format");
    if nearest.is_empty() {
        diagnostic.help("formats are those of printf (`08x`, `-16s`), the kernel's (`pISpc`, `pS`), and `dev`, `flags(\"|\")`, `name`, `hex`, `hexstr`, `array`")
    } else {
        diagnostic.suggest(span, nearest)
    }
}

/// Raises it for a width that nobody means.
pub fn too_wide(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "no line is so wide").at(span, "a width of up to 1024")
}

/// Raises it for a width where there is none.
pub fn no_shape(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` has no width"))
        .at(span, "a helper of the kernel prints as it does")
}

/// Raises it for flags without a proper delimiter.
pub fn delimiter(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "flags are printed with a text between them")
        .at(span, "expected `flags(\"|\")`")
        .note("the text has no `\"`, `\\` or `%`")
}

/// Raises it for a length modifier.
pub fn length(span: Span, short: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the length of a number is that of its type").at(span, "a length of C").fix(
        format!("write `{short}`"),
        span,
        short,
    )
}

//! T0739: bad-format. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::printk::Misuse;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0739", "bad-format", include_str!("bad_format.md"));

pub(crate) fn bad_format(span: Span, word: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("`{word}` is not a format")).at(span, "unknown format");
    if nearest.is_empty() {
        diagnostic.help("formats are those of printf (`08x`, `-16s`), the kernel's (`pISpc`, `pS`), and `dev`, `flags(\"|\")`, `name`, `hex`, `hexstr`, `hexdump`, `array`, `secs`")
    } else {
        diagnostic.suggest(span, nearest)
    }
}

/// Reports a width above the limit.
pub(crate) fn too_wide(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the width is too large").at(span, "expected at most 1024")
}

/// Reports a width behind a format that takes none.
pub(crate) fn no_shape(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` takes no width"))
        .at(span, "a helper of the kernel prints this value")
}

/// Reports `flags` without a valid delimiter.
pub(crate) fn delimiter(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`flags` needs a delimiter")
        .at(span, "expected `flags(\"|\")`")
        .note("the delimiter cannot contain `\"`, `\\` or `%`")
}

/// Reports an option of a hex dump that is not one.
pub(crate) fn hex_dump(span: Span, option: &str) -> Diagnostic {
    let message = match option {
        "" => "an option of `hexdump` is missing".to_owned(),
        _ => format!("`{option}` is not an option of `hexdump`"),
    };
    Diagnostic::error(&CODE, message)
        .at(span, "unknown option")
        .note("options are the text before each line in quotes, `offset`, `row 16` or `row 32`, `group 1`, `group 2`, `group 4` or `group 8`, and `ascii`")
}

/// Reports a flag or a precision that means nothing in a directive, for which `kept` can be written.
pub(crate) fn misuse(span: Span, letter: char, misuse: Misuse, kept: &str, is_same: bool) -> Diagnostic {
    let said = match misuse {
        Misuse::Repeated(flag) => format!("the flag `{flag}` is there twice"),
        Misuse::Flag(flag) => format!("the flag `{flag}` has no meaning for `%{letter}`"),
        Misuse::Beside(flag, other) => format!("the flag `{flag}` has no meaning beside {other}"),
        Misuse::Precision => format!("a precision has no meaning for `%{letter}`"),
    };
    let mistake = Diagnostic::error(&CODE, said).at(span, "gcc warns of this format");
    // Without a format there is no colon either, which stands in front of it.
    let (title, span) = match kept {
        "" => ("leave the format out".to_owned(), Span { start: span.start.saturating_sub(1), ..span }),
        _ => (format!("write `{kept}`"), span),
    };
    if is_same { mistake.fix(title, span, kept) } else { mistake.guess(title, span, kept) }
}

/// Reports a length modifier.
pub(crate) fn length(span: Span, short: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "a format has no length: the type of the value decides")
        .at(span, "length modifier of C")
        .fix(format!("write `{short}`"), span, short)
}

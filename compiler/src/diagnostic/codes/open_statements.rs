//! T0758: open-statements. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0758", "open-statements", include_str!("open_statements.md"));

/// Reports a bracket that closes what these statements did not open.
pub(crate) fn unopened(span: Span, bracket: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{bracket}` closes nothing in these statements"))
        .at(span, "it would close the macro or the block that they are put into")
}

/// Reports a bracket that closes another one.
pub(crate) fn other_bracket(span: Span, bracket: &str, expected: &str, opened: Span) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{bracket}` does not close this bracket"))
        .at(span, format!("expected `{expected}`"))
        .and_at(opened, "opened here")
}

/// Reports a bracket, a quote or a comment that these statements do not close.
pub(crate) fn unclosed(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("this {what} is not closed"))
        .at(span, "it would take in what stands behind the statements")
}

/// Reports a string that is continued on another line.
pub(crate) fn over_lines(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a string of C ends on its line")
        .at(span, "it is continued on another line")
        .help("write two strings, one behind the other")
}

/// Reports a line that ends with a backslash.
pub(crate) fn continued(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a line of these statements ends with a backslash")
        .at(span, "C would join the next line to it")
        .help("leave the backslash out: a statement of C can be on several lines without it")
}

/// Reports another spelling of a sign.
pub(crate) fn digraph(span: Span, written: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("C reads `{written}` as a bracket, or as the beginning of a directive"))
        .at(span, "C has two spellings of that sign, and this is one")
        .help("put a blank between the two characters, or use the other spelling if that sign is meant")
}

/// Reports a raw string.
pub(crate) fn raw_string(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a raw string cannot stand in these statements")
        .at(span, "it begins here")
        .help("use an ordinary string, with a backslash in front of each quote and each backslash")
}

/// Reports a line of the preprocessor.
pub(crate) fn directive(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a directive of the preprocessor cannot stand in these statements")
        .at(span, "they are an argument of a macro")
        .help("move it into a header, and name that with `include`")
}

/// Reports a character outside of C.
pub(crate) fn character(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{found}` does not belong into statements of C"))
        .at(span, "C has no such character here")
}

/// Reports a word that leaves the function.
pub(crate) fn leaves(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` leaves the function that writes the record"))
        .at(span, "the record would never be completed")
        .help("write the statements that it skips into an `if` of C; which events are recorded is decided by `event NAME: CLASS if (CONDITION)`")
}

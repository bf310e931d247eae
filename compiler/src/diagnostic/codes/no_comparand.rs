//! T0208: no-comparand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0208", "no-comparand", include_str!("no_comparand.md"));

pub(crate) fn no_comparand(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("this compares {what}"))
        .at(span, "expected a number, or a field and a constant")
        .note("numbers are compared with each other, text and masks of CPUs with constants")
}

/// Reports `member`, in a set, that is a field of the record; `operand` is the text before the set.
pub(crate) fn in_set(span: Span, operand: &str, member: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the members of a set are constants")
        .at(span, format!("`{member}` is of the record"))
        .help(format!("compare with it by itself: `{operand} == {member}`"))
}

//! T0208: no-comparand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0208", "no-comparand", include_str!("no_comparand.md"));

/// Raises it.
pub fn no_comparand(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("this compares {what}"))
        .at(span, "expected a number, or a field and a constant")
        .note("numbers are compared with each other, text and masks of CPUs with constants")
}

/// Raises it for a member of a set, `member`, that is of the record, as `operand` before the set is or should be.
pub fn in_set(span: Span, operand: &str, member: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the members of a set are constants")
        .at(span, format!("`{member}` is of the record"))
        .help(format!("compare with it by itself: `{operand} == {member}`"))
}

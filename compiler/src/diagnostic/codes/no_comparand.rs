//! T0208: no-comparand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0208", "no-comparand", include_str!("no_comparand.md"));

pub(crate) fn no_comparand(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot compare {what}"))
        .at(span, "expected a number, or a field and a constant")
        .note("two numbers can be compared; a string or a mask of CPUs can be compared with a constant only")
}

/// Reports `member`, in a set, that is a field of the record; `operand` is the text before the set.
pub(crate) fn in_set(span: Span, operand: &str, member: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "the members of a set must be constants")
        .at(span, format!("`{member}` is read from the record"))
        .help(format!("compare with it separately: `{operand} == {member}`"))
}

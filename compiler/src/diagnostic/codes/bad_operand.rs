//! T0735: bad-operand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0735", "bad-operand", include_str!("bad_operand.md"));

pub(crate) fn bad_operand(span: Span, op: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` cannot be applied to {kind}")).at(span, kind)
}

/// Reports an expression in the place of a condition.
pub(crate) fn not_a_truth(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kind} is not a condition")).at(span, "expected a condition")
}

/// Reports a member of a value that has no members.
pub(crate) fn no_members(span: Span, base: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kind} has no members")).at(span, "a member").and_at(base, kind)
}

/// Reports two branches of `?:` that have different types.
pub(crate) fn branches(span: Span, then: (Span, &str), otherwise: (Span, &str)) -> Diagnostic {
    Diagnostic::error(&CODE, "the branches of `?:` have different types")
        .at(span, "expected one type")
        .and_at(then.0, then.1)
        .and_at(otherwise.0, otherwise.1)
}

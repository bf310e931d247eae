//! T0735: bad-operand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0735", "bad-operand", include_str!("bad_operand.md"));

/// Raises it.
pub fn bad_operand(span: Span, op: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` does not take {kind}")).at(span, kind)
}

/// Raises it where a condition is due.
pub fn not_a_truth(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kind} does not hold or fail")).at(span, "expected a condition")
}

/// Raises it for a member of what has none.
pub fn no_members(span: Span, base: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kind} has no members")).at(span, "a member").and_at(base, kind)
}

/// Raises it for the branches of `?:`.
pub fn branches(span: Span, then: (Span, &str), otherwise: (Span, &str)) -> Diagnostic {
    Diagnostic::error(&CODE, "the two choices are of different kinds")
        .at(span, "which kind is this?")
        .and_at(then.0, then.1)
        .and_at(otherwise.0, otherwise.1)
}

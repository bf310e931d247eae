//! T0129: unknown-value. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::BinaryOp;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0129", "unknown-value", include_str!("unknown_value.md"));

/// Reports a name for a field. `known` are the names that the kernel prints for its values; it is empty where their
/// numbers are unknown.
pub(crate) fn of_field(span: Span, word: &str, field: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    let said = raise(span, word, field, near);
    match known {
        [] => said
            .note("the kernel prints names for its values, and their numbers are unknown")
            .help("write the number"),
        known => said.note(format!("the kernel prints its values as {}", some(known))),
    }
}

/// Reports a name for a value that was cast to the enum `own`, whose members are `known`.
pub(crate) fn of_enum(
    span: Span,
    word: &str,
    operand: &str,
    near: &[&str],
    (own, known): (&str, &[&str]),
) -> Diagnostic {
    raise(span, word, operand, near).note(format!("`{own}` has {}", some(known)))
}

/// Reports a name that the event prints for a number that depends on some bits of the field only; `suffixed` is the
/// name that it prints where further bits are set, and the set of both values. `compared` are the span of the comparison
/// and its operator, which a member of a set lacks.
pub(crate) fn printed(
    span: Span,
    word: &str,
    field: &str,
    value: i128,
    suffixed: Option<(String, String)>,
    (whole, op): (Span, Option<BinaryOp>),
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("`{word}` is not a value of `{field}`"))
        .at(span, "neither a field nor a constant")
        .note(format!("the event prints `{word}` where `{field}` is {value}"));
    let plain = |said: Diagnostic| said.guess(format!("write `{value}`"), span, value.to_string());
    match (suffixed, op) {
        (Some((name, values)), Some(BinaryOp::Ne)) => {
            let instead = format!("!({field} in {values})");
            let title = format!("write `{instead}`, which leaves out `{name}` too");
            said.guess(title, whole, instead)
        }
        (Some((name, values)), Some(BinaryOp::Eq)) => {
            plain(said.help(format!("for `{name}` too, write `{field} in {values}`")))
        }
        (Some((name, values)), _) => plain(said.note(format!("with `{name}` it is one of {values}"))),
        (None, _) => plain(said),
    }
}

fn raise(span: Span, word: &str, operand: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` is not a value of `{operand}`"))
        .at(span, "neither a field nor a constant")
        .suggest(span, near)
}

/// Returns the first names and the number of the others.
fn some(known: &[&str]) -> String {
    let first = known.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    match known.len().saturating_sub(12) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

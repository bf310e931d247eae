//! T0708: constant-mismatch. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0708", "constant-mismatch", include_str!("constant_mismatch.md"));

/// Reports operands that do not fit their operator.
pub(crate) fn operands(op: Span, kinds: &[(Span, &str)]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, "the operator cannot be applied to these constants")
        .at(op, "with these operands");
    let diagnostic = kinds.iter().fold(diagnostic, |said, (span, kind)| said.and_at(*span, *kind));
    if kinds.iter().any(|(_, kind)| *kind == "a duration") {
        return diagnostic.help("write `10ms as us` to convert a duration to a number");
    }
    diagnostic
}

/// Reports a value that does not have its declared type.
pub(crate) fn declared(span: Span, found: &str, wanted: &str, ty: &str) -> Diagnostic {
    let wanted = if found == wanted { format!("a member of `{ty}`") } else { wanted.to_owned() };
    let diagnostic =
        Diagnostic::error(&CODE, format!("`{ty}` needs {wanted}, and this is {found}")).at(span, found);
    match (found, wanted.as_str()) {
        ("a duration", "a number") => diagnostic.help("write `10ms as us` to convert a duration to a number"),
        ("a number", "a duration") => diagnostic.help("write the unit: `10ms`"),
        _ => diagnostic,
    }
}

/// Reports a value in a clause that takes a string.
pub(crate) fn not_a_string(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the clause takes a string, and this is {found}")).at(span, found)
}

/// Reports a member of an enum that is not a number.
pub(crate) fn member(span: Span, found: &str, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the members of {word} must be numbers, and this is {found}"))
        .at(span, found)
}

/// Reports a type that a constant cannot have.
pub(crate) fn not_a_constant_type(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a constant cannot have this type")
        .at(span, "not a type of a constant")
        .help("write an integer type, an enum, or one of `size`, `duration`, `string` and `address`")
}

/// Reports a cast of a duration to a type that is not a unit.
pub(crate) fn duration_cast(ty: Span, value: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is not a unit of time"))
        .at(ty, "expected a unit")
        .and_at(value, "a duration")
        .help("write `as ns`, `as us`, `as ms`, `as s`, `as min` or `as h`")
}

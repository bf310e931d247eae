//! T0752: too-many-fields. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0752", "too-many-fields", include_str!("too_many_fields.md"));

/// Raises it.
pub fn too_many_fields(span: Span, count: usize, most: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a probe has at most {most} fields, and this {count}")).at(span, "one too many")
}

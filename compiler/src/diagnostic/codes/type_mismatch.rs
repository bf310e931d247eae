//! T0201: type-mismatch. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0201", "type-mismatch", include_str!("type_mismatch.md"));

pub(crate) fn type_mismatch(
    span: Span,
    field: &str,
    field_type: &str,
    is: &str,
    wants: &str,
    value: Span,
    got: &str,
) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{field}` is {is} and is compared with {got}"))
        .at(value, format!("expected {wants}"))
        .and_at(span, format!("`{field}` has the type `{field_type}`"))
}

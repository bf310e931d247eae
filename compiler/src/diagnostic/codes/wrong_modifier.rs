//! T0241: wrong-modifier. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0241", "wrong-modifier", include_str!("wrong_modifier.md"));

/// Reports a modifier behind the wrong field; `behind_name` is the span of the modifier with its dot, where the
/// field is a string that needs no modifier.
pub(crate) fn wrong_modifier(
    span: Span,
    modifier: &str,
    field: &str,
    field_type: &str,
    behind_name: Option<Span>,
) -> Diagnostic {
    let wants = match modifier {
        "ustring" => "`.ustring` is the string that a `char *` points to in user memory",
        _ => "`.function` is the function that contains an address of eight bytes",
    };
    let said = Diagnostic::error(&CODE, format!("`.{modifier}` cannot be used with `{field}`"))
        .at(span, format!("`{field}` has the type `{field_type}`"))
        .note(wants);
    match behind_name {
        Some(span) => said.fix(format!("write `{field}`: the record holds the string"), span, ""),
        None => said,
    }
}

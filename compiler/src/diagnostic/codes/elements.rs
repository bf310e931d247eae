//! T0732: elements. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0732", "elements", include_str!("elements.md"));

/// Raises it where they are missing.
pub fn elements(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("how many elements has `{name}`?"))
        .at(span, "an array without a length")
        .help(format!("write `{name}: TYPE[] = (POINTER, COUNT);`"))
}

/// Raises it where they have no place.
pub fn surplus(span: Span, name: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is {kind} and takes no count of elements"))
        .at(span, "`(POINTER, COUNT)` is for arrays without a length: `TYPE[]`")
}

/// Raises it for a part of another kind.
pub fn wrong_part(span: Span, what: &str, wants: &str, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} is {wants}, and this is {found}")).at(span, found)
}

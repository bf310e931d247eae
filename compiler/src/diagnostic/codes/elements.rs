//! T0732: elements. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0732", "elements", include_str!("elements.md"));

/// Reports an array without a length and without a count of elements.
pub(crate) fn elements(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` has no number of elements"))
        .at(span, "an array without a length")
        .help(format!("write `{name}: TYPE[] = (POINTER, COUNT);`"))
}

/// Reports a count of elements for a type that takes none.
pub(crate) fn surplus(span: Span, name: &str, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is {kind} and takes no count of elements"))
        .at(span, "`(POINTER, COUNT)` is for arrays without a length: `TYPE[]`")
}

/// Reports a pointer or a count of the wrong type.
pub(crate) fn wrong_part(span: Span, what: &str, wants: &str, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} must be {wants}, and this is {found}")).at(span, found)
}

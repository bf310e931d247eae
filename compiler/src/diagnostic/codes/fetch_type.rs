//! T0750: fetch-type. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0750", "fetch-type", include_str!("fetch_type.md"));

/// Reports an array whose length a probe cannot have.
pub(crate) fn array_length(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "a probe cannot fetch an array of this length").at(span, why)
}

/// Reports a type that a probe cannot fetch.
pub(crate) fn fetch_type(span: Span, what: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a probe cannot fetch `{what}` here")).at(span, why)
}

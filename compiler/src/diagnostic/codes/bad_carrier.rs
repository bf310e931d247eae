//! T0713: bad-carrier. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0713", "bad-carrier", include_str!("bad_carrier.md"));

pub(crate) fn bad_carrier(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the type of an enum must be an integer type").at(span, "not an integer type")
}

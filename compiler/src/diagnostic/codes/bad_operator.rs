//! T0205: bad-operator. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0205", "bad-operator", include_str!("bad_operator.md"));

/// Raises it.
pub fn bad_operator(span: Span, op: &str, field: &str, is: &str, ops: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` does not work on {is}"))
        .at(span, format!("`{field}` is {is}"))
        .help(format!("the operators for {is} are {ops}"))
}

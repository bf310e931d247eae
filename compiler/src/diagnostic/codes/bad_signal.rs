//! T0320: bad-signal. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0320", "bad-signal", include_str!("bad_signal.md"));

pub(crate) fn bad_signal(span: Span, name: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a session cannot wait for {name}")).at(span, why)
}

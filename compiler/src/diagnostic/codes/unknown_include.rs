//! T0119: unknown-include. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0119", "unknown-include", include_str!("unknown_include.md"));

pub(crate) fn unknown_include(span: Span, name: &str, known: &[&str]) -> Diagnostic {
    let last = name.rsplit("::").next().unwrap_or(name);
    let near = nearest(last, known.iter().copied(), 1);
    let said = Diagnostic::error(&CODE, format!("there is no session `{name}`"))
        .at(span, "unknown session")
        .suggest(span, near);
    if known.is_empty() { said } else { said.note(format!("the sessions there are {}", known.join(", "))) }
}

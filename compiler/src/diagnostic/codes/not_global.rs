//! T0321: not-global. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0321", "not-global", include_str!("not_global.md"));

pub(crate) fn not_global(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} is not allowed in `global`"))
        .at(span, "belongs to the session")
        .note("`global` sets the machine's top-level state: `buffer`, `clock`, `cmdlines`, `option`")
}

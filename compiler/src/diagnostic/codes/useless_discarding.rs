//! T0322: useless-discarding. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0322", "useless-discarding", Level::Warn, include_str!("useless_discarding.md"));

pub(crate) fn useless_discarding(span: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, "unused `discarding`: nothing in this block discards records")
        .at(span, "not needed")
}

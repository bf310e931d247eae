//! T0328: useless-keep. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0328", "useless-keep", Level::Warn, include_str!("useless_keep.md"));

pub(crate) fn useless_keep(span: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, "`keep` has no event to go on after")
        .at(span, "no `stop on EVENT` in this session")
        .help("write the event that ends the session: `stop on oom:mark_victim;`")
}

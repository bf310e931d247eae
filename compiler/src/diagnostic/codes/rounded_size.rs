//! T0333: rounded-size. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0333", "rounded-size", Level::Warn, include_str!("rounded_size.md"));

pub(crate) fn rounded_size(span: Span, kib: u64) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("the kernel rounds this size up to {kib}KiB"))
        .at(span, "not a power of two of pages")
        .fix(format!("write `{kib}KiB`"), span, format!("{kib}KiB"))
}

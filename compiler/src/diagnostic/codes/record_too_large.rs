//! T0729: record-too-large. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0729", "record-too-large", Level::Warn, include_str!("record_too_large.md"));

pub(crate) fn record_too_large(span: Span, name: &str, size: u32, most: u32) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("a record of `{name}` has {} bytes or more", Grouped(size)))
        .at(span, format!("sub-buffers of 4 KiB hold records of up to {} bytes", Grouped(most)))
        .note("the kernel drops a record that does not fit")
}

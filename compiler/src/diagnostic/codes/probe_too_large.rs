//! T0755: probe-too-large. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0755", "probe-too-large", include_str!("probe_too_large.md"));

pub(crate) fn probe_too_large(span: Span, name: &str, size: u32, most: u32) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a record of `{name}` has {} bytes", Grouped(size)))
        .at(span, format!("expected at most {} bytes", Grouped(most)))
}

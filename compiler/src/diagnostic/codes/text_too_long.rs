//! T0203: text-too-long. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0203", "text-too-long", include_str!("text_too_long.md"));

pub(crate) fn text_too_long(
    span: Span,
    field: &str,
    length: usize,
    room: usize,
    cut: Option<String>,
) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(&CODE, format!("a string of {} bytes does not fit `{field}`", Grouped(length)))
            .at(span, format!("`{field}` holds at most {} bytes", Grouped(room)));
    match cut {
        Some(cut) => diagnostic.guess(format!("write what the kernel keeps of it: `{cut}`"), span, cut),
        None => diagnostic,
    }
}

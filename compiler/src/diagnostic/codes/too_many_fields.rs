//! T0752: too-many-fields. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0752", "too-many-fields", include_str!("too_many_fields.md"));

pub(crate) fn too_many_fields(span: Span, count: usize, most: usize) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("a probe can have at most {} fields, and this one has {}", Grouped(most), Grouped(count)),
    )
    .at(span, "one too many")
}

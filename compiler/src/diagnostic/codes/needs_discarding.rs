//! T0323: needs-discarding. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0323", "needs-discarding", include_str!("needs_discarding.md"));

pub(crate) fn needs_discarding(span: Span, behind: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "this clause discards records in the top-level buffer")
        .at(span, "other programs may need these records")
        .guess("write `global discarding { .. }` to allow this", behind, " discarding")
}

//! T0323: needs-discarding. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0323", "needs-discarding", include_str!("needs_discarding.md"));

/// Reports a clause that empties the buffer.
pub(crate) fn of_records(span: Span, behind: Span) -> Diagnostic {
    let what = "this clause discards records in the top-level buffer";
    needs_discarding(what, (span, "other programs may need these records"), behind)
}

/// Reports a clause that forgets the names of tasks.
pub(crate) fn of_names(span: Span, behind: Span) -> Diagnostic {
    let what = "this clause discards the names of tasks that the kernel remembers";
    needs_discarding(what, (span, "other programs may need these names"), behind)
}

fn needs_discarding(what: &str, (span, why): (Span, &str), behind: Span) -> Diagnostic {
    Diagnostic::error(&CODE, what).at(span, why).guess(
        "write `global discarding { .. }` to allow this",
        behind,
        " discarding",
    )
}

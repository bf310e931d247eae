//! T0329: dump-without-ring. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0329", "dump-without-ring", include_str!("dump_without_ring.md"));

pub(crate) fn dump_without_ring(span: Span) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        "`dump` needs a ring of the newest records, and this session streams all of them",
    )
    .at(span, "no `ring` in this session")
    .help("write `ring last 10s;` into the session")
}

/// Reports `trigger snapshot` in a session without a ring.
pub(crate) fn snapshot_without_ring(span: Span) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        "`trigger snapshot` needs a ring of the newest records, and this session streams all of them",
    )
    .at(span, "no `ring` in this session")
    .help("write `ring;` into the session, or leave the trigger out: the output has every record")
}

//! T0305: bad-size. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0305", "bad-size", include_str!("bad_size.md"));

/// Returns the error for the size of a ring.
pub(crate) fn bad_size(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid buffer size")
        .at(span, reason)
        .help("write a size: `buffer 4MiB per cpu;`")
}

/// Returns the error for the size of a ring's parts.
pub(crate) fn of_subbuffer(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid sub-buffer size")
        .at(span, reason)
        .help("write a size: `subbuffer 16KiB;`")
}

/// Returns the error for the size of a file.
pub(crate) fn of_file(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid size of a file")
        .at(span, reason)
        .help("write a size: `rotate every 1GiB;`")
}

/// Returns the error for the size of the queue.
pub(crate) fn of_queue(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid queue size").at(span, reason).help("write a size: `queue 256MiB;`")
}

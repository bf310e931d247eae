//! T0331: bad-cmdlines. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::limits::CMDLINES;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0331", "bad-cmdlines", include_str!("bad_cmdlines.md"));

/// Reports the clause outside of `global`.
pub(crate) fn of_session(span: Span, number: u64) -> Diagnostic {
    let block = format!("global discarding {{ cmdlines {number}; }}");
    Diagnostic::error(&CODE, "`cmdlines` belongs into `global discarding`")
        .at(span, "a session has no table of names of its own")
        .note(
            "all tracing of the machine shares one table of names, and a new size forgets those that it has",
        )
        .guess(format!("write `{block}`"), span, block)
}

/// Reports a number that the kernel does not take.
pub(crate) fn not_within(span: Span, number: i128) -> Diagnostic {
    let nearest = if number < 1 { 1 } else { CMDLINES };
    Diagnostic::error(&CODE, format!("the kernel cannot remember {number} names"))
        .at(span, format!("expected 1 to {CMDLINES}"))
        .suggest(span, [&nearest.to_string()])
}

/// Reports a value that is not a number.
pub(crate) fn not_a_number(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`cmdlines` takes a number of names, not {found}"))
        .at(span, "expected a number")
        .help("write a number: `cmdlines 8192;`")
}

//! T0529: no-output-file. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0529", "no-output-file", include_str!("no_output_file.md"));

/// Returns the error for a session that rotates its files and has none.
pub fn no_output_file(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the session has no file that could be rotated")
        .at(span, "the records go to standard output")
        .help(
            "name the file: `tracec run -o big.dat session.trc`, or `output \"big-{n}.dat\";` in the session",
        )
}

//! T0521: no-command. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0521", "no-command", include_str!("no_command.md"));

/// Returns the error for a session that ends with its command and was started without one.
pub fn no_command(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the session ends with its command, and no command was given")
        .at(span, "nothing else ends the session")
        .help("write the command behind `--`: `tracec run session.trc -- make`")
}

/// Returns the error for a session that is limited to its command and was started without one.
pub fn no_command_in_scope(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the session records its command, and no command was given")
        .at(span, "it is limited to that command")
        .help("write the command behind `--`: `tracec run session.trc -- make`")
}

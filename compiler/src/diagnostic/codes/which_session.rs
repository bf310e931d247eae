//! T0309: which-session. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0309", "which-session", include_str!("which_session.md"));

pub(crate) fn which_session(known: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the file holds {} sessions", known.len()))
        .help(format!("choose one with `FILE#NAME`: {}", known.join(", ")))
}

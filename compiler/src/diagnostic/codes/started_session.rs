//! T0528: started-session. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0528", "started-session", include_str!("started_session.md"));

/// Returns the error for a started session that cannot do what a command asks, or for one that cannot be started.
pub fn started_session(reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, reason.to_owned())
}

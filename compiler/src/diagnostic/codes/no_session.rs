//! T0308: no-session. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0308", "no-session", include_str!("no_session.md"));

pub(crate) fn no_session() -> Diagnostic {
    Diagnostic::error(&CODE, "there is no session in this file")
        .help("write `session NAME { trace SYSTEM:EVENT; }`")
}

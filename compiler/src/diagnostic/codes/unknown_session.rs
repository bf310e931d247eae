//! T0110: unknown-session. The page beside this file says what it means.

use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0110", "unknown-session", include_str!("unknown_session.md"));

pub(crate) fn unknown_session(name: &str, known: &[String]) -> Diagnostic {
    let message = match name {
        "" => "the name of a session is missing after `#`".to_owned(),
        name => format!("there is no session `{name}` in this file"),
    };
    let diagnostic = Diagnostic::error(&CODE, message);
    let near = nearest(name, known.iter().map(String::as_str), 1);
    near.iter()
        .fold(diagnostic, |diagnostic, near| diagnostic.help(format!("did you mean `{near}`?")))
        .note(format!("its sessions are {}", known.join(", ")))
}

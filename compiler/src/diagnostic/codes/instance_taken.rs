//! T0506: instance-taken. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0506", "instance-taken", include_str!("instance_taken.md"));

/// Returns the error for an instance that exists before the session creates it.
pub fn instance_taken(name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("an instance `{name}` exists already"))
        .note("tracec did not change it")
        .help("write another name in `--instance NAME`, or remove the option")
}

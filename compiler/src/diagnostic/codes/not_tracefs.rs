//! T0516: not-tracefs. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0516", "not-tracefs", include_str!("not_tracefs.md"));

/// Returns the error for a directory that was named as a tracefs and is not one.
pub fn not_tracefs(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{path} is not a tracefs")).help(
        "write `--kernel DIR` to check against a copy of a tracefs; a session runs on a mounted tracefs only",
    )
}

/// Returns the error for a directory within a tracefs, whose root may be known.
pub fn within_tracefs(path: &str, root: Option<&str>) -> Diagnostic {
    let help = match root {
        Some(root) => format!("write `--tracefs {root}`"),
        None => "name the directory that tracefs is mounted on".to_owned(),
    };
    Diagnostic::error(&CODE, format!("{path} is a directory in a tracefs, not the root of one")).help(help)
}

//! T0518: unknown-code. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0518", "unknown-code", include_str!("unknown_code.md"));

/// Returns the error for an argument of `tracec explain` that is not a code.
pub fn unknown_code(name: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no diagnostic `{name}`"));
    match nearest {
        [] => diagnostic.help("`tracec explain` lists all of them"),
        near => diagnostic.help(format!("the nearest are {}", near.join(", "))),
    }
}

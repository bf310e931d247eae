//! T0519: nothing-listed. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0519", "nothing-listed", include_str!("nothing_listed.md"));

/// Returns the error for a pattern of `tracec list` that matches nothing.
pub fn nothing_listed(pattern: &str, kernel: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("nothing in {kernel} matches `{pattern}`")).help(
        "a word matches anywhere in a name; a pattern with `*`, `?` or `[..]` must match the whole name",
    )
}

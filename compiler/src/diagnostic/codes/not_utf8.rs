//! T0513: not-utf8. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0513", "not-utf8", include_str!("not_utf8.md"));

/// Returns the error for a source whose first invalid byte is at the offset `at`.
pub fn not_utf8(path: &str, at: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{path} is not UTF-8: invalid byte at offset {at}"))
}

//! T0515: damaged-record. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0515", "damaged-record", include_str!("damaged_record.md"));

/// Raises it.
pub fn damaged_record(reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the trace cannot be read: {reason}"))
}

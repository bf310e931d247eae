//! T0515: damaged-record. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0515", "damaged-record", include_str!("damaged_record.md"));

/// Returns the error for a ring-buffer page, a record or a trace file that cannot be read.
pub fn damaged_record(reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the trace cannot be read: {reason}"))
}

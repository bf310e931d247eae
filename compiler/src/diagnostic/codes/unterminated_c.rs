//! T0034: unterminated-c. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0034", "unterminated-c", include_str!("unterminated_c.md"));

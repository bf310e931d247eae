//! T0006: unterminated-string. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0006", "unterminated-string", include_str!("unterminated_string.md"));

//! T0007: unterminated-comment. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0007", "unterminated-comment", include_str!("unterminated_comment.md"));

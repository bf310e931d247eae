//! T0008: invalid-escape. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0008", "invalid-escape", include_str!("invalid_escape.md"));

//! T0010: number-too-large. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0010", "number-too-large", include_str!("number_too_large.md"));

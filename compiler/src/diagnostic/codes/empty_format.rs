//! T0033: empty-format. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0033", "empty-format", include_str!("empty_format.md"));

//! T0041: not-implemented. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0041", "not-implemented", include_str!("not_implemented.md"));

//! T0011: unknown-unit. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0011", "unknown-unit", include_str!("unknown_unit.md"));

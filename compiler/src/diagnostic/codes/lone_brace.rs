//! T0032: lone-brace. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0032", "lone-brace", include_str!("lone_brace.md"));

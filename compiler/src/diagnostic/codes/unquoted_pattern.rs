//! T0021: unquoted-pattern. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0021", "unquoted-pattern", include_str!("unquoted_pattern.md"));

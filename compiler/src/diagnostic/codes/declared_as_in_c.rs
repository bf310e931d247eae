//! T0035: declared-as-in-c. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0035", "declared-as-in-c", include_str!("declared_as_in_c.md"));

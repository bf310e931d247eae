//! T0132: as-in-kernel. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0132", "as-in-kernel", include_str!("as_in_kernel.md"));

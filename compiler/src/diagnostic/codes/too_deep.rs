//! T0003: too-deep. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0003", "too-deep", include_str!("too_deep.md"));

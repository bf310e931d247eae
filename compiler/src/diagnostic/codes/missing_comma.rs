//! T0036: missing-comma. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0036", "missing-comma", include_str!("missing_comma.md"));

//! T0024: missing-braces. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0024", "missing-braces", include_str!("missing_braces.md"));

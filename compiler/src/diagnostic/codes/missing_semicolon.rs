//! T0015: missing-semicolon. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0015", "missing-semicolon", include_str!("missing_semicolon.md"));

//! T0037: wrong-separator. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0037", "wrong-separator", include_str!("wrong_separator.md"));

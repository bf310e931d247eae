//! T0025: wrong-set. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0025", "wrong-set", include_str!("wrong_set.md"));

//! T0026: negated-set. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0026", "negated-set", include_str!("negated_set.md"));

//! T0030: invalid-cpus. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0030", "invalid-cpus", include_str!("invalid_cpus.md"));

//! T0020: chained-comparison. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0020", "chained-comparison", include_str!("chained_comparison.md"));

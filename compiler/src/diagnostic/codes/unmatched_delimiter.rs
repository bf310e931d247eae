//! T0017: unmatched-delimiter. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0017", "unmatched-delimiter", include_str!("unmatched_delimiter.md"));

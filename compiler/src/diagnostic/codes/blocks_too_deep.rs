//! T0028: blocks-too-deep. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0028", "blocks-too-deep", include_str!("blocks_too_deep.md"));

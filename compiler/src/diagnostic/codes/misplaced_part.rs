//! T0039: misplaced-part. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0039", "misplaced-part", include_str!("misplaced_part.md"));

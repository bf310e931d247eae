//! T0038: repeated-part. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0038", "repeated-part", include_str!("repeated_part.md"));

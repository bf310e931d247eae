//! T0022: reserved-word. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0022", "reserved-word", include_str!("reserved_word.md"));

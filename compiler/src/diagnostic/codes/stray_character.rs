//! T0004: stray-character. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0004", "stray-character", include_str!("stray_character.md"));

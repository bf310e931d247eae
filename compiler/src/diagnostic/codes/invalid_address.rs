//! T0029: invalid-address. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0029", "invalid-address", include_str!("invalid_address.md"));

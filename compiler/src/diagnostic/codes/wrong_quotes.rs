//! T0005: wrong-quotes. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0005", "wrong-quotes", include_str!("wrong_quotes.md"));

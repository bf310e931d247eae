//! T0031: unclosed-placeholder. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0031", "unclosed-placeholder", include_str!("unclosed_placeholder.md"));

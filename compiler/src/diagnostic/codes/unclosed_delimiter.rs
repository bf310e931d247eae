//! T0016: unclosed-delimiter. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0016", "unclosed-delimiter", include_str!("unclosed_delimiter.md"));

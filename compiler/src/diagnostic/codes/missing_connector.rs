//! T0131: missing-connector. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code =
    Code::error("T0131", "missing-connector", include_str!("missing_connector.md"));

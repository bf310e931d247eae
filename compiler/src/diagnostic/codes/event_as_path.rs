//! T0135: event-as-path. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0135", "event-as-path", include_str!("event_as_path.md"));

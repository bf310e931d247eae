//! T0133: event-modifier. The page beside this file says what it means.

use crate::diagnostic::Code;

pub(crate) static CODE: Code = Code::error("T0133", "event-modifier", include_str!("event_modifier.md"));

//! How the records of a session are read.

use serde::{Deserialize, Serialize};

use super::Span;
use crate::condition::ir::Condition;
use crate::format::EventFormat;
use crate::page::PageLayout;

/// What the reader of a session's records needs to know. Nothing of it is needed to apply or to undo the session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The trace clock that the instance runs on.
    pub clock: String,
    /// What is decided when the records are read: the kernel's filters cannot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<HostCondition>,
    /// The layouts of the events that can appear in the buffer.
    pub formats: Vec<EventFormat>,
    /// The layout of a ring-buffer page.
    pub page: PageLayout,
}

/// What the reader of an event's records decides, beside the event's filter in the kernel.
///
/// A record is kept if all conditions of its event hold. They are about raw records: the fields in them are those of
/// the event's layout in [`Reading::formats`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCondition {
    /// The event, `system:name`.
    pub event: String,
    /// What its records must meet. It asks for no context but the CPU.
    pub condition: Condition,
    /// Where it stands.
    pub origin: Span,
}

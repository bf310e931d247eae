//! The data for reading the records of a session.

use serde::{Deserialize, Serialize};

use super::Span;
use crate::condition::ir::Condition;
use crate::format::EventFormat;
use crate::page::PageLayout;

/// The data for reading the records of a session. Applying and undoing the session does not need it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The trace clock of the instance.
    pub clock: String,
    /// The conditions that are evaluated when records are read, because the kernel's filters cannot express them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<HostCondition>,
    /// The layouts of the events that can appear in the buffer.
    pub formats: Vec<EventFormat>,
    /// The layout of a ring-buffer page.
    pub page: PageLayout,
}

/// A condition on an event's records that the reader evaluates, in addition to the event's filter in the kernel.
///
/// A record is kept if all conditions of its event hold. They are evaluated on raw records: their fields are those of
/// the event's layout in [`Reading::formats`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCondition {
    /// The event, `system:name`.
    pub event: String,
    /// The condition. The only context that it may use is the CPU.
    pub condition: Condition,
    /// The span of the condition.
    pub origin: Span,
}

//! The layouts of events, each owned once.

use std::ops::Index;
use std::sync::Arc;

use tracec_kernel::format::EventFormat;

use crate::source::EventLayout;

/// The id of an event in its [`Catalogue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u32);

impl EventId {
    /// Returns its index in the catalogue.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The layouts of the events that a module defines, that its sessions name, and that its probes are attached to. Those
/// of a kernel are shared with the source that remembers them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    events: Vec<Arc<EventLayout>>,
}

impl Catalogue {
    /// Adds an event that is not in it.
    pub fn add(&mut self, layout: impl Into<Arc<EventLayout>>) -> EventId {
        self.events.push(layout.into());
        EventId(self.events.len() as u32 - 1)
    }

    /// Returns every event with its id.
    pub fn iter(&self) -> impl Iterator<Item = (EventId, &Arc<EventLayout>)> {
        self.events.iter().enumerate().map(|(index, layout)| (EventId(index as u32), layout))
    }

    /// Returns an event's layout with its text.
    pub fn layout(&self, id: EventId) -> &Arc<EventLayout> {
        &self.events[id.0 as usize]
    }

    /// Returns the text that an event's layout was read from.
    pub fn text(&self, id: EventId) -> &str {
        &self.events[id.0 as usize].text
    }
}

impl Index<EventId> for Catalogue {
    type Output = EventFormat;

    fn index(&self, id: EventId) -> &EventFormat {
        &self.events[id.0 as usize].format
    }
}

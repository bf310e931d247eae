//! The layouts of events, each owned once.

use std::ops::Index;

use tracec_kernel::format::EventFormat;

/// The id of an event in its [`Catalogue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u32);

/// An event's layout, and the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLayout {
    /// The layout.
    pub format: EventFormat,
    /// The event's `format` file as the kernel prints it: recordings carry it.
    pub text: String,
}

/// The layouts of the events that a module defines, that its sessions name, and that its probes are attached to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    events: Vec<EventLayout>,
}

impl Catalogue {
    /// Adds an event that is not in it.
    pub fn add(&mut self, layout: EventLayout) -> EventId {
        self.events.push(layout);
        EventId(self.events.len() as u32 - 1)
    }

    /// Returns every event with its id.
    pub fn iter(&self) -> impl Iterator<Item = (EventId, &EventLayout)> {
        self.events.iter().enumerate().map(|(index, layout)| (EventId(index as u32), layout))
    }

    /// Returns an event's layout with its text.
    pub fn layout(&self, id: EventId) -> &EventLayout {
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

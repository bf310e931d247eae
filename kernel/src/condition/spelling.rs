//! The names by which an event's filter knows what no record holds.
//!
//! The kernel's filter has the CPU and the task's name as fields, in some spellings ([`generic_fields`]); a field of the
//! event's own with that name hides one (`trace_find_event_field` in kernel/trace/trace_events.c). Static events have
//! `cpu` and `comm` of their own; the fields of probes, and of other events that are made at run time, have any name.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::format::EventFormat;
use crate::tables::generic_fields::{self, Meaning};

/// How the filter of one event spells a generic field; no other target needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spelling(Option<&'static str>);

impl Spelling {
    /// The CPU, at an event that hides none of its names.
    pub const CPU: Spelling = Spelling(Some(generic_fields::CPU));
    /// The task's name, at an event that hides none of its names.
    pub const COMM: Spelling = Spelling(Some(generic_fields::COMM));
    /// At an event that hides all of its names.
    pub const HIDDEN: Spelling = Spelling(None);

    /// That of the generic field with this meaning at an event.
    pub fn at(event: &EventFormat, meaning: Meaning) -> Spelling {
        let known = generic_fields::ALL.iter().filter(|field| field.in_filter && field.meaning == meaning);
        let is_own = |name: &str| event.own_fields().iter().any(|field| field.name == name);
        Spelling(known.map(|field| field.name).find(|name| !is_own(name)))
    }

    /// The name; `None` if fields of the event have all of them.
    pub fn name(self) -> Option<&'static str> {
        self.0
    }
}

/// As the name, or `null`.
impl Serialize for Spelling {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Spelling {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(Spelling::HIDDEN) };
        match generic_fields::find(&name).filter(|field| field.in_filter) {
            Some(field) => Ok(Spelling(Some(field.name))),
            None => Err(D::Error::custom(format_args!("`{name}` is no generic field of filters"))),
        }
    }
}

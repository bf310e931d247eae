//! The event triggers (kernel/trace/trace_events_trigger.c) that the language knows.
//!
//! Those of one event are called from the last that was written to the first (`register_trigger` adds at the head of
//! the list): first the ones that act before the record is written, then those that act behind it, `traceoff` and
//! `stacktrace` (`EVENT_CMD_FL_POST_TRIGGER`).

/// The slot of a trigger at an event: a second trigger for the same slot fails with EEXIST (`event_trigger_callback`,
/// `register_trigger`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// `traceon` and `traceoff`.
    Tracing,
    /// `snapshot`.
    Snapshot,
    /// `stacktrace`.
    Stacktrace,
    /// `enable_event` and `disable_event`: one for each event that they act on.
    Event,
}

/// A trigger command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The command's name.
    pub name: &'static str,
    /// Whether `NAME:N` limits how often it fires.
    pub takes_count: bool,
    /// The kernel option that it depends on.
    pub needs: Option<&'static str>,
    /// The feature of [`super::features`] that shows whether a kernel has it; `None` where every kernel has it.
    pub feature: Option<&'static str>,
    /// The slot that it takes at its event.
    pub slot: Slot,
    /// A description, one line.
    pub doc: &'static str,
}

/// All triggers. An event's `trigger` file lists those that it supports while none is armed.
pub const ALL: &[Trigger] = &[
    Trigger {
        name: "traceon",
        takes_count: true,
        needs: None,
        feature: None,
        slot: Slot::Tracing,
        doc: "go on recording: sets the instance's tracing_on before the event is written",
    },
    Trigger {
        name: "traceoff",
        takes_count: true,
        needs: None,
        feature: None,
        slot: Slot::Tracing,
        doc: "stop recording: clears the instance's tracing_on after the event is written",
    },
    Trigger {
        name: "snapshot",
        takes_count: true,
        needs: Some("CONFIG_TRACER_SNAPSHOT"),
        feature: Some("trigger-snapshot"),
        slot: Slot::Snapshot,
        doc: "swap the instance's buffer with its snapshot",
    },
    Trigger {
        name: "stacktrace",
        takes_count: true,
        needs: Some("CONFIG_STACKTRACE"),
        feature: Some("trigger-stacktrace"),
        slot: Slot::Stacktrace,
        doc: "record the kernel stack behind the event",
    },
    Trigger {
        name: "enable_event",
        takes_count: true,
        needs: None,
        feature: None,
        slot: Slot::Event,
        doc: "record another event from here on",
    },
    Trigger {
        name: "disable_event",
        takes_count: true,
        needs: None,
        feature: None,
        slot: Slot::Event,
        doc: "stop recording another event",
    },
];

impl Trigger {
    /// Returns whether it acts on another event, which its command names: `enable_event:SYSTEM:EVENT`.
    pub fn takes_event(&self) -> bool {
        self.slot == Slot::Event
    }
}

/// Returns the trigger with this name.
pub fn find(name: &str) -> Option<&'static Trigger> {
    ALL.iter().find(|trigger| trigger.name == name)
}

/// Returns the triggers that the text of an event's `trigger` file lists; `None` where triggers are armed, since it
/// shows these then (kernel/trace/trace_events_trigger.c, `trigger_start`, `trigger_show`).
pub fn listed(text: &str) -> Option<impl Iterator<Item = &str>> {
    let list = text.strip_prefix("# Available triggers:")?;
    Some(list.split_whitespace().filter(|word| *word != "#"))
}

/// Returns the names of all triggers.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|trigger| trigger.name)
}

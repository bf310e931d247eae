//! The errors of trigger files: the numbers that a write fails with, and the cause of each
//! (kernel/trace/trace_events_trigger.c: `event_trigger_regex_write`, `event_trigger_parse`, `register_trigger`,
//! `event_enable_trigger_parse`). The kernel gives no message with the numbers, except for a condition.

/// An error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerError {
    /// The name of the number, with an addition that distinguishes errors with the same number.
    pub name: &'static str,
    /// The cause.
    pub cause: &'static str,
}

/// All of them.
pub const ALL: &[TriggerError] = &[
    TriggerError { name: "EEXIST", cause: "the trigger's place at the event is taken" },
    TriggerError { name: "EINVAL, command", cause: "there is no such trigger" },
    TriggerError {
        name: "EINVAL, count",
        cause: "the count is not a number; a count of 0 is accepted, and the trigger never fires",
    },
    TriggerError { name: "EINVAL, no event", cause: "the trigger acts on an event and none is named" },
    TriggerError {
        name: "EINVAL, unknown event",
        cause: "the event that the trigger acts on does not exist",
    },
    TriggerError {
        name: "EINVAL, ENOENT, EPERM, ESRCH, filter",
        cause: "the trigger's condition is refused, with the numbers of the filter's parser",
    },
    TriggerError {
        name: "EBUSY",
        cause: "the module of the event that the trigger acts on is just being removed",
    },
    TriggerError {
        name: "ENODEV",
        cause: "the event itself is gone: its module was removed since the file was opened",
    },
    TriggerError { name: "ENOMEM", cause: "there is no memory for the trigger" },
];

/// Returns the error with this name.
pub fn find(name: &str) -> Option<&'static TriggerError> {
    ALL.iter().find(|error| error.name == name)
}

/// Returns the names of all errors.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|error| error.name)
}

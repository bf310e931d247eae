//! The fields that the kernel's filter knows besides those of the event: `trace_define_generic_fields` in
//! kernel/trace/trace_events.c.

/// What a generic field stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The CPU that runs the tracepoint. Numbers compare; `&` with a number never matches.
    Cpu,
    /// The name of the task that runs (`current->comm`).
    Comm,
    /// The kernel stack; for hist triggers only, a filter on it never matches.
    Stacktrace,
}

/// A field that every event's filter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenericField {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: Meaning,
}

/// The spelling that every kernel knows and no event uses for a field of its own.
pub const CPU: &str = "CPU";
/// The spelling that every kernel knows and no event uses for a field of its own.
pub const COMM: &str = "COMM";

/// All spellings. A field of the event's own with the same name hides it.
pub const ALL: &[GenericField] = &[
    GenericField { name: CPU, meaning: Meaning::Cpu },
    GenericField { name: "cpu", meaning: Meaning::Cpu },
    GenericField { name: "common_cpu", meaning: Meaning::Cpu },
    GenericField { name: COMM, meaning: Meaning::Comm },
    GenericField { name: "comm", meaning: Meaning::Comm },
    GenericField { name: "common_comm", meaning: Meaning::Comm },
    GenericField { name: "stacktrace", meaning: Meaning::Stacktrace },
    GenericField { name: "STACKTRACE", meaning: Meaning::Stacktrace },
    GenericField { name: "common_stacktrace", meaning: Meaning::Stacktrace },
];

/// The generic field with this name.
pub fn find(name: &str) -> Option<&'static GenericField> {
    ALL.iter().find(|field| field.name == name)
}

/// All spellings.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|field| field.name)
}

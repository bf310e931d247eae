//! The fields that the kernel's filter knows besides those of the event: `trace_define_generic_fields` in
//! kernel/trace/trace_events.c.

/// The meaning of a generic field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// The CPU that runs the tracepoint. It can be compared with numbers; `&` with a number never matches.
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
    /// Its meaning.
    pub meaning: Meaning,
    /// Whether the kernel's filter knows this spelling. The others are known only to hist triggers, which compare names
    /// (`parse_field` in kernel/trace/trace_events_hist.c).
    pub in_filter: bool,
}

/// The spelling of the CPU that no static event uses for a field of its own; the arguments of a probe may.
pub const CPU: &str = "CPU";
/// The spelling of the task's name that no static event uses for a field of its own; the arguments of a probe may.
pub const COMM: &str = "COMM";

/// All spellings. A field of the event's own with the same name hides it.
pub const ALL: &[GenericField] = &[
    GenericField { name: CPU, meaning: Meaning::Cpu, in_filter: true },
    GenericField { name: "cpu", meaning: Meaning::Cpu, in_filter: true },
    GenericField { name: "common_cpu", meaning: Meaning::Cpu, in_filter: true },
    GenericField { name: COMM, meaning: Meaning::Comm, in_filter: true },
    GenericField { name: "comm", meaning: Meaning::Comm, in_filter: true },
    GenericField { name: "common_comm", meaning: Meaning::Comm, in_filter: false },
    GenericField { name: "stacktrace", meaning: Meaning::Stacktrace, in_filter: true },
    GenericField { name: "STACKTRACE", meaning: Meaning::Stacktrace, in_filter: true },
    GenericField { name: "common_stacktrace", meaning: Meaning::Stacktrace, in_filter: false },
];

/// Returns the generic field with this name.
pub fn find(name: &str) -> Option<&'static GenericField> {
    ALL.iter().find(|field| field.name == name)
}

/// Returns all spellings.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|field| field.name)
}

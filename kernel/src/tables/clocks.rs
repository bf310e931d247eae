//! The trace clocks: `trace_clocks` in kernel/trace/trace.c and `ARCH_TRACE_CLOCKS`.

use super::bpf_helpers::{Helper, KTIME_GET_BOOT_NS, KTIME_GET_NS, KTIME_GET_TAI_NS};

/// The unit of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockUnit {
    /// Nanoseconds.
    Nanoseconds,
    /// Something else: events, ticks, or cycles of a counter. The kernel prints the plain number (`in_ns` is 0).
    Other,
}

/// A value that `trace_clock` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: ClockUnit,
    /// Whether stamps of different CPUs can be compared.
    pub across_cpus: bool,
    /// The helper by which a BPF program reads it, if there is one.
    pub helper: Option<Helper>,
    /// One line on it.
    pub doc: &'static str,
}

/// All clocks; a kernel's own `trace_clock` file says which of them it has.
///
/// Setting the clock empties the buffer, even if the clock does not change (`tracing_set_clock`).
pub const ALL: &[Clock] = &[
    ns("local", false, "fast, each CPU's own; the default"),
    ns("global", true, "in order across CPUs, slower than local"),
    other("counter", true, "no time: a number that grows with every event"),
    other("uptime", true, "hundredths of a second since boot, in steps of a jiffy"),
    ns("perf", false, "the clock of perf events"),
    Clock { helper: Some(KTIME_GET_NS), ..ns("mono", true, "CLOCK_MONOTONIC, adjusted by NTP") },
    ns("mono_raw", true, "CLOCK_MONOTONIC_RAW, not adjusted"),
    Clock { helper: Some(KTIME_GET_BOOT_NS), ..ns("boot", true, "CLOCK_BOOTTIME, which counts suspend too") },
    Clock { helper: Some(KTIME_GET_TAI_NS), ..ns("tai", true, "CLOCK_TAI, international atomic time") },
    other("x86-tsc", true, "cycles of the x86 time stamp counter"),
    other("ppc-tb", true, "ticks of the PowerPC time base"),
];

const fn ns(name: &'static str, across_cpus: bool, doc: &'static str) -> Clock {
    Clock { name, unit: ClockUnit::Nanoseconds, across_cpus, helper: None, doc }
}

const fn other(name: &'static str, across_cpus: bool, doc: &'static str) -> Clock {
    Clock { name, unit: ClockUnit::Other, across_cpus, helper: None, doc }
}

/// Returns the clock with this name.
pub fn find(name: &str) -> Option<&'static Clock> {
    ALL.iter().find(|clock| clock.name == name)
}

/// Returns the names of all clocks.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|clock| clock.name)
}

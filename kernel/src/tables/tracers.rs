//! The tracers: what `register_tracer` is called with in kernel/trace/ and drivers/.

/// A value that `current_tracer` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracer {
    /// Its name.
    pub name: &'static str,
    /// One line on it.
    pub doc: &'static str,
}

/// All tracers; a kernel's own `available_tracers` file says which of them it has.
pub const ALL: &[Tracer] = &[
    tracer("nop", "none: events alone are recorded; the default"),
    tracer("function", "every call of a function"),
    tracer("function_graph", "every call and return of a function, with its duration"),
    tracer("irqsoff", "the longest time with interrupts off"),
    tracer("preemptoff", "the longest time without preemption"),
    tracer("preemptirqsoff", "the longest time without preemption or with interrupts off"),
    tracer("wakeup", "the longest time from wake-up to running, of the most urgent task"),
    tracer("wakeup_rt", "the same for real-time tasks only"),
    tracer("wakeup_dl", "the same for deadline tasks only"),
    tracer("mmiotrace", "accesses to the memory of devices"),
    tracer("branch", "likely and unlikely branches"),
    tracer("blk", "requests of block devices, as blktrace shows them"),
    tracer("hwlat", "latency of the hardware and firmware"),
    tracer("osnoise", "noise of interrupts and tasks that a busy loop sees"),
    tracer("timerlat", "latency of timers, per CPU"),
];

const fn tracer(name: &'static str, doc: &'static str) -> Tracer {
    Tracer { name, doc }
}

/// Returns the tracer with this name.
pub fn find(name: &str) -> Option<&'static Tracer> {
    ALL.iter().find(|tracer| tracer.name == name)
}

/// Returns the names of all tracers.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|tracer| tracer.name)
}

//! The counters that every perf supports: `enum perf_hw_id` and `enum perf_sw_ids` in include/uapi/linux/perf_event.h,
//! by the names that tools/perf/util/parse-events.c gives them, with `_` for `-`.

/// A counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerfCounter {
    /// Its name.
    pub name: &'static str,
    /// `PERF_TYPE_HARDWARE` is 0, `PERF_TYPE_SOFTWARE` is 1.
    pub kind: u32,
    /// Its `config`.
    pub config: u64,
}

const fn hardware(name: &'static str, config: u64) -> PerfCounter {
    PerfCounter { name, kind: 0, config }
}

const fn software(name: &'static str, config: u64) -> PerfCounter {
    PerfCounter { name, kind: 1, config }
}

/// All counters. The machine decides which of them it supports.
pub const ALL: &[PerfCounter] = &[
    hardware("cpu_cycles", 0),
    hardware("instructions", 1),
    hardware("cache_references", 2),
    hardware("cache_misses", 3),
    hardware("branch_instructions", 4),
    hardware("branch_misses", 5),
    hardware("bus_cycles", 6),
    hardware("stalled_cycles_frontend", 7),
    hardware("stalled_cycles_backend", 8),
    hardware("ref_cycles", 9),
    software("cpu_clock", 0),
    software("task_clock", 1),
    software("page_faults", 2),
    software("context_switches", 3),
    software("cpu_migrations", 4),
    software("minor_faults", 5),
    software("major_faults", 6),
    software("alignment_faults", 7),
    software("emulation_faults", 8),
    software("bpf_output", 10),
    software("cgroup_switches", 11),
];

/// Returns the counter with this name; `-` and `_` are the same.
pub fn find(name: &str) -> Option<&'static PerfCounter> {
    let plain = |c: char| if c == '-' { '_' } else { c };
    ALL.iter().find(|counter| counter.name.chars().eq(name.chars().map(plain)))
}

/// Returns the names of all counters.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|counter| counter.name)
}

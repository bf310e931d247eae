//! The sysctls of tracing that a session may set: `trace_sysctl_table` in kernel/trace/trace.c (kernel/sysctl.c before
//! 6.15).
//!
//! `ftrace_enabled` is not among them: it stops the function tracing, the live patches and the probes of everybody.

/// A file below `/proc/sys/kernel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sysctl {
    /// Its name there.
    pub name: &'static str,
    /// What it does.
    pub effects: &'static str,
}

/// All of them.
pub const ALL: &[Sysctl] = &[
    Sysctl {
        name: "ftrace_dump_on_oops",
        effects: "an oops prints the ring buffers to the console: 1 those of all CPUs, 2 that of its CPU; newer kernels \
                  also take names of instances",
    },
    Sysctl { name: "traceoff_on_warning", effects: "1 stops the top-level recording at a WARN()" },
    Sysctl {
        name: "tracepoint_printk",
        effects: "1 prints the records of the top level to the console; stays 0 unless the kernel was booted with tp_printk",
    },
];

/// The sysctl with this name.
pub fn find(name: &str) -> Option<&'static Sysctl> {
    ALL.iter().find(|sysctl| sysctl.name == name)
}

/// The names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|sysctl| sysctl.name)
}

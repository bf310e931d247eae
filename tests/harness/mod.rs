//! The parts of the live tests.

pub(crate) mod bad_input;
pub(crate) mod bench;
pub(crate) mod cleans;
pub(crate) mod clocks;
pub(crate) mod collects;
pub(crate) mod directives;
pub(crate) mod dumps;
#[expect(unsafe_code, reason = "makes system calls with arguments that libc has no function for")]
pub(crate) mod filters;
pub(crate) mod host;
pub(crate) mod kbuild;
pub(crate) mod kernels;
pub(crate) mod kills;
pub(crate) mod life;
pub(crate) mod modules;
pub(crate) mod moved;
#[expect(unsafe_code, reason = "starts a session in a PID namespace of its own")]
pub(crate) mod own_tasks;
pub(crate) mod peers;
pub(crate) mod points;
#[expect(unsafe_code, reason = "calls bpf(2), for which libc has no function")]
pub(crate) mod programs;
pub(crate) mod recordings;
pub(crate) mod refusals;
pub(crate) mod rotations;
pub(crate) mod scopes;
pub(crate) mod script;
pub(crate) mod signals;
pub(crate) mod snapshots;
pub(crate) mod started;
#[expect(unsafe_code, reason = "traces a process by ptrace(2), for which rustix has no function")]
pub(crate) mod system_calls;
pub(crate) mod tasks;
pub(crate) mod witness;

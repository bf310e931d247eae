//! T0404: no-place. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0404", "no-place", include_str!("no_place.md"));

/// The help where the condition asks for the process id of the task.
pub(crate) const PROCESS_ID: &str =
    "compare `current.pid`, the id of the thread: the first thread of a process has the id of the process";

/// The help where each place can decide a part.
pub(crate) const APART: &str =
    "split the condition with `&&` at the top level: each part then runs where it can be decided";

/// The help where a BPF program could decide it.
pub(crate) const PROGRAM: &str =
    "write `recorder bpf;` in the session, or use `--target bpf`: a program decides it";

/// The help where the kernel's filter could decide it, and a program is the recorder.
pub(crate) const TRACEFS: &str =
    "let tracefs record the event, without `recorder bpf` and `--target bpf`: the kernel's filter decides it";

/// Reports a condition that runs nowhere. `kernel` is the reason of the kernel's filter, `host` that of the host.
pub(crate) fn no_place(span: Span, event: &str, kernel: &str, host: &str, help: &'static str) -> Diagnostic {
    Diagnostic::error(
        &CODE,
        format!("neither the kernel nor the host can decide this condition on `{event}`"),
    )
    .at(span, "cannot be decided")
    .note(format!("not in the kernel: {kernel}"))
    .note(format!("not on the host: {host}"))
    .help(help)
}

//! The errors of loading and attaching programs, and the log of the verifier.

use std::fmt;

use rustix::thread::CapabilitySet;
use tracec_kernel::plan::{Program, Programs};
use tracec_kernel::tables::probe_kinds::{self, ProbeKind};

use crate::failure::Failure;

/// The part that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object as a whole.
    Object,
    /// A program, by its name, that the verifier has refused.
    Program(String),
    /// The attachment of a program to its event.
    Attachment {
        /// The program.
        name: String,
        /// The event, `system:name`.
        event: String,
    },
    /// The ring buffer.
    Ring,
    /// The counts of lost records.
    Counts,
}

/// Programs that could not be loaded or attached. Nothing is left of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadError {
    /// What failed.
    pub(crate) part: Part,
    /// The reason.
    pub(crate) reason: String,
    /// The log of the verifier; empty where it has refused nothing.
    pub(crate) log: Vec<String>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = &self.reason;
        match &self.part {
            Part::Object => write!(f, "the programs cannot be loaded: {reason}"),
            Part::Program(name) => write!(f, "the kernel refuses the program `{name}`: {reason}"),
            Part::Attachment { name, event } => {
                write!(f, "the program `{name}` cannot be attached to `{event}`: {reason}")
            }
            Part::Ring => write!(f, "the ring buffer of the programs cannot be read: {reason}"),
            Part::Counts => write!(f, "the counts of lost records cannot be read: {reason}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl LoadError {
    /// Returns it as the failure of a session with these programs.
    pub(crate) fn failure(self, programs: &Programs) -> Failure {
        let named = match &self.part {
            Part::Program(name) | Part::Attachment { name, .. } => Some(name),
            Part::Object | Part::Ring | Part::Counts => None,
        };
        let program = named.and_then(|name| programs.programs.iter().find(|program| program.name == *name));
        let (origin, reason) = (program.map(|program| program.origin), self.to_string());
        let is_probe = program.is_some_and(|program| !program.is_at_tracepoint());
        Failure::Programs { origin, reason, log: self.log, is_probe }
    }
}

/// What the verifier's log stands between in what libbpf says.
const BEGIN: &str = "-- BEGIN PROG LOAD LOG --";
const END: &str = "-- END PROG LOAD LOG --";

impl LoadError {
    /// Returns the error of loading.
    pub(super) fn of(programs: &Programs, error: &libbpf_rs::Error, said: String) -> LoadError {
        let is_refused = |program: &&Program| {
            ["BPF program load failed", "failed to load", "failed to find"]
                .iter()
                .any(|what| said.contains(&format!("prog '{}': {what}", program.name)))
        };
        let lacks = said.contains("failed to find kernel BTF type ID of");
        let is_untyped = said.contains("kernel BTF is missing");
        let is_typed = |program: &&Program| {
            let kind = program.section.split_once('/').and_then(|(kind, _)| probe_kinds::find(kind));
            is_untyped && kind.is_some_and(ProbeKind::needs_btf)
        };
        let refused = programs.programs.iter().find(|program| is_refused(program) || is_typed(program));
        let part = refused.map_or(Part::Object, |program| Part::Program(program.name.clone()));
        let log = said.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(log, _)| log);
        // Without a log, what libbpf says is the reason.
        let log =
            log.unwrap_or(&said).lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        let reason = match refused.and_then(|program| program.section.split_once('/')).filter(|_| lacks) {
            Some((_, place)) => format!("the kernel's types have nothing that is called `{place}`"),
            None if is_untyped => {
                "the kernel has no BTF, which `tp_btf`, `fentry` and `fexit` need: `raw_tp`, `kprobe` and `kretprobe` do not"
                    .to_owned()
            }
            // With a log the verifier has read it, so that it was allowed to be loaded.
            None if said.contains(BEGIN) => format!("{error:#}, by its verifier"),
            None => reason(error),
        };
        LoadError { part, reason, log }
    }

    /// Returns the error of a system call.
    pub(super) fn of_system(part: Part, error: &libbpf_rs::Error) -> LoadError {
        LoadError { part, reason: reason(error), log: Vec::new() }
    }

    /// Returns it with what libbpf said.
    pub(super) fn with_log(self, said: &str) -> LoadError {
        let log = said.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        LoadError { log, ..self }
    }

    pub(super) fn without_map(name: &str) -> LoadError {
        LoadError { part: Part::Object, reason: format!("it has no map `{name}`"), log: Vec::new() }
    }

    /// Returns the error of so many programs that need more files than the process may open.
    pub(super) fn without_files(programs: u64, needed: u64, most: u64) -> LoadError {
        let reason = format!(
            "{programs} programs need {needed} open files, and the process may have {most} (its limit of open files, \
             `ulimit -Hn`)"
        );
        LoadError { part: Part::Object, reason, log: Vec::new() }
    }

    pub(super) fn without_program(name: &str) -> LoadError {
        LoadError { part: Part::Object, reason: format!("it has no program `{name}`"), log: Vec::new() }
    }

    pub(super) fn without_event(name: &str, event: &str) -> LoadError {
        let part = Part::Attachment { name: name.to_owned(), event: event.to_owned() };
        LoadError { part, reason: "the plan has no layout of the event".to_owned(), log: Vec::new() }
    }
}

/// Returns a clause where the kernel gives tracepoints to CAP_SYS_ADMIN only: Debian's kernels before 6.12 do, with a
/// level of `kernel.perf_event_paranoid` that others do not have.
fn paranoid() -> &'static str {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    match level.ok().and_then(|level| level.trim().parse::<i32>().ok()) {
        Some(level) if level > 2 => {
            ": `kernel.perf_event_paranoid` is above 2, with which some kernels ask for CAP_SYS_ADMIN at tracepoints; \
             probes at `raw_tp` do not need it"
        }
        _ => "",
    }
}

/// Returns the innermost reason of an error, without the operation that failed.
fn reason(error: &libbpf_rs::Error) -> String {
    match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => {
            let needed = CapabilitySet::BPF | CapabilitySet::PERFMON;
            let has_all = rustix::thread::capabilities(None).is_ok_and(|own| own.effective.contains(needed));
            match has_all {
                // Root of a container, or a kernel that is locked down.
                true => format!("{error:#}, although the process has CAP_BPF and CAP_PERFMON{}", paranoid()),
                false => format!("{error:#}: it needs CAP_BPF and CAP_PERFMON"),
            }
        }
        _ => format!("{error:#}"),
    }
}

//! The kinds of probes: Documentation/trace/{kprobetrace,uprobetracer,eprobetrace,fprobetrace}.rst, `enum
//! bpf_attach_type` in include/uapi/linux/bpf.h.

use super::header_fields::{AT_INSTRUCTION, AT_RETURN, HeaderField};

/// The kind of location that follows the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachForm {
    /// A function of the kernel or of a module, also an address inside it.
    FunctionOffset,
    /// A function of the kernel or of a module.
    Function,
    /// A location in a file that programs run.
    Binary,
    /// A static probe that was compiled into a file.
    Usdt,
    /// A trace event.
    Event,
    /// A tracepoint, by its name in the kernel.
    Tracepoint,
    /// A counter of perf.
    Counter,
}

/// The source of a probe's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// The arguments of a call.
    Arguments,
    /// The return value of a call.
    Result,
    /// Both.
    ArgumentsAndResult,
    /// The arguments of a tracepoint.
    TracepointArguments,
    /// The fields of a record.
    Fields,
    /// None.
    Nothing,
}

/// The interface of the kernel that creates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realisation {
    /// As a line of tracefs's `dynamic_events` that begins with this letter.
    Dynamic(char),
    /// As a BPF program of this section.
    Bpf(&'static str),
    /// As uprobes at the locations that notes in the file give.
    Uprobes,
    /// By perf_event_open(2).
    Perf,
}

/// The memory that a plain dereference reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The kernel's.
    Kernel,
    /// The program's.
    User,
}

/// A kind of probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeKind {
    /// Its word.
    pub name: &'static str,
    /// The kind of location that follows the word.
    pub attaches_to: AttachForm,
    /// The source of its values.
    pub values: Values,
    /// The interface of the kernel that creates it.
    pub realisation: Realisation,
    /// The memory that a plain dereference reads.
    pub space: Space,
    /// The fields in the record between the common header and the arguments; see [`ProbeKind::head`].
    head: &'static [HeaderField],
    /// The configuration that a kernel must have.
    pub config: &'static str,
    /// The first release that has it; `None` for a release before 6.1. The kernel at hand is asked, not its release.
    pub since: Option<&'static str>,
    /// The feature of [`super::features`] that shows whether a kernel has it; `None` where no file of tracefs shows it.
    pub feature: Option<&'static str>,
    /// A description, one line.
    pub doc: &'static str,
}

impl ProbeKind {
    /// Returns whether it supports the kernel's fetch arguments.
    pub fn has_fetch(&self) -> bool {
        matches!(self.realisation, Realisation::Dynamic(_))
    }

    /// Returns the fields in the record between the common header and the arguments. A kind that can see a result or
    /// not, such as an fprobe, has those of a kretprobe if it does.
    pub fn head(&self, with_result: bool) -> &'static [HeaderField] {
        let returns = with_result && self.has_fetch() && self.values == Values::ArgumentsAndResult;
        if returns { AT_RETURN } else { self.head }
    }

    /// Returns whether it sees the arguments of a call or tracepoint.
    pub fn has_arguments(&self) -> bool {
        matches!(self.values, Values::Arguments | Values::ArgumentsAndResult | Values::TracepointArguments)
    }

    /// Returns whether the kernel has to describe its types for it (BTF): its verifier knows those of the arguments.
    pub fn needs_btf(&self) -> bool {
        matches!(self.realisation, Realisation::Bpf("tp_btf" | "fentry" | "fexit"))
    }

    /// Returns whether it sees the return value of a call.
    pub fn has_result(&self) -> bool {
        matches!(self.values, Values::Result | Values::ArgumentsAndResult)
    }
}

/// All of them.
pub const ALL: &[ProbeKind] = &[
    ProbeKind {
        name: "kprobe",
        attaches_to: AttachForm::FunctionOffset,
        values: Values::Arguments,
        realisation: Realisation::Dynamic('p'),
        space: Space::Kernel,
        head: AT_INSTRUCTION,
        config: "CONFIG_KPROBE_EVENTS",
        since: None,
        feature: Some("kprobe-events"),
        doc: "where a function of the kernel begins, or an instruction inside it",
    },
    ProbeKind {
        name: "kretprobe",
        attaches_to: AttachForm::Function,
        values: Values::Result,
        realisation: Realisation::Dynamic('r'),
        space: Space::Kernel,
        head: AT_RETURN,
        config: "CONFIG_KPROBE_EVENTS",
        since: None,
        feature: Some("kprobe-events"),
        doc: "where a function of the kernel returns",
    },
    ProbeKind {
        name: "uprobe",
        attaches_to: AttachForm::Binary,
        values: Values::Arguments,
        realisation: Realisation::Dynamic('p'),
        space: Space::User,
        head: AT_INSTRUCTION,
        config: "CONFIG_UPROBE_EVENTS",
        since: None,
        feature: Some("uprobe-events"),
        doc: "an instruction of a program or library",
    },
    ProbeKind {
        name: "uretprobe",
        attaches_to: AttachForm::Binary,
        values: Values::Result,
        realisation: Realisation::Dynamic('r'),
        space: Space::User,
        head: AT_RETURN,
        config: "CONFIG_UPROBE_EVENTS",
        since: None,
        feature: Some("uprobe-events"),
        doc: "where a function of a program or library returns",
    },
    ProbeKind {
        name: "usdt",
        attaches_to: AttachForm::Usdt,
        values: Values::TracepointArguments,
        realisation: Realisation::Uprobes,
        space: Space::User,
        head: AT_INSTRUCTION,
        config: "CONFIG_UPROBE_EVENTS",
        since: None,
        feature: Some("uprobe-events"),
        doc: "a static probe of a program or library",
    },
    ProbeKind {
        name: "event",
        attaches_to: AttachForm::Event,
        values: Values::Fields,
        realisation: Realisation::Dynamic('e'),
        space: Space::Kernel,
        head: &[],
        // Newer kernels have a separate option, CONFIG_EPROBE_EVENTS.
        config: "CONFIG_PROBE_EVENTS",
        since: None,
        feature: Some("eprobe-events"),
        doc: "another event, with fields that follow its pointers",
    },
    ProbeKind {
        name: "fprobe",
        attaches_to: AttachForm::Function,
        values: Values::ArgumentsAndResult,
        realisation: Realisation::Dynamic('f'),
        space: Space::Kernel,
        head: AT_INSTRUCTION,
        config: "CONFIG_FPROBE_EVENTS",
        since: Some("6.5"),
        feature: Some("fprobe-events"),
        doc: "where a function of the kernel begins or, with a result, returns; cheaper than a kprobe",
    },
    ProbeKind {
        name: "tprobe",
        attaches_to: AttachForm::Tracepoint,
        values: Values::TracepointArguments,
        realisation: Realisation::Dynamic('t'),
        space: Space::Kernel,
        head: AT_INSTRUCTION,
        config: "CONFIG_FPROBE_EVENTS",
        since: Some("6.5"),
        feature: Some("tprobe-events"),
        doc: "a tracepoint with its own arguments",
    },
    ProbeKind {
        name: "fentry",
        attaches_to: AttachForm::Function,
        values: Values::Arguments,
        realisation: Realisation::Bpf("fentry"),
        space: Space::Kernel,
        head: &[],
        config: "CONFIG_BPF_SYSCALL",
        since: None,
        feature: None,
        doc: "a BPF program where a function of the kernel begins",
    },
    ProbeKind {
        name: "fexit",
        attaches_to: AttachForm::Function,
        values: Values::ArgumentsAndResult,
        realisation: Realisation::Bpf("fexit"),
        space: Space::Kernel,
        head: &[],
        config: "CONFIG_BPF_SYSCALL",
        since: None,
        feature: None,
        doc: "a BPF program where a function of the kernel returns",
    },
    ProbeKind {
        name: "tp_btf",
        attaches_to: AttachForm::Tracepoint,
        values: Values::TracepointArguments,
        realisation: Realisation::Bpf("tp_btf"),
        space: Space::Kernel,
        head: &[],
        config: "CONFIG_BPF_SYSCALL",
        since: None,
        feature: None,
        doc: "a BPF program on a tracepoint, its arguments typed",
    },
    ProbeKind {
        name: "raw_tp",
        attaches_to: AttachForm::Tracepoint,
        values: Values::TracepointArguments,
        realisation: Realisation::Bpf("raw_tp"),
        space: Space::Kernel,
        head: &[],
        config: "CONFIG_BPF_SYSCALL",
        since: None,
        feature: None,
        doc: "a BPF program on a tracepoint, its arguments as words",
    },
    ProbeKind {
        name: "perf",
        attaches_to: AttachForm::Counter,
        values: Values::Nothing,
        realisation: Realisation::Perf,
        space: Space::Kernel,
        head: &[],
        config: "CONFIG_PERF_EVENTS",
        since: None,
        feature: None,
        doc: "each time a counter of the machine or the kernel has run on by its period",
    },
];

/// Returns the kind with this name.
pub fn find(name: &str) -> Option<&'static ProbeKind> {
    ALL.iter().find(|kind| kind.name == name)
}

/// Returns the names of all kinds.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|kind| kind.name)
}

/// Names of fields that the kernel reserves in a probe's record: `reserved_field_names` in kernel/trace/trace_probe.c.
pub const RESERVED_FIELDS: &[&str] = &[
    "common_type",
    "common_flags",
    "common_preempt_count",
    "common_pid",
    "common_tgid",
    "__probe_ip",
    "__probe_ret_ip",
    "__probe_func",
];

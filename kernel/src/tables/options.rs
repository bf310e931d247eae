//! The trace options: `TRACE_FLAGS` in kernel/trace/trace.h and the flags of each tracer.

/// The scope in which an option acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionScope {
    /// The instance alone.
    Instance,
    /// The top-level buffer, which alone has it (`TOP_LEVEL_TRACE_FLAGS`, kernel/trace/trace.c).
    TopOnly,
    /// More than the instance.
    Shared {
        /// The effect outside the instance.
        why: &'static str,
    },
    /// It belongs to this tracer and can be set while the tracer runs.
    Tracer(&'static str),
}

/// A trace option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOption {
    /// Its name below `options/`.
    pub name: &'static str,
    /// Whether it is on in a new instance, if the top-level flags were not changed: an instance copies them when it is
    /// created (`trace_array_create_systems`).
    pub default: bool,
    /// Its scope.
    pub scope: OptionScope,
    /// The reason why it changes nothing about what is recorded or what is read from the ring; `None` if it does.
    pub idle: Option<&'static str>,
    /// A description, one line.
    pub doc: &'static str,
}

impl TraceOption {
    /// Returns whether it is read by what prints the file `trace`, whatever the tracer.
    pub fn is_shown(&self) -> bool {
        self.idle == Some(SHOWN) || self.name == "printk-msg-only"
    }
}

/// The reason for the options that `print_trace_line` and its callees read (kernel/trace/trace.c, trace_output.c).
const SHOWN: &str = "it changes how the kernel prints the files `trace` and `trace_pipe`, which are not read";

/// The reason for the options of `function` and of the latency tracers.
const TRACERS: &str = "it belongs to tracers, and none runs";

/// The option by which a full ring keeps the newest records.
pub const OVERWRITE: &str = "overwrite";

/// All options. A kernel's release and configuration decide which of them it has: the files in `options/` say.
pub const ALL: &[TraceOption] = &[
    shown("print-parent", true, "show the caller beside each function"),
    shown("sym-offset", false, "show the offset behind a symbol's name"),
    shown("sym-addr", false, "show the address behind a symbol's name"),
    shown("verbose", false, "show flags in full in latency format"),
    shown("raw", false, "show fields as raw numbers"),
    shown("hex", false, "show fields as hexadecimal numbers"),
    shown("bin", false, "show records as raw bytes"),
    idle("block", false, "the kernel does not use it", "unused; once made reading trace_pipe wait"),
    shown("fields", false, "show fields by name instead of the event's own format"),
    TraceOption {
        name: "trace_printk",
        default: false,
        scope: OptionScope::TopOnly,
        idle: None,
        doc: "let trace_printk() write to the buffer",
    },
    shown("annotate", true, "mark where the output of one CPU begins"),
    off("userstacktrace", "record the user stack behind each event"),
    shown("sym-userobj", false, "show user addresses as object and offset"),
    TraceOption {
        name: "printk-msg-only",
        default: false,
        scope: OptionScope::TopOnly,
        idle: None,
        doc: "show only the message of trace_printk() records",
    },
    shown("context-info", true, "show task, CPU and time of each record"),
    shown("latency-format", false, "show the format of the latency tracers"),
    TraceOption {
        name: "record-cmd",
        default: true,
        scope: OptionScope::Shared {
            why: "it switches the recording of task names for the events of all instances",
        },
        idle: None,
        doc: "record the names of tasks that switch",
    },
    shown("record-tgid", false, "record the process of each thread that switches"),
    on(OVERWRITE, "when the buffer is full, drop the oldest records; off: drop the newest"),
    off("disable_on_free", "stop recording when free_buffer is closed"),
    shown("irq-info", true, "show the interrupt and preemption state of each record"),
    on("markers", "let user space write to trace_marker"),
    idle(
        "event-fork",
        false,
        "it adds children to the list `set_event_pid`, which names no task",
        "add the children of the tasks in set_event_pid",
    ),
    TraceOption {
        name: "trace_printk_dest",
        default: false,
        scope: OptionScope::Shared {
            why: "one instance owns it; setting it takes trace_printk() away from another",
        },
        idle: None,
        doc: "let trace_printk() write to this instance",
    },
    TraceOption {
        name: "copy_trace_marker",
        default: false,
        scope: OptionScope::Shared {
            why: "it copies to this instance what is written to the top-level trace_marker",
        },
        idle: None,
        doc: "receive what is written to the top-level trace_marker",
    },
    idle(
        "pause-on-trace",
        false,
        "the file `trace` is not read",
        "stop recording while the trace file is read",
    ),
    shown("hash-ptr", true, "show pointers hashed"),
    idle("function-trace", true, TRACERS, "let latency tracers trace functions"),
    idle("function-fork", false, TRACERS, "add the children of the tasks in set_ftrace_pid"),
    idle("display-graph", false, TRACERS, "let latency tracers trace calls as a graph"),
    off("stacktrace", "record the kernel stack behind each event"),
    off("branch", "trace the likely() and unlikely() branches"),
    tracer("test_nop_accept", false, "nop", "a test option that can be set"),
    tracer("test_nop_refuse", false, "nop", "a test option that always fails with EINVAL"),
    tracer("func_stack_trace", false, "function", "record the stack of each function"),
    tracer("func-no-repeats", false, "function", "count repeated calls in one record"),
    tracer("func-args", false, "function", "record the arguments of functions"),
    tracer("funcgraph-overrun", false, "function_graph", "show calls that the return stack had no room for"),
    tracer("funcgraph-cpu", true, "function_graph", "show the CPU"),
    tracer("funcgraph-overhead", true, "function_graph", "mark long durations"),
    tracer("funcgraph-proc", false, "function_graph", "show the task"),
    tracer("funcgraph-duration", true, "function_graph", "show durations"),
    tracer("funcgraph-abstime", false, "function_graph", "show the time of each line"),
    tracer("funcgraph-irqs", true, "function_graph", "trace in interrupts too"),
    tracer("funcgraph-tail", false, "function_graph", "show the function's name at its end"),
    tracer("funcgraph-retval", false, "function_graph", "show return values"),
    tracer("funcgraph-retval-hex", false, "function_graph", "show return values as hexadecimal numbers"),
    tracer("funcgraph-retaddr", false, "function_graph", "show return addresses"),
    tracer("funcgraph-args", false, "function_graph", "show the arguments of functions"),
    tracer("sleep-time", true, "function_graph", "count the time that a function sleeps"),
    tracer("graph-time", true, "function_graph", "count the time of called functions when profiling"),
    tracer("blk_classic", false, "blk", "show the output of blktrace"),
    tracer("blk_cgroup", false, "blk", "show the cgroup by its id"),
    tracer("blk_cgname", false, "blk", "show the cgroup by its name"),
];

const fn on(name: &'static str, doc: &'static str) -> TraceOption {
    TraceOption { name, default: true, scope: OptionScope::Instance, idle: None, doc }
}

const fn off(name: &'static str, doc: &'static str) -> TraceOption {
    TraceOption { name, default: false, scope: OptionScope::Instance, idle: None, doc }
}

const fn idle(name: &'static str, default: bool, why: &'static str, doc: &'static str) -> TraceOption {
    TraceOption { name, default, scope: OptionScope::Instance, idle: Some(why), doc }
}

const fn shown(name: &'static str, default: bool, doc: &'static str) -> TraceOption {
    idle(name, default, SHOWN, doc)
}

const fn tracer(name: &'static str, default: bool, tracer: &'static str, doc: &'static str) -> TraceOption {
    TraceOption { name, default, scope: OptionScope::Tracer(tracer), idle: None, doc }
}

/// Returns the option with this name.
pub fn find(name: &str) -> Option<&'static TraceOption> {
    ALL.iter().find(|option| option.name == name)
}

/// Returns the option that a word switches off, as it is likely meant: `nooverwrite` of the kernel, `no-overwrite`,
/// `not_overwrite`.
pub fn negated(word: &str) -> Option<&'static TraceOption> {
    let rest = word.strip_prefix("no")?;
    let rests =
        [rest, rest.strip_prefix('t').unwrap_or(rest)].map(|rest| rest.trim_start_matches(['-', '_']));
    rests.iter().find_map(|rest| find(&rest.replace('_', "-")).or_else(|| find(rest)))
}

/// Returns the names of all options.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|option| option.name)
}

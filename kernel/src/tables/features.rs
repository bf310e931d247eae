//! The features of tracing that differ between kernels, and the evidence by which each is detected.
//!
//! Versions are not used: distributions disable features and backport others. A [`Probe`] names the evidence; [`probe`]
//! judges it. A feature whose evidence cannot be read is [`Support::Unknown`], with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a kernel has a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The kernel has it.
    Yes,
    /// The kernel lacks it.
    No,
    /// It is not known, for this reason.
    Unknown(String),
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Support::Yes => f.write_str("yes"),
            Support::No => f.write_str("no"),
            Support::Unknown(reason) => write!(f, "unknown: {reason}"),
        }
    }
}

impl From<bool> for Support {
    fn from(has: bool) -> Self {
        if has { Support::Yes } else { Support::No }
    }
}

/// The evidence that a kernel has a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// A file in the root of tracefs.
    File(&'static str),
    /// A file in the directory of an event.
    EventFile(&'static str),
    /// A directory below `events/`.
    System(&'static str),
    /// A word of `available_tracers`.
    Tracer(&'static str),
    /// A word of `available_tracers` in an instance.
    InstanceTracer(&'static str),
    /// A word of the list that an event's `trigger` file shows while no trigger is armed.
    Trigger(&'static str),
    /// A file below `options/`.
    Option(&'static str),
    /// A part of `README`: the kernel compiles in the lines of the features that it has (`readme_msg` in
    /// kernel/trace/trace.c).
    Readme(&'static str),
    /// A function of the kernel, as its BTF or `/proc/kallsyms` lists them. It is used where no file of tracefs shows
    /// the feature: an attempt would leave a line in the error log of the whole machine.
    Function(&'static str),
    /// A filter that only a kernel with the feature accepts, written to an event of an instance made for it and removed
    /// again: by `kernel save`, and by `run` where nothing else shows the feature. Without that, a symbol that came
    /// with the feature shows that the kernel has it; a missing symbol shows nothing.
    Filter {
        /// The event, `system:name`.
        event: &'static str,
        /// The filter.
        text: &'static str,
        /// Functions and enumerators of kernel/trace/trace_events_filter.c, each of which exists only in kernels with
        /// the feature.
        named: &'static [&'static str],
    },
    /// A record that only a kernel with the feature lets pass: the filter is written to `task:task_rename` in an
    /// instance made for it, a thread is renamed, and the instance is read: by `kernel save`, and by `run` where a
    /// condition depends on it.
    Rename {
        /// The filter.
        text: &'static str,
        /// The name, of at most 15 bytes.
        name: &'static str,
    },
}

impl Probe {
    /// Returns whether a filter has to be written to detect it.
    pub fn is_of_filters(&self) -> bool {
        matches!(self, Probe::Filter { .. } | Probe::Rename { .. })
    }
}

/// A feature that not every kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// The evidence.
    pub probe: Probe,
    /// A description, one line.
    pub doc: &'static str,
}

const fn feature(name: &'static str, probe: Probe, doc: &'static str) -> Feature {
    Feature { name, probe, doc }
}

/// All of them.
pub const ALL: &[Feature] = &[
    // kernel/trace/trace_events_hist.c, trace_events_synth.c
    feature("hist", Probe::Trigger("hist"), "hist triggers (CONFIG_HIST_TRIGGERS)"),
    feature("hist-debug", Probe::EventFile("hist_debug"), "a hist trigger's inner state can be read"),
    feature(
        "hist-common-stacktrace",
        Probe::Readme("'common_stacktrace'"),
        "the hist field `common_stacktrace`",
    ),
    feature("hist-nohitcount", Probe::Readme("[:nohitcount]"), "hist tables without the column `hitcount`"),
    feature("hist-buckets", Probe::Readme(".buckets=size"), "the hist modifier `.buckets=N`"),
    feature("hist-percent", Probe::Readme(".percent "), "the hist modifiers `.percent` and `.graph`"),
    feature("hist-onmatch", Probe::Readme("onmatch(matching.event)"), "the hist handler `onmatch`"),
    feature("hist-onmax", Probe::Readme("onmax(var)"), "the hist handler `onmax`"),
    feature("hist-onchange", Probe::Readme("onchange(var)"), "the hist handler `onchange`"),
    feature("hist-snapshot", Probe::Readme("snapshot()  "), "the hist action `snapshot()`"),
    feature("synthetic-events", Probe::File("synthetic_events"), "events made of hist variables"),
    feature("synthetic-stack", Probe::Readme("long[] stack"), "synthetic events with a stack trace"),
    // kernel/trace/trace_kprobe.c, trace_uprobe.c, trace_eprobe.c, trace_fprobe.c, trace_events_user.c
    feature("dynamic-events", Probe::File("dynamic_events"), "events that are defined by writing them"),
    feature("kprobe-events", Probe::File("kprobe_events"), "events at an instruction of the kernel"),
    feature("uprobe-events", Probe::File("uprobe_events"), "events at an instruction of a program"),
    // README mentions these on every kernel with probe events, whether it has them or not.
    feature("eprobe-events", Probe::Function("__trace_eprobe_create"), "events made of other events"),
    feature(
        "fprobe-events",
        Probe::Readme("f[:[<group>/][<event>]]"),
        "events at entry and exit of a function",
    ),
    feature("tprobe-events", Probe::Readme("t[:[<group>/][<event>]]"), "events at a raw tracepoint"),
    feature(
        "probe-btf-args",
        Probe::Readme("<argname>[->field"),
        "probe arguments by their name in the source",
    ),
    // kernel/trace/trace_probe.c, `probe_fetch_types` and `parse_probe_vars`
    feature("fetch-char", Probe::Readme("x8/16/32/64, char,"), "probe fields of the type `char`"),
    feature(
        "fetch-file-name",
        Probe::Readme("%pd/%pD"),
        "probe fields of the types `%pd` and `%pD`, names of files",
    ),
    feature(
        "return-probe-args",
        Probe::Readme("kernel return probes support: $retval, $arg<N>"),
        "the arguments of a call, `$argN`, where it returns",
    ),
    feature("user-events", Probe::File("user_events_data"), "events that programs define and write"),
    // kernel/trace/trace_events_filter.c
    feature(
        "filter-ustring",
        Probe::Filter {
            event: "syscalls:sys_enter_openat",
            text: "filename.ustring == \"x\"",
            named: &["filter_pred_pchar_user", "FILTER_PRED_FN_PCHAR_USER"],
        },
        "filters that follow a pointer to user memory",
    ),
    feature(
        "filter-function",
        Probe::Filter {
            event: "kmem:kmalloc",
            text: "call_site.function == schedule",
            named: &["FILTER_PRED_FN_FUNCTION"],
        },
        "filters that compare an address with a function",
    ),
    feature(
        "filter-cpus",
        Probe::Filter {
            event: "sched:sched_switch",
            text: "CPU == CPUS{0}",
            named: &["FILTER_PRED_FN_CPU_CPUMASK"],
        },
        "filters with a list of CPUs, `CPUS{0-3}`",
    ),
    feature(
        "filter-stacktrace",
        Probe::Filter { event: "sched:sched_switch", text: "STACKTRACE == 1", named: &["FILTER_STACKTRACE"] },
        "filters may name the generic field `STACKTRACE`, though it never matches",
    ),
    feature(
        "filter-dangling-connector",
        Probe::Filter { event: "sched:sched_switch", text: "common_pid == 1 &&", named: &[] },
        "filters may end in `&&` or `||`, which is passed over",
    ),
    feature(
        "filter-class-takes-nul",
        Probe::Rename { text: "newcomm ~ \"tracec.glob[!x]*\"", name: "tracec.glob" },
        "an inverted class of a filter's glob takes the end of the text for a byte",
    ),
    // The patch that limits globs added the function, and came with the patch that limits the exact comparison.
    feature(
        "filter-bounded-text",
        Probe::Function("glob_match_len"),
        "filters compare text within its field, whether it ends in a NUL or not",
    ),
    // kernel/trace/trace_events_trigger.c, trace_events_inject.c
    feature("trigger-stacktrace", Probe::Trigger("stacktrace"), "the trigger `stacktrace`"),
    feature("trigger-snapshot", Probe::Trigger("snapshot"), "the trigger `snapshot`"),
    feature("event-injection", Probe::EventFile("inject"), "records can be written by hand (`inject`)"),
    feature(
        "syscall-events",
        Probe::System("syscalls"),
        "one event per system call (CONFIG_FTRACE_SYSCALLS)",
    ),
    feature(
        "module-events",
        Probe::Readme("Can enable module events"),
        "`set_event` selects a module's events",
    ),
    // kernel/trace/trace.c
    feature("snapshot", Probe::File("snapshot"), "a second buffer to swap with (CONFIG_TRACER_SNAPSHOT)"),
    feature("subbuffer-size", Probe::File("buffer_subbuf_size_kb"), "the size of a sub-buffer can be set"),
    feature(
        "trace-printk-dest",
        Probe::Option("trace_printk_dest"),
        "trace_printk() can write to an instance",
    ),
    feature("copy-trace-marker", Probe::Option("copy_trace_marker"), "markers are copied to an instance"),
    feature("max-latency", Probe::File("tracing_max_latency"), "tracers that keep the worst case"),
    feature("eval-map", Probe::File("eval_map"), "names of enum values can be read"),
    // kernel/trace/ftrace.c, fgraph.c, trace_stack.c
    feature("function-filter", Probe::File("set_ftrace_filter"), "the function tracer can be narrowed"),
    feature(
        "function-profile",
        Probe::File("function_profile_enabled"),
        "hits and times of functions are counted",
    ),
    feature("stack-tracer", Probe::File("stack_trace"), "the deepest kernel stack is kept"),
    feature(
        "touched-functions",
        Probe::File("touched_functions"),
        "functions that were ever traced are listed",
    ),
    feature("func-args", Probe::Option("func-args"), "the function tracer shows arguments"),
    feature("funcgraph-args", Probe::Option("funcgraph-args"), "function_graph shows arguments"),
    feature("funcgraph-retval", Probe::Option("funcgraph-retval"), "function_graph shows return values"),
    feature("funcgraph-retaddr", Probe::Option("funcgraph-retaddr"), "function_graph shows return addresses"),
    feature("function-tracer", Probe::Tracer("function"), "the tracer `function`"),
    feature("function-graph-tracer", Probe::Tracer("function_graph"), "the tracer `function_graph`"),
    feature(
        "function-graph-instances",
        Probe::InstanceTracer("function_graph"),
        "the tracer `function_graph` in instances",
    ),
    // kernel/trace/trace_irqsoff.c, trace_sched_wakeup.c, trace_hwlat.c, trace_osnoise.c, trace_mmiotrace.c
    feature("irqsoff-tracer", Probe::Tracer("irqsoff"), "the tracer `irqsoff`"),
    feature("preemptoff-tracer", Probe::Tracer("preemptoff"), "the tracer `preemptoff`"),
    feature("wakeup-tracer", Probe::Tracer("wakeup"), "the tracers `wakeup`, `wakeup_rt`, `wakeup_dl`"),
    feature("hwlat-tracer", Probe::Tracer("hwlat"), "the tracer `hwlat`"),
    feature("osnoise-tracer", Probe::Tracer("osnoise"), "the tracer `osnoise`"),
    feature("timerlat-tracer", Probe::Tracer("timerlat"), "the tracer `timerlat`"),
    feature("blk-tracer", Probe::Tracer("blk"), "the tracer `blk`"),
    feature("mmio-tracer", Probe::Tracer("mmiotrace"), "the tracer `mmiotrace`"),
];

/// Returns the feature with this name.
pub fn find(name: &str) -> Option<&'static Feature> {
    ALL.iter().find(|feature| feature.name == name)
}

/// Returns the names of all features.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|feature| feature.name)
}

/// The content of one part of a kernel, or the reason why it is not known.
pub type Found<T> = Result<T, String>;

/// The evidence for the probes.
///
/// `Err` is the reason why a part could not be read: then the features that it would show are unknown.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The names in the root of tracefs.
    pub files: Found<BTreeSet<String>>,
    /// The names in the directories of events.
    pub event_files: Found<BTreeSet<String>>,
    /// The directories below `events/`.
    pub systems: Found<BTreeSet<String>>,
    /// The words of `available_tracers`.
    pub tracers: Found<BTreeSet<String>>,
    /// The words of `available_tracers` in an instance.
    pub instance_tracers: Found<BTreeSet<String>>,
    /// The triggers that an event offers.
    pub triggers: Found<BTreeSet<String>>,
    /// The names below `options/`.
    pub options: Found<BTreeSet<String>>,
    /// The text of `README`.
    pub readme: Found<String>,
    /// Those of the names of [`symbols`] that are functions of the kernel.
    pub functions: Found<BTreeSet<String>>,
    /// Those of the names of [`symbols`] that the kernel's BTF has, as functions or enumerators.
    pub btf: Found<BTreeSet<String>>,
    /// For each feature by name, whether its filter was accepted, or let the record pass.
    pub filters: BTreeMap<String, Found<bool>>,
}

impl Evidence {
    /// Returns evidence in which nothing is known, for this reason.
    pub fn none(reason: &str) -> Self {
        let nothing = || Err(reason.to_owned());
        Evidence {
            files: nothing(),
            event_files: nothing(),
            systems: nothing(),
            tracers: nothing(),
            instance_tracers: nothing(),
            triggers: nothing(),
            options: nothing(),
            readme: Err(reason.to_owned()),
            functions: nothing(),
            btf: nothing(),
            filters: BTreeMap::new(),
        }
    }
}

/// Returns the functions and enumerators that probes look for.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    ALL.iter()
        .flat_map(|feature| match &feature.probe {
            Probe::Function(name) => std::slice::from_ref(name),
            Probe::Filter { named, .. } => named,
            _ => &[],
        })
        .copied()
}

/// Judges a feature by the evidence.
pub fn probe(feature: &Feature, evidence: &Evidence) -> Support {
    let word = |words: &Found<BTreeSet<String>>, word: &str| match words {
        Ok(words) => words.contains(word).into(),
        Err(reason) => Support::Unknown(reason.clone()),
    };
    match feature.probe {
        Probe::File(name) => word(&evidence.files, name),
        Probe::EventFile(name) => word(&evidence.event_files, name),
        Probe::System(name) => word(&evidence.systems, name),
        Probe::Tracer(name) => word(&evidence.tracers, name),
        Probe::InstanceTracer(name) => word(&evidence.instance_tracers, name),
        Probe::Trigger(name) => word(&evidence.triggers, name),
        Probe::Option(name) => word(&evidence.options, name),
        // The list of functions is long: it is not searched if the BTF has the function.
        Probe::Function(name) if evidence.btf.as_ref().is_ok_and(|btf| btf.contains(name)) => Support::Yes,
        Probe::Function(name) => word(&evidence.functions, name),
        Probe::Readme(part) => match &evidence.readme {
            Ok(text) => text.contains(part).into(),
            Err(reason) => Support::Unknown(reason.clone()),
        },
        Probe::Filter { named, .. } => tried(feature, named, evidence),
        Probe::Rename { .. } => tried(feature, &[], evidence),
    }
}

/// Judges by a filter that was written, otherwise by symbols.
fn tried(feature: &Feature, named: &[&str], evidence: &Evidence) -> Support {
    let lists = [&evidence.functions, &evidence.btf];
    let is_there =
        |name: &&str| lists.iter().any(|list| list.as_ref().is_ok_and(|list| list.contains(*name)));
    match evidence.filters.get(feature.name) {
        Some(Ok(taken)) => (*taken).into(),
        _ if named.iter().any(is_there) => Support::Yes,
        Some(Err(reason)) => Support::Unknown(reason.clone()),
        None => Support::Unknown(NOT_TRIED.to_owned()),
    }
}

/// The reason why a feature of filters is unknown where nothing may be written.
pub const NOT_TRIED: &str = "only writing a filter would show it, and nothing is written here";

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Found<BTreeSet<String>> {
        Ok(words.iter().map(|&word| word.to_owned()).collect())
    }

    fn judged(name: &str, evidence: &Evidence) -> Support {
        probe(find(name).unwrap(), evidence)
    }

    #[test]
    fn nothing_known_is_never_a_no() {
        let evidence = Evidence::none("no permission");
        for feature in ALL {
            assert!(matches!(probe(feature, &evidence), Support::Unknown(_)), "{}", feature.name);
        }
    }

    #[test]
    fn each_kind_of_evidence_is_looked_at() {
        let mut evidence = Evidence {
            files: words(&["snapshot"]),
            event_files: words(&["inject"]),
            systems: words(&["sched"]),
            tracers: words(&["function_graph", "nop"]),
            instance_tracers: words(&["nop"]),
            triggers: words(&["hist"]),
            options: words(&["func-args"]),
            readme: Ok("  f[:[<group>/][<event>]] <func-name>[%return]".to_owned()),
            functions: words(&["__trace_eprobe_create"]),
            btf: words(&["FILTER_PRED_FN_CPU_CPUMASK", "glob_match_len"]),
            filters: BTreeMap::new(),
        };
        for name in [
            "snapshot",
            "event-injection",
            "function-graph-tracer",
            "hist",
            "func-args",
            "fprobe-events",
            "eprobe-events",
            "filter-bounded-text",
        ] {
            assert_eq!(judged(name, &evidence), Support::Yes, "{name}");
        }
        for name in [
            "user-events",
            "hist-debug",
            "syscall-events",
            "hwlat-tracer",
            "function-graph-instances",
            "trigger-snapshot",
            "copy-trace-marker",
            "tprobe-events",
        ] {
            assert_eq!(judged(name, &evidence), Support::No, "{name}");
        }
        // A symbol shows that a filter would be accepted. A missing symbol does not show the contrary, and a filter
        // that was written takes precedence over a symbol.
        assert_eq!(judged("filter-cpus", &evidence), Support::Yes);
        assert_eq!(judged("filter-function", &evidence), Support::Unknown(NOT_TRIED.to_owned()));
        evidence.filters.insert("filter-cpus".to_owned(), Ok(false));
        evidence.filters.insert("filter-function".to_owned(), Err("no event kmem:kmalloc".to_owned()));
        assert_eq!(judged("filter-cpus", &evidence), Support::No);
        assert_eq!(judged("filter-function", &evidence), Support::Unknown("no event kmem:kmalloc".into()));
    }
}

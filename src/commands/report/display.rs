//! The trace options of `report --option`: those that change the lines of the kernel.

use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::options;
use tracec_runtime::sink::{Display, Latency, TraceCmdDisplay};

use crate::commands::Failure;

/// Options of `trace_options` that change what the kernel prints, and that have no effect on a report: why, and what
/// serves instead.
const REFUSED: &[(&str, &str)] = &[
    ("raw", "use `--fields` for the fields of records"),
    ("hex", "use `--fields` for the fields of records"),
    ("bin", "use `--json` for programs"),
    ("fields", "use `--fields`"),
    ("annotate", "it marks where the kernel's own reading of a CPU begins"),
    ("sym-userobj", "it takes the memory maps of tasks, which a recording does not have"),
    ("record-tgid", "a recording does not have the processes of threads"),
    ("record-cmd", "the names of tasks are those that were recorded"),
    ("funcgraph-irqs", "calls in interrupts are shown where they were recorded"),
    ("funcgraph-args", "the arguments of calls are shown where they were recorded"),
    ("func-args", "the arguments of functions are shown where they were recorded"),
    ("blk_cgroup", "the cgroups of requests are shown where they were recorded"),
    ("blk_cgname", "the names of cgroups are not recorded"),
    ("hash-ptr", "the secret that addresses are hashed by is not recorded"),
];

/// Sets what options ask for, the last one where two contradict.
pub(super) fn display(mut display: Display, names: &[String]) -> Result<Display, Failure> {
    let mut is_verbose = false;
    for name in names {
        let known = |name: &str| options::ALL.iter().any(|option| option.name == name);
        let (option, value) = match name.strip_prefix("no") {
            Some(option) if !known(name) => (option, false),
            _ => (name.as_str(), true),
        };
        match option {
            "sym-offset" => display.style.symbol_offsets = value,
            "sym-addr" => display.style.symbol_addresses = value,
            "print-parent" => display.style.parents = value,
            "context-info" => display.context = value,
            "irq-info" => display.flags = value,
            "latency-format" => display.latency = value.then(Latency::default),
            "verbose" => is_verbose = value,
            "blk_classic" => {
                // As in the kernel, which then has no context in front of other records either (`blk_tracer_set_flag`).
                display.style.classic_requests = value;
                display.context = !value;
            }
            "printk-msg-only" => display.messages_only = value,
            "funcgraph-abstime" => display.calls.time = value,
            "funcgraph-cpu" => display.calls.cpu = value,
            "funcgraph-proc" => display.calls.task = value,
            "funcgraph-duration" => display.style.calls.durations = value,
            "funcgraph-overhead" => display.style.calls.marks = value,
            "funcgraph-tail" => display.style.calls.tails = value,
            "funcgraph-retval" => display.style.calls.values = value,
            "funcgraph-retval-hex" => display.style.calls.hexadecimal = value,
            "funcgraph-overrun" => display.style.calls.overruns = value,
            "funcgraph-retaddr" => display.style.calls.callers = value,
            option => return Err(refused(option, known(option))),
        }
    }
    display.style.named_actions = is_verbose;
    match &mut display.latency {
        Some(latency) => latency.verbose = is_verbose,
        None if is_verbose && !display.style.classic_requests => {
            let why = "it is about the latency format: add `--option latency-format`, or `blk_classic` for requests";
            return Err(Failure::Usage(format!("`--option verbose` changes nothing here: {why}")));
        }
        None => {}
    }
    Ok(display)
}

/// The options of trace-cmd that are options of its layouts.
const OF_TRACE_CMD: [&str; 4] = ["latency-format", "indent", "parent", "offset"];

/// Sets what options of trace-cmd ask for: `-l`, and those of its plugin for functions.
pub(super) fn trace_cmd(mut display: TraceCmdDisplay, names: &[String]) -> Result<TraceCmdDisplay, Failure> {
    for name in names {
        let (option, value) = match name.strip_prefix("no") {
            Some(option) => (option, false),
            None => (name.as_str(), true),
        };
        match option {
            "latency-format" => display.latency = value,
            "indent" => display.indent = value,
            "parent" => display.parent = value,
            "offset" => display.offset = value,
            _ => {
                let all = OF_TRACE_CMD.map(|name| format!("`{name}`")).join(", ");
                return Err(Failure::Usage(format!(
                    "`--option {name}` changes nothing in a layout of trace-cmd; there are {all}"
                )));
            }
        }
    }
    Ok(display)
}

fn refused(option: &str, is_known: bool) -> Failure {
    let reason = match REFUSED.iter().find(|(name, _)| *name == option) {
        Some((_, why)) => format!("`--option {option}` changes nothing here: {why}"),
        None if is_known => format!("`--option {option}` changes nothing here: it is about recording"),
        None => {
            let near = nearest(option, options::ALL.iter().map(|option| option.name), 1);
            let help = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("the kernel has no trace option `{option}`{help}")
        }
    };
    Failure::Usage(reason)
}

#[cfg(test)]
mod tests {
    use tracec_kernel::tables::options::{OptionScope, TraceOption};

    use super::*;

    fn of(names: &[&str]) -> Result<Display, String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        display(Display::default(), &names).map_err(|failure| match failure {
            Failure::Usage(text) => text,
            _ => "another failure".to_owned(),
        })
    }

    #[test]
    fn options_of_the_kernel_change_the_lines() {
        let display = of(&["sym-offset", "noirq-info", "noprint-parent", "sym-addr", "nosym-addr"]).unwrap();
        assert!(display.style.symbol_offsets && !display.style.symbol_addresses && !display.style.parents);
        assert!(display.context && !display.flags);
        let latency = |names: &[&str]| of(names).unwrap().latency;
        assert_eq!(latency(&["latency-format"]), Some(Latency::default()));
        let verbose = Some(Latency { verbose: true, ..Latency::default() });
        assert_eq!(latency(&["verbose", "latency-format"]), verbose);
        assert_eq!(latency(&["latency-format", "nolatency-format"]), None);
        assert_eq!(of(&[]).unwrap(), Display::default());
    }

    #[test]
    fn options_of_trace_cmd_change_its_lines() {
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            trace_cmd(TraceCmdDisplay::new(false), &names)
        };
        let Ok(display) = of(&OF_TRACE_CMD) else { panic!("refused") };
        assert!(display.latency && display.indent && display.parent && display.offset);
        let Ok(display) = of(&["noindent", "parent", "noparent"]) else { panic!("refused") };
        assert_eq!(display, TraceCmdDisplay { indent: false, ..TraceCmdDisplay::new(false) });
        assert!(of(&["sym-addr"]).is_err());
    }

    #[test]
    fn other_options_are_refused_with_a_reason() {
        for (name, reason) in [
            ("raw", "--fields"),
            ("overwrite", "it is about recording"),
            ("sym-ofset", "did you mean `sym-offset`?"),
            ("nohash-ptr", "secret"),
            ("verbose", "add `--option latency-format`, or `blk_classic`"),
            ("func-no-repeats", "it is about recording"),
        ] {
            let said = of(&[name]).unwrap_err();
            assert!(said.contains(reason), "{name}: {said}");
        }
    }

    #[test]
    fn options_that_change_what_the_kernel_prints_are_set_or_have_a_reason() {
        let printed = |option: &TraceOption| match option.scope {
            OptionScope::Tracer(tracer) => {
                // Those of the others, and these two, change what is recorded.
                matches!(tracer, "function_graph" | "blk")
                    && !matches!(option.name, "sleep-time" | "graph-time")
            }
            _ => option.is_shown(),
        };
        for option in options::ALL.iter().filter(|option| printed(option)) {
            let name = option.name;
            let both = [name.to_owned(), format!("no{name}")];
            let set = both.each_ref().map(|name| of(&["latency-format", name]));
            if let [Ok(on), Ok(off)] = &set {
                assert_ne!(on, off, "{name}");
            } else {
                for said in set {
                    let said = said.unwrap_err();
                    assert!(said.contains("here: ") && !said.contains("about recording"), "{said}");
                }
            }
        }
    }

    #[test]
    fn refused_options_are_options_of_the_kernel() {
        for (name, _) in REFUSED {
            assert!(options::ALL.iter().any(|option| option.name == *name), "{name}");
        }
    }
}

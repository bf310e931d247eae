//! Files of tracefs that are written and read by hand, and the clauses that do the same.
//!
//! The files and their syntax are those of Documentation/trace/ftrace.rst and Documentation/trace/events.rst.

use tracec_kernel::tables::options;

use super::condition::{self, SWITCHES};
use super::program;
use super::translation::{Traced, Translation, written};

/// A file that is written.
struct File {
    /// Its path below tracefs: `SYSTEM`, `EVENT` and `NAME` stand for any.
    path: &'static str,
    becomes: Becomes,
}

/// What a write becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    /// The recording of the events of the path.
    Enable,
    /// The filter of the event, or of all events of the system with its fields.
    Filter,
    /// A trigger.
    Trigger,
    /// Events by their names.
    Events,
    /// The size of the buffer in KiB; what it is the size of.
    Buffer(&'static str),
    /// The clock.
    Clock,
    /// An option, whose name is in the path.
    Option,
    /// An option, whose name is the text.
    Options,
    /// Recording is switched on or off.
    Recording,
    /// A condition on the ids of tasks.
    Tasks,
    /// A definition of an event.
    Probe,
    /// Nothing: it sets a tracer, which is not implemented yet.
    Tracer,
    /// Nothing, for this reason.
    LeftOut(&'static str),
}

use Becomes::{
    Buffer, Clock, Enable, Events, Filter, LeftOut, Option as OneOption, Options, Probe, Recording, Tasks,
    Tracer, Trigger,
};

const FILES: &[File] = &[
    File { path: "events/SYSTEM/EVENT/enable", becomes: Enable },
    File { path: "events/SYSTEM/enable", becomes: Enable },
    File { path: "events/enable", becomes: Enable },
    File { path: "events/SYSTEM/EVENT/filter", becomes: Filter },
    File { path: "events/SYSTEM/filter", becomes: Filter },
    File {
        path: "events/filter",
        becomes: LeftOut("the kernel has no such file: a filter is one of an event, or of a system"),
    },
    File { path: "events/SYSTEM/EVENT/trigger", becomes: Trigger },
    File { path: "set_event", becomes: Events },
    File { path: "set_event_pid", becomes: Tasks },
    File { path: "buffer_size_kb", becomes: Buffer("per cpu") },
    File { path: "buffer_total_size_kb", becomes: Buffer("total") },
    File { path: "trace_clock", becomes: Clock },
    File { path: "options/NAME", becomes: OneOption },
    File { path: "trace_options", becomes: Options },
    File { path: "tracing_on", becomes: Recording },
    File { path: "kprobe_events", becomes: Probe },
    File { path: "uprobe_events", becomes: Probe },
    File { path: "dynamic_events", becomes: Probe },
    File { path: "synthetic_events", becomes: LeftOut("synthetic events are not implemented yet") },
    File { path: "current_tracer", becomes: Tracer },
    File { path: "set_ftrace_filter", becomes: Tracer },
    File { path: "set_ftrace_notrace", becomes: Tracer },
    File { path: "set_ftrace_pid", becomes: Tracer },
    File { path: "set_graph_function", becomes: Tracer },
    File { path: "max_graph_depth", becomes: Tracer },
    File { path: "tracing_thresh", becomes: Tracer },
    File { path: "tracing_max_latency", becomes: Tracer },
    File { path: "function_profile_enabled", becomes: Tracer },
    File {
        path: "snapshot",
        becomes: LeftOut("`tracec snapshot` writes what the ring of a started session holds"),
    },
    File {
        path: "tracing_cpumask",
        becomes: LeftOut("it is a mask; `if current.cpu == 0` is a condition on a CPU"),
    },
    File {
        path: "trace",
        becomes: LeftOut("each session has a buffer of its own, which is empty at its start"),
    },
    File {
        path: "trace_marker",
        becomes: LeftOut("`marker \"TEXT\";` writes a text into the record at the start"),
    },
];

/// Files that are read, with the command that shows the same.
const READ: &[(&str, &str)] = &[
    ("trace", PIPE),
    ("trace_pipe", PIPE),
    ("available_events", "`tracec list` shows the events"),
    ("set_event", "`tracec list` shows the events"),
    ("available_tracers", "`tracec list --kind tracers` shows the tracers"),
    ("available_filter_functions", "`tracec list --kind functions` shows the functions"),
    ("trace_clock", "`tracec list --kind clocks` shows the clocks"),
    ("trace_options", "`tracec list --kind options` shows the options"),
    ("events/SYSTEM/EVENT/format", "`tracec list SYSTEM:EVENT -v` shows the fields of an event"),
];

const PIPE: &str = "`tracec run -e SYSTEM:EVENT` prints the records as they come";

/// Translates a write of `text` to a file.
pub(super) fn write(path: &str, text: &str, translation: &mut Translation) {
    let what = format!("the write to `{}`", path.replace('`', ""));
    let found = FILES.iter().find_map(|file| Some((file.becomes, names(file.path, path)?)));
    let Some((becomes, names)) = found else {
        return translation.leave_out(&what, "a session writes what it needs to tracefs, and undoes it");
    };
    let event = match names.as_slice() {
        [system, event] => format!("{system}:{event}"),
        [system] => format!("{system}:*"),
        _ => "*:*".to_owned(),
    };
    match becomes {
        Enable if text == "0" => {
            translation.leave_out(&what, "a session records no event that it does not name");
            if let [system, name] = names.as_slice() {
                translation.advise(format!(
                    "write `{system}:* except {system}:{name}` to record the others of its system"
                ));
            }
        }
        Enable => translation.record(&event),
        Filter if text == "0" => translation.record(&event),
        Filter => filter(&what, &event, text, names.len() == 1, translation),
        Trigger => match trigger(text) {
            Ok(trigger) => translation.trigger(&event, trigger),
            Err(why) => {
                translation.leave_out(&format!("`{}`", text.replace('`', "")), why);
                translation.advise(format!("write `{event}` to record the event"));
            }
        },
        Events => set_event(text, translation),
        Tasks => match text.split_whitespace().map(str::parse::<u32>).collect::<Result<Vec<_>, _>>() {
            Ok(ids) if !ids.is_empty() => {
                translation.narrow_all("current.pid", ids.iter().map(u32::to_string).collect());
                translation.differ(&format!("`set_event_pid` {SWITCHES}"));
            }
            _ => translation.leave_out(&what, "a condition needs the number: `if current.pid == 1`"),
        },
        Buffer(of) => match text.parse::<u32>() {
            Ok(size) => translation.clause(format!("buffer {size}KiB {of}")),
            Err(_) => translation.leave_out(&what, "it is not a number"),
        },
        Clock => translation.clause(format!("clock {text}")),
        OneOption => {
            let state = if text == "0" { " off" } else { "" };
            translation.clause(format!("option {}{state}", names.join("")));
        }
        Options => translation.clause(option(text)),
        Recording => {
            translation.remark("a session switches recording on when all is set, and off at its end");
            if text == "0" {
                translation.clause("stop after 10s".to_owned());
            }
        }
        Probe => probe(text, translation),
        Tracer if text == "nop" => translation.leave_out(&what, "a session sets no tracer"),
        Tracer => {
            translation.leave_out(&what, "tracers are not implemented yet");
            translation.advise(
                "keep these writes for the tracer, and `cat /sys/kernel/tracing/trace` for its records",
            );
        }
        LeftOut(why) => translation.leave_out(&what, why),
    }
}

/// Says which command shows what a file does.
pub(super) fn read(path: &str, translation: &mut Translation) {
    let found = READ.iter().find_map(|(file, instead)| Some((*instead, names(file, path)?)));
    if let Some((instead, names)) = found {
        let instead = match names.as_slice() {
            [system, event] => instead.replace("SYSTEM", system).replace("EVENT", event),
            _ => instead.to_owned(),
        };
        translation.advise(instead);
    }
}

/// Returns `option x` for `x`, and `option x off` for `nox`.
pub(super) fn option(text: &str) -> String {
    match (options::negated(text), text.strip_prefix("no")) {
        (Some(option), _) => format!("option {} off", option.name),
        (None, Some(name)) if !name.is_empty() => format!("option {name} off"),
        _ => format!("option {text}"),
    }
}

fn filter(what: &str, event: &str, text: &str, is_of_system: bool, translation: &mut Translation) {
    let Some(condition) = condition::of_filter(text) else {
        translation.record(event);
        return translation.widen(what, "the filter cannot be read; write its condition behind `if`");
    };
    // The filter of a system applies to the events with its fields.
    let having = if is_of_system { condition::fields(text) } else { Vec::new() };
    translation.filter(event, having, condition);
}

/// Returns the text of a `trigger` file, `ACTION[:EVENT][:COUNT][ if FILTER]`, as a trigger without its word; or why
/// it has no equivalent (kernel/trace/trace_events_trigger.c).
pub(super) fn trigger(text: &str) -> Result<String, &'static str> {
    if text.starts_with('!') {
        return Err("a session undoes its triggers at its end");
    }
    let (head, condition) = match text.split_once(" if ") {
        Some((head, filter)) => {
            let condition = condition::of_filter(filter).ok_or("its filter cannot be read")?;
            (head, format!(" if {condition}"))
        }
        None => (text, String::new()),
    };
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let parts: Vec<&str> = head.trim().split(':').collect();
    let is_count = |text: &str| text.parse::<u64>().is_ok_and(|count| count > 0);
    match parts.as_slice() {
        ["hist", ..] => Err("histograms are not implemented yet; count the lines of `tracec run --json`"),
        [action] if is_word(action) => Ok(format!("{action}{condition}")),
        [action, count] if is_word(action) && is_count(count) => {
            Ok(format!("{action} count {count}{condition}"))
        }
        [action, system, event] if is_word(action) && is_word(system) && is_word(event) => {
            Ok(format!("{action} {system}:{event}{condition}"))
        }
        [action, system, event, count]
            if is_word(action) && is_word(system) && is_word(event) && is_count(count) =>
        {
            Ok(format!("{action} {system}:{event} count {count}{condition}"))
        }
        _ => Err("it is not a trigger that a session has"),
    }
}

/// Translates `p:NAME FUNCTION ARGS` or `r:NAME FUNCTION ARGS`, whose event a session records as any other.
fn probe(text: &str, translation: &mut Translation) {
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default();
    match words.next() {
        Some(function) if kind.starts_with(['p', 'r', 'f']) => {
            let is_return = kind.starts_with('r') || function.ends_with("%return");
            let own = defined(kind, function).map(|event| {
                format!("until then keep the definition, and record its event: `tracec run -e {event}`")
            });
            program::function(function.trim_end_matches("%return"), is_return, own, translation);
        }
        _ => translation.leave_out("the definition", "a session that runs cannot define events yet"),
    }
}

/// Returns the event that a definition makes (Documentation/trace/kprobetrace.rst). `None` where the kernel names it.
fn defined(kind: &str, place: &str) -> Option<String> {
    let (letter, name) = kind.split_once(':')?;
    let group = match place.contains('/') {
        true => "uprobes",
        false if letter.starts_with('f') => "fprobes",
        false => "kprobes",
    };
    let (group, name) = name.split_once('/').unwrap_or((group, name));
    let is_name =
        |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    (is_name(group) && is_name(name)).then(|| format!("{group}:{name}"))
}

/// Returns the names of a path that stand in the place of the capital words of `known`. What stands before the files of
/// tracefs, or of an instance, is any.
fn names(known: &str, path: &str) -> Option<Vec<String>> {
    let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let known: Vec<&str> = known.split('/').collect();
    let first = path.len().checked_sub(known.len())?;
    let before = path[..first].last();
    let is_at_root = before.is_none_or(|before| matches!(*before, "tracing") || before.starts_with('$'))
        || path[..first].iter().rev().nth(1) == Some(&"instances");
    let mut names = Vec::new();
    for (known, part) in known.iter().zip(&path[first..]) {
        match known.starts_with(|c: char| c.is_ascii_uppercase()) {
            true if part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) => {
                names.push((*part).to_owned());
            }
            false if known == part => {}
            _ => return None,
        }
    }
    (is_at_root || known.first() == Some(&"events")).then_some(names)
}

/// Traces the events of a file such as `set_event`: `sched:sched_switch`, `sched`, `!sched:sched_switch`.
fn set_event(text: &str, translation: &mut Translation) {
    for event in text.split_whitespace() {
        match event.strip_prefix('!') {
            Some(event) => translation.leave_out(
                &format!("`!{event}`"),
                "a session records the events that it names; `except` leaves some of a pattern out",
            ),
            None => translation.trace(Traced { event: written(event), ..Traced::default() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_files_are_found_wherever_tracefs_is() {
        for (known, path, expected) in [
            ("events/SYSTEM/EVENT/enable", "/sys/kernel/tracing/events/sched/sched_switch/enable", Some(2)),
            ("events/SYSTEM/EVENT/enable", "events/sched/sched_switch/enable", Some(2)),
            ("events/SYSTEM/enable", "/sys/kernel/debug/tracing/events/sched/enable", Some(1)),
            ("events/SYSTEM/enable", "events/sched/sched_switch/enable", None),
            ("tracing_on", "/sys/kernel/tracing/instances/x/tracing_on", Some(0)),
            ("tracing_on", "$T/tracing_on", Some(0)),
            ("trace", "/tmp/trace", None),
        ] {
            assert_eq!(names(known, path).map(|names| names.len()), expected, "{path}");
        }
    }

    #[test]
    fn triggers_of_the_kernel_become_triggers() {
        for (text, expected) in [
            ("stacktrace", Ok("stacktrace")),
            ("traceoff:5 if prio < 100", Ok("traceoff count 5 if prio < 100")),
            ("enable_event:sched:sched_waking", Ok("enable_event sched:sched_waking")),
            ("enable_event:sched:sched_waking:1", Ok("enable_event sched:sched_waking count 1")),
        ] {
            assert_eq!(trigger(text), expected.map(str::to_owned), "{text}");
        }
        for text in ["!traceoff", "hist:key=pid", "", "a b", "traceoff:x", "traceoff if a ="] {
            assert!(trigger(text).is_err(), "{text}");
        }
    }
}

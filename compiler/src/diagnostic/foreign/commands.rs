//! The commands of a shell that trace: perf, trace-cmd, bpftrace, and writes to files of tracefs.
//!
//! The options are those of perf-record(1), perf-stat(1), perf-trace(1), trace-cmd-record(1) and trace-cmd-set(1).

use super::condition::{self, SWITCHES, THREADS};
use super::shell::Command;
use super::translation::Translation;
use super::{files, program};

/// An option of a command, and what it means to a session.
struct Meaning {
    names: &'static [&'static str],
    takes_value: bool,
    becomes: Becomes,
}

/// What an option becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    /// Events, between commas.
    Events,
    /// The filter of the events of the option before.
    Filter,
    /// A trigger of these events.
    Trigger,
    /// A condition on the tasks with these ids; whether they are processes.
    Tasks { are_processes: bool },
    /// A condition on the CPUs.
    Cpus,
    /// The stack of every record.
    Stacks,
    /// The size of the buffer of each CPU, KiB.
    Buffer,
    /// The clock.
    Clock,
    /// An option of the kernel.
    Option,
    /// The name of the instance.
    Instance,
    /// Nothing: the events behind it are left out of patterns.
    Exclusion,
    /// Nothing: a tracer is not implemented yet.
    Tracer,
    /// Nothing: every session does it.
    Usual,
    /// Nothing, for this reason.
    LeftOut(&'static str),
}

use Becomes::{
    Buffer, Clock, Cpus, Events, Exclusion, Filter, Instance, LeftOut, Option as KernelOption, Stacks, Tasks,
    Tracer, Trigger, Usual,
};

/// Options of perf.
const PERF: &[Meaning] = &[
    with_value(&["-e", "--event"], Events),
    with_value(&["--filter"], Filter),
    with_value(&["-p", "--pid"], Tasks { are_processes: true }),
    with_value(&["-t", "--tid"], Tasks { are_processes: false }),
    with_value(&["-C", "--cpu"], Cpus),
    alone(&["-g"], Stacks),
    with_value(&["--call-graph"], Stacks),
    with_value(&["-k", "--clockid"], Clock),
    with_value(&["-o", "--output"], OUTPUT),
    with_value(&["-m", "--mmap-pages"], LeftOut("it counts pages; `buffer 4MiB per cpu;` is such a clause")),
    with_value(
        &["-c", "--count", "-F", "--freq"],
        LeftOut("a session records every event, not a sample of them"),
    ),
    with_value(&["-u", "--uid"], LeftOut("no condition knows the user of a task")),
    with_value(&["-G", "--cgroup"], LeftOut("no condition knows the control group of a task")),
    with_value(&["-D", "--delay"], LeftOut("a session records from its start on")),
    with_value(&["-r", "--repeat", "-I", "--interval-print"], COUNTS),
    alone(
        &["-a", "--all-cpus", "-v", "--verbose", "-q", "--quiet", "-R", "--raw-samples", "-T", "--timestamp"],
        Usual,
    ),
    alone(&["-d", "--data", "-n", "--no-samples", "-N", "--no-buildid-cache", "-B", "--no-buildid"], Usual),
    alone(&["--exclude-perf"], Usual),
    alone(&["-i", "--no-inherit"], LeftOut("a session records all tasks, unless a condition narrows it")),
    alone(&["-s", "--summary", "--stat"], COUNTS),
];

/// Options of `trace-cmd record` and of its relatives.
const TRACE_CMD: &[Meaning] = &[
    with_value(&["-e"], Events),
    with_value(&["-f"], Filter),
    with_value(&["-R"], Trigger),
    with_value(&["-P"], Tasks { are_processes: false }),
    with_value(&["-b"], Buffer),
    with_value(&["-C"], Clock),
    with_value(&["-O"], KernelOption),
    with_value(&["-B"], Instance),
    alone(&["-T"], Stacks),
    alone(&["-v"], Exclusion),
    with_value(&["-o"], OUTPUT),
    with_value(&["-M"], LeftOut("it is a mask; `if current.cpu == 0` is a condition on a CPU")),
    with_value(&["-p"], Tracer),
    with_value(&["-g", "-l", "-n"], LeftOut("tracers of functions are not implemented yet")),
    with_value(&["-s", "-r", "-N", "-t", "-m", "-A"], LeftOut("it concerns the recorder of trace-cmd")),
    alone(&["-a", "-d", "-D", "-i", "-k", "-q", "-S", "--date", "-H"], Usual),
    alone(&["-c"], LeftOut("a condition on a task does not include its children")),
    alone(&["-F"], LeftOut("a session records all tasks, not the command alone")),
];

const OUTPUT: Becomes = LeftOut("the records go to standard output; `output \"FILE.txt\";` names a file");
const COUNTS: Becomes =
    LeftOut("a session records and does not count; count the lines of `tracec run --json`");

const fn with_value(names: &'static [&'static str], becomes: Becomes) -> Meaning {
    Meaning { names, takes_value: true, becomes }
}

const fn alone(names: &'static [&'static str], becomes: Becomes) -> Meaning {
    Meaning { names, takes_value: false, becomes }
}

/// Subcommands that record nothing, with what does the same here.
const OTHERS: &[(&str, &str)] = &[
    ("script", REPORT),
    ("report", REPORT),
    ("annotate", REPORT),
    ("list", "`tracec list` shows the events"),
    ("show", "`tracec run -e SYSTEM:EVENT` prints the records as they come"),
    ("stop", END),
    ("reset", END),
    ("clear", END),
    ("extract", END),
    ("restart", END),
    (
        "snapshot",
        "snapshots are not implemented yet; `tracec run -e SYSTEM:EVENT` prints the records as they come",
    ),
];

const REPORT: &str = "`tracec report FILE` shows a recording of trace-cmd; those of perf are not read";
const END: &str = "a session ends with `stop after 10s;`, or with Ctrl-C, and undoes its changes then";

/// Translates a command.
pub(super) fn translate(command: &Command, translation: &mut Translation) {
    let mut words: &[String] = &command.words;
    // Who runs it does not matter: `tracec run` needs root too.
    while let Some((first, rest)) = words.split_first() {
        match first.as_str() {
            "sudo" | "doas" | "exec" | "time" => words = rest,
            _ => break,
        }
    }
    let Some((name, rest)) = words.split_first() else { return };
    match (name.as_str(), &command.file) {
        ("perf", _) => tool(&[PERF], rest, translation),
        ("trace-cmd", _) => tool(&[TRACE_CMD], rest, translation),
        ("bpftrace", _) => bpftrace(rest, translation),
        ("echo" | "printf", Some(file)) => {
            let text: Vec<&str> =
                rest.iter().map(String::as_str).filter(|word| !matches!(*word, "-n" | "-e")).collect();
            files::write(file, text.join(" ").trim(), translation);
        }
        ("cat" | "head" | "tail" | "less" | "more" | "grep" | "tee", _) => {
            rest.iter().for_each(|file| files::read(file, translation));
        }
        ("sh" | "bash", _) if rest.first().is_some_and(|word| word == "-c") => {
            // A command within a command is not looked into again.
            let inner = rest.get(1).map_or("", String::as_str);
            let inner =
                super::shell::commands(inner).into_iter().filter(|inner| inner.words.first() != Some(name));
            inner.for_each(|inner| translate(&inner, translation));
        }
        // They change nothing that a session needs.
        ("cd" | "mount" | "mkdir" | "rmdir" | "sleep" | "set" | "export", _) => {}
        (first, _) if first.starts_with('-') => {
            tool(&[TRACE_CMD, PERF], &[&["record".to_owned()], words].concat(), translation)
        }
        _ => translation.leave_out(&format!("`{}`", shortened(words)), "it is a command of the shell"),
    }
}

/// Translates the arguments of perf or trace-cmd.
fn tool(tables: &[&'static [Meaning]], words: &[String], translation: &mut Translation) {
    let Some((subcommand, arguments)) = words.split_first() else { return };
    if let Some((_, instead)) = OTHERS.iter().find(|(name, _)| name == subcommand) {
        return translation.advise(*instead);
    }
    if subcommand == "probe" {
        return probe(arguments, translation);
    }
    let before = translation.count();
    let names_calls = subcommand == "trace";
    let mut arguments = Arguments { words: arguments };
    let (mut first, mut excludes) = (translation.count(), false);
    while let Some((name, attached)) = arguments.option() {
        let Some(meaning) =
            tables.iter().copied().flatten().find(|meaning| meaning.names.contains(&name.as_str()))
        else {
            let what = attached.map_or(name.clone(), |value| format!("{name} {value}"));
            translation.leave_out(&format!("`{what}`"), "it has no equivalent that is known");
            continue;
        };
        let value = if meaning.takes_value { arguments.value(attached) } else { String::new() };
        let what = format!("`{}`", format!("{name} {value}").trim());
        match meaning.becomes {
            Events if excludes => value.split(',').for_each(|event| translation.exclude(event)),
            Events => {
                first = translation.count();
                events(&value, names_calls, translation);
            }
            Filter => match condition::of_filter(&value) {
                Some(condition) => translation.narrow(first, &condition),
                None => {
                    translation.leave_out(&what, "the filter cannot be read; write its condition behind `if`")
                }
            },
            Trigger => match files::trigger(&value) {
                Ok(trigger) => translation.trigger_from(first, &trigger),
                Err(why) => translation.leave_out(&what, why),
            },
            Tasks { are_processes } => tasks(&what, &value, are_processes, translation),
            Cpus => match members(&value) {
                Some(cpus) => translation.narrow_all(format!("current.cpu {cpus}")),
                None => translation.leave_out(&what, "it is not a list of CPUs"),
            },
            Stacks => translation.clause("option stacktrace".to_owned()),
            Buffer => translation.clause(format!("buffer {value}KiB per cpu")),
            Clock => translation
                .clause(format!("clock {}", value.strip_prefix("CLOCK_").unwrap_or(&value).to_lowercase())),
            KernelOption => translation.clause(files::option(&value)),
            Instance => translation.clause(format!("instance \"{value}\"")),
            Exclusion => excludes = true,
            Tracer => {
                translation.leave_out(&what, "tracers are not implemented yet");
                let command = format!("trace-cmd {subcommand} -p {value}").replace('`', "");
                translation.advise(format!(
                    "keep `{command}` for the tracer, and `trace-cmd report` for its records"
                ));
            }
            Usual => {}
            LeftOut(why) => translation.leave_out(&what, why),
        }
    }
    if matches!(subcommand.as_str(), "stat" | "top" | "hist") {
        let what = format!("the counting of `{subcommand}`");
        if translation.count() > before {
            let why = "a session records events; count the lines of `tracec run --json`";
            translation.leave_out(&what, why);
        } else {
            translation.leave_out(&what, "a session records events, and reads no counters");
            translation.advise(format!("keep `perf {subcommand}` for them"));
        }
    }
    followed(arguments.words, translation);
}

/// Translates `perf record .. COMMAND`: a session that runs a command ends with it.
fn followed(command: &[String], translation: &mut Translation) {
    match command {
        [] => {}
        [sleep, seconds] if sleep == "sleep" && seconds.bytes().all(|byte| byte.is_ascii_digit()) => {
            translation.clause(format!("stop after {seconds}s"));
        }
        command => {
            let command = shortened(command);
            translation
                .leave_out(&format!("`{command}`"), &format!("run it with `tracec run FILE -- {command}`"));
        }
    }
}

/// Translates the events of one option: `a:b,c:d:u`, with braces for a group of perf.
fn events(list: &str, names_calls: bool, translation: &mut Translation) {
    for event in
        list.split(',').map(|event| event.trim_matches(['{', '}', ' '])).filter(|event| !event.is_empty())
    {
        let parts: Vec<&str> = event.split(':').collect();
        match parts.as_slice() {
            [call] if names_calls => {
                translation.record(&format!("syscalls:sys_enter_{call}"));
                translation.record(&format!("syscalls:sys_exit_{call}"));
            }
            [name] if let Some(event) = program::counted(name) => translation.record(event),
            [name] if COUNTERS.contains(name) || name.contains('-') => {
                translation.leave_out(
                    &format!("`{name}`"),
                    "it is a counter of perf; a session records events of the kernel",
                );
                let name = name.replace('`', "");
                translation.advise(format!(
                    "keep perf for the counter: `perf stat -e {name}` counts, `perf record -e {name}` takes samples"
                ));
            }
            [_] | [_, _] => translation.record(event),
            [system, name, modifier @ ..] => {
                translation.record(&format!("{system}:{name}"));
                let modifier = modifier.join(":");
                translation.leave_out(
                    &format!("the modifier `:{modifier}` of `{system}:{name}`"),
                    "whether the kernel or a program runs is not a part of an event",
                );
            }
            [] => {}
        }
    }
}

/// Counters of perf without a dash in their name (perf-list(1)).
const COUNTERS: &[&str] = &["cycles", "instructions", "branches", "faults"];

/// Translates `perf probe --add FUNCTION`.
fn probe(arguments: &[String], translation: &mut Translation) {
    let named = arguments.iter().filter(|word| !word.starts_with('-'));
    for definition in named {
        // `NAME=FUNCTION%return ARGUMENTS`
        let point = definition.split_once('=').map_or(definition.as_str(), |(_, point)| point);
        let is_return = point.contains("%return");
        let function = point.split([' ', '%', '+', ':']).next().unwrap_or_default();
        program::function(function, is_return, translation);
    }
}

/// Translates the arguments of bpftrace.
fn bpftrace(words: &[String], translation: &mut Translation) {
    let mut arguments = Arguments { words };
    while let Some((name, attached)) = arguments.option() {
        match name.as_str() {
            "-e" => program::translate(&arguments.value(attached), translation),
            "-p" => {
                let value = arguments.value(attached);
                tasks(&format!("`-p {value}`"), &value, true, translation);
            }
            "-c" => {
                let command = arguments.value(attached);
                followed(&[command], translation);
            }
            "-l" => {
                let pattern = arguments.value(attached);
                let pattern = pattern.trim_start_matches("tracepoint:").replace('\'', "");
                let pattern = if pattern.is_empty() { "*:*".to_owned() } else { pattern };
                translation.advise(format!("`tracec list '{pattern}'` shows such events"));
            }
            "-v" | "-q" | "-d" => {}
            other => translation.leave_out(&format!("`{other}`"), "it concerns bpftrace alone"),
        }
    }
    if let [file, ..] = arguments.words {
        translation.leave_out(&format!("`{file}`"), "the file of a program is not read; give its text");
    }
}

fn tasks(what: &str, value: &str, are_processes: bool, translation: &mut Translation) {
    match members(value) {
        Some(ids) => {
            translation.narrow_all(format!("current.pid {ids}"));
            if are_processes {
                translation.differ(&format!("{what} names a process; {THREADS}"));
            } else {
                translation.differ(&format!("{what} {SWITCHES}"));
            }
        }
        None => translation
            .leave_out(what, "it is not a list of numbers; write `if current.pid == 1` with the number"),
    }
}

/// Returns `== 3` for `3`, and `in {0, 2..=4}` for `0,2-4`.
fn members(list: &str) -> Option<String> {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    let members: Option<Vec<String>> = list
        .split(',')
        .map(|member| match member.split_once('-') {
            None => is_number(member).then(|| member.to_owned()),
            Some((low, high)) => (is_number(low) && is_number(high)).then(|| format!("{low}..={high}")),
        })
        .collect();
    match members?.as_slice() {
        [only] if is_number(only) => Some(format!("== {only}")),
        members => Some(format!("in {{{}}}", members.join(", "))),
    }
}

/// Returns words on one line, without the rest of a long one.
fn shortened(words: &[String]) -> String {
    let line = words.join(" ").replace(['`', '\n'], " ");
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line,
    }
}

/// Arguments that are still to be read.
struct Arguments<'w> {
    words: &'w [String],
}

impl Arguments<'_> {
    /// Takes the next option: its name, and the value that is written in the same word. `None` where the command begins
    /// that is to be run.
    fn option(&mut self) -> Option<(String, Option<String>)> {
        let (word, rest) = self.words.split_first()?;
        if word == "--" {
            self.words = rest;
            return None;
        }
        if !word.starts_with('-') || word == "-" {
            return None;
        }
        self.words = rest;
        if let Some((name, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
            return Some((name.to_owned(), Some(value.to_owned())));
        }
        // `-p1234`
        let end = if word.starts_with("--") {
            word.len()
        } else {
            word.char_indices().nth(2).map_or(word.len(), |(at, _)| at)
        };
        let (name, value) = word.split_at(end);
        Some((name.to_owned(), (!value.is_empty()).then(|| value.to_owned())))
    }

    /// Takes the value of an option.
    fn value(&mut self, attached: Option<String>) -> String {
        attached.unwrap_or_else(|| match self.words.split_first() {
            Some((value, rest)) => {
                self.words = rest;
                value.clone()
            }
            None => String::new(),
        })
    }
}

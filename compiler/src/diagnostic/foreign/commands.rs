//! The commands of a shell that trace: perf, trace-cmd, bpftrace, and writes to files of tracefs.
//!
//! The options are those of perf-record(1), perf-stat(1), perf-trace(1), trace-cmd-record(1), trace-cmd-set(1) and
//! strace(1).

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
    /// The events of system calls, whose names stand between commas.
    Calls,
    /// The filter of the events of the option before.
    Filter,
    /// A trigger of these events.
    Trigger,
    /// A condition on the tasks with these ids.
    Tasks(Ids),
    /// A condition on the CPUs.
    Cpus,
    /// The stack of every record: the kernel's, and that of the program or not.
    Stacks { of_program: bool },
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
    /// Nothing: a session records all tasks.
    AllTasks,
    /// Nothing, for this reason.
    LeftOut(&'static str),
    /// Nothing, for this reason; more is recorded without it.
    Widened(&'static str),
}

use Becomes::{
    AllTasks, Buffer, Calls, Clock, Cpus, Events, Exclusion, Filter, Instance, LeftOut,
    Option as KernelOption, Stacks, Tasks, Tracer, Trigger, Usual, Widened,
};

/// Options of perf.
const PERF: &[Meaning] = &[
    with_value(&["-e", "--event"], Events),
    with_value(&["--filter"], Filter),
    with_value(&["-p", "--pid"], Tasks(Ids::Processes)),
    with_value(&["-t", "--tid"], Tasks(Ids::Threads)),
    with_value(&["-C", "--cpu"], Cpus),
    alone(&["-g"], Stacks { of_program: true }),
    with_value(&["--call-graph"], Stacks { of_program: true }),
    with_value(&["-k", "--clockid"], Clock),
    with_value(&["-o", "--output"], OUTPUT),
    with_value(&["-m", "--mmap-pages"], LeftOut("it counts pages; `buffer 4MiB per cpu;` is such a clause")),
    with_value(
        &["-c", "--count", "-F", "--freq"],
        Widened("a session records every event, not a sample of them"),
    ),
    with_value(&["-u", "--uid"], Widened("no condition knows the user of a task")),
    with_value(&["-G", "--cgroup"], Widened("no condition knows the control group of a task")),
    with_value(&["-D", "--delay"], LeftOut("a session records from its start on")),
    with_value(&["-r", "--repeat", "-I", "--interval-print"], COUNTS),
    alone(&["-a", "--all-cpus"], AllTasks),
    alone(&["-v", "--verbose", "-q", "--quiet", "-R", "--raw-samples", "-T", "--timestamp"], Usual),
    alone(&["-d", "--data", "-n", "--no-samples", "-N", "--no-buildid-cache", "-B", "--no-buildid"], Usual),
    alone(&["--exclude-perf"], Usual),
    alone(&["-i", "--no-inherit"], LeftOut("a session records all tasks, unless a condition narrows it")),
    alone(&["-s", "--summary", "--stat"], COUNTS),
];

/// Options of `perf trace`, before those of perf.
const PERF_TRACE: &[Meaning] = &[with_value(&["-e", "--event"], Calls)];

/// Options of `trace-cmd record` and of its relatives.
const TRACE_CMD: &[Meaning] = &[
    with_value(&["-e"], Events),
    with_value(&["-f"], Filter),
    with_value(&["-R"], Trigger),
    with_value(&["-P"], Tasks(Ids::OfTracefs)),
    with_value(&["-b"], Buffer),
    with_value(&["-C"], Clock),
    with_value(&["-O"], KernelOption),
    with_value(&["-B"], Instance),
    alone(&["-T"], Stacks { of_program: false }),
    alone(&["-v"], Exclusion),
    with_value(&["-o"], OUTPUT),
    with_value(&["-M"], Widened("it is a mask; `if current.cpu == 0` is a condition on a CPU")),
    with_value(&["-p"], Tracer),
    with_value(
        &["-g", "-l", "-n", "--max-graph-depth"],
        LeftOut("tracers of functions are not implemented yet"),
    ),
    with_value(&["-s", "-r", "-N", "-t", "-m", "-A"], LeftOut("it concerns the recorder of trace-cmd")),
    alone(&["-a", "-d", "-D", "-i", "-k", "-q", "-S", "--date", "-H"], Usual),
    alone(&["-c"], Widened("a condition on a task does not include its children")),
    alone(&["-F"], Widened("a session records all tasks, not the command alone")),
];

/// Options of strace.
const STRACE: &[Meaning] = &[
    with_value(&["-e", "--trace"], Calls),
    with_value(&["-p", "--attach"], Tasks(Ids::Processes)),
    with_value(&["-o", "--output"], OUTPUT),
    with_value(&["-s", "-a", "-I", "-O", "-S", "-X"], LeftOut("it concerns the output of strace")),
    with_value(&["-u", "-E", "-b", "-P"], Widened("it has no equivalent")),
    alone(
        &["-f", "-ff", "-t", "-tt", "-ttt", "-T", "-q", "-qq", "-v", "-y", "-yy", "-x", "-xx", "-r", "-i"],
        Usual,
    ),
    alone(&["-c", "-C", "-w"], COUNTS),
    alone(&["-k"], Stacks { of_program: true }),
    alone(&["-z", "-Z"], Widened("a condition on the result: `trace syscalls:sys_exit_NAME if ret < 0`")),
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

/// A command that records or counts events.
struct Recorder {
    /// The words with which it begins.
    command: &'static [&'static str],
    /// Its options: the first of the tables that has one says what it becomes.
    options: &'static [&'static [Meaning]],
    /// The events that it records where no option names any.
    events: Option<&'static str>,
    /// The difference to a session where it runs a command and no option says which tasks it records.
    of_command: Option<&'static str>,
    /// Whether it counts events, or reads counters, and prints no records.
    counts: bool,
}

/// The commands that record or count events. The first one of a tool stands for the tool where options follow its name.
const RECORDERS: &[Recorder] = &[
    perf(&["perf", "record"]),
    perf(&["perf", "trace", "record"]),
    Recorder { options: &[PERF_TRACE, PERF], events: Some("syscalls:*"), ..perf(&["perf", "trace"]) },
    Recorder { counts: true, ..perf(&["perf", "stat"]) },
    Recorder { counts: true, ..perf(&["perf", "top"]) },
    trace_cmd(&["trace-cmd", "record"]),
    trace_cmd(&["trace-cmd", "start"]),
    trace_cmd(&["trace-cmd", "set"]),
    trace_cmd(&["trace-cmd", "stream"]),
    Recorder {
        command: &["strace"],
        options: &[STRACE],
        events: Some("syscalls:*"),
        of_command: Some("strace shows the command alone; a session records all tasks"),
        counts: false,
    },
];

/// Options without a command: those of trace-cmd, and others of perf.
const OPTIONS_ALONE: Recorder =
    Recorder { options: &[TRACE_CMD, PERF], ..trace_cmd(&["trace-cmd", "record"]) };

const fn perf(command: &'static [&'static str]) -> Recorder {
    let of_command = Some("without `-a` perf records the command alone; a session records all tasks");
    Recorder { command, options: &[PERF], events: None, of_command, counts: false }
}

const fn trace_cmd(command: &'static [&'static str]) -> Recorder {
    Recorder { command, options: &[TRACE_CMD], events: None, of_command: None, counts: false }
}

/// Other subcommands, with what does the same here.
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
    ("snapshot", "`tracec snapshot` writes what the ring of a session holds that `tracec start` has begun"),
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
        ("perf" | "trace-cmd" | "strace", _) => tool(name, rest, translation),
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
        (first, _) if first.starts_with('-') => record(&OPTIONS_ALONE, words, translation),
        _ => translation.leave_out(&format!("`{}`", shortened(words)), "it is a command of the shell"),
    }
}

/// Translates a command of perf, trace-cmd or strace.
fn tool(name: &str, words: &[String], translation: &mut Translation) {
    let mut of_tool = RECORDERS.iter().filter(|recorder| recorder.command.first() == Some(&name));
    let behind = |recorder: &'static Recorder| {
        let (_, subcommands) = recorder.command.split_first()?;
        let (begin, arguments) = words.split_at_checked(subcommands.len())?;
        (begin == subcommands).then_some((recorder, arguments))
    };
    if let Some((recorder, arguments)) = of_tool.clone().find_map(behind) {
        return record(recorder, arguments, translation);
    }
    let Some((subcommand, arguments)) = words.split_first() else { return };
    let instead = OTHERS.iter().find(|(other, _)| other == subcommand);
    match (subcommand.as_str(), instead) {
        ("probe", _) => probe(arguments, translation),
        (_, Some((_, instead))) => translation.advise(*instead),
        (option, _) if option.starts_with('-') => {
            of_tool.next().into_iter().for_each(|recorder| record(recorder, words, translation));
        }
        _ => {
            let command = format!("{name} {}", shortened(words));
            translation.advise(format!(
                "keep `{command}`: a session records events, as `tracec list` shows them, and does nothing else"
            ));
        }
    }
}

/// Translates the arguments of a command that records or counts events.
fn record(recorder: &Recorder, words: &[String], translation: &mut Translation) {
    let before = translation.count();
    let mut arguments = Arguments { words };
    let mut read = Read {
        recorder,
        first: before,
        has_events: false,
        excludes: false,
        has_instance: false,
        is_narrowed: false,
        early: Vec::new(),
        translation,
    };
    read.options(&mut arguments);
    if let Some(events) = recorder.events.filter(|_| !read.has_events) {
        read.translation.record(events);
    }
    let is_of_command = !read.is_narrowed && !arguments.words.is_empty();
    for (_, what, _) in std::mem::take(&mut read.early) {
        translation.widen(&what, "no event stands before it");
    }
    let has_events = translation.count() > before;
    if recorder.counts {
        counts(recorder, has_events, translation);
    }
    if let Some(differs) = recorder.of_command.filter(|_| is_of_command && has_events) {
        translation.differ(differs);
    }
    followed(arguments.words, translation);
}

/// Says what becomes of the counting of a command.
fn counts(recorder: &Recorder, has_events: bool, translation: &mut Translation) {
    let what = format!("the counting of `{}`", recorder.command.last().copied().unwrap_or_default());
    if has_events {
        let why = "a session records events; count the lines of `tracec run --json`";
        translation.leave_out(&what, why);
    } else {
        translation.leave_out(&what, "a session records events, and reads no counters");
        translation.advise(format!("keep `{}` for them", recorder.command.join(" ")));
    }
}

/// Whose ids they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ids {
    Processes,
    Threads,
    /// Of threads, as the file `set_event_pid` takes them.
    OfTracefs,
}

/// The options of a command, as far as they are read.
struct Read<'c> {
    recorder: &'c Recorder,
    /// The first event of the last option with events.
    first: usize,
    has_events: bool,
    excludes: bool,
    has_instance: bool,
    /// Whether an option says of which tasks or CPUs the events are.
    is_narrowed: bool,
    /// Filters and triggers that stand before all events, with their text and value.
    early: Vec<(Becomes, String, String)>,
    translation: &'c mut Translation,
}

impl Read<'_> {
    /// Translates the options up to the command that is to be run.
    fn options(&mut self, arguments: &mut Arguments<'_>) {
        while let Some((option, attached)) = arguments.option() {
            let known = |meaning: &&Meaning| meaning.names.contains(&option.as_str());
            let Some(meaning) = self.recorder.options.iter().copied().flatten().find(known) else {
                // Which of the words behind it are its value is not known.
                let what: Vec<String> =
                    [option].into_iter().chain(attached).chain(arguments.plain()).collect();
                let why = "it has no equivalent that is known";
                self.translation.widen(&format!("`{}`", shortened(&what)), why);
                continue;
            };
            let value = if meaning.takes_value { arguments.value(attached) } else { String::new() };
            let what = format!("`{}`", format!("{option} {value}").trim().replace('`', ""));
            self.option(meaning.becomes, what, value);
        }
    }

    /// Translates an option; `what` is its text between backticks.
    fn option(&mut self, becomes: Becomes, what: String, value: String) {
        let translation = &mut *self.translation;
        match becomes {
            Calls if is_other_expression(&value) => {
                translation.leave_out(&what, "it concerns the output of strace, or what it does to a call");
            }
            Events | Calls if is_class(value.strip_prefix("trace=").unwrap_or(&value), becomes) => {
                translation.widen(&what, "name the calls, such as `{syscalls:sys_enter_open*}`");
            }
            Events | Calls if self.excludes => value.split(',').for_each(|event| translation.exclude(event)),
            Events | Calls => {
                self.first = translation.count();
                self.has_events = true;
                let list = value.strip_prefix("trace=").unwrap_or(&value);
                events(list, becomes == Calls, translation);
                for (becomes, what, value) in std::mem::take(&mut self.early) {
                    let said = format!("{what} stands before its event: it is taken for the one behind it");
                    self.translation.remark(&said);
                    self.option(becomes, what, value);
                }
            }
            Filter | Trigger if !self.has_events => self.early.push((becomes, what, value)),
            Filter | Trigger if self.excludes => {
                translation.leave_out(&what, "its event is left out");
            }
            Filter => match condition::of_filter(&value) {
                Some(condition) => translation.narrow(self.first, &condition),
                None => {
                    translation.widen(&what, "the filter cannot be read; write its condition behind `if`")
                }
            },
            Trigger => match files::trigger(&value) {
                Ok(trigger) => translation.trigger_from(self.first, &trigger),
                Err(why) => translation.leave_out(&what, why),
            },
            Tasks(ids) => {
                self.is_narrowed = true;
                tasks(&what, &value, ids, translation);
            }
            AllTasks => self.is_narrowed = true,
            Cpus => match members(&value) {
                Some(cpus) => {
                    self.is_narrowed = true;
                    translation.narrow_all("current.cpu", cpus);
                }
                None => translation.widen(&what, "it is not a list of CPUs"),
            },
            Stacks { of_program } => stacks(of_program, &value, translation),
            Buffer => translation.clause(format!("buffer {value}KiB per cpu")),
            Clock => translation
                .clause(format!("clock {}", value.strip_prefix("CLOCK_").unwrap_or(&value).to_lowercase())),
            KernelOption => translation.clause(files::option(&value)),
            Instance if std::mem::replace(&mut self.has_instance, true) => {
                translation.widen(&what, "a session has one instance; write a session for each");
            }
            Instance => translation.clause(format!("instance \"{value}\"")),
            Exclusion => self.excludes = true,
            Tracer => {
                translation.leave_out(&what, "tracers are not implemented yet");
                let command = format!("{} -p {value}", self.recorder.command.join(" ")).replace('`', "");
                translation.advise(format!(
                    "keep `{command}` for the tracer, and `trace-cmd report` for its records"
                ));
            }
            Usual => {}
            LeftOut(why) => translation.leave_out(&what, why),
            Widened(why) => translation.widen(&what, why),
        }
    }
}

/// Records the stack of the kernel, and that of the program. `method` is how perf finds the latter.
fn stacks(of_program: bool, method: &str, translation: &mut Translation) {
    translation.clause("option stacktrace".to_owned());
    if of_program {
        translation.clause("option userstacktrace".to_owned());
    }
    let method = method.split(',').next().unwrap_or_default();
    if matches!(method, "dwarf" | "lbr") {
        translation.differ(&format!("`userstacktrace` follows frame pointers, and not `{method}`"));
    }
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

/// Returns whether the value of `-e` is an expression of strace that does not select calls: `signal=none`.
fn is_other_expression(value: &str) -> bool {
    value.split_once('=').is_some_and(|(qualifier, _)| !matches!(qualifier, "trace" | "t"))
}

/// Returns whether a list selects calls by what they do. strace also takes the older names without `%`.
fn is_class(list: &str, becomes: Becomes) -> bool {
    let old = ["file", "process", "network", "signal", "ipc", "desc", "memory"];
    list.starts_with('%') || becomes == Calls && old.contains(&list)
}

/// Translates the events of one option: `a:b,c:d:u`, with groups and terms of perf, `{a:b,c:d}:S` and `a:b/term/`.
fn events(list: &str, names_calls: bool, translation: &mut Translation) {
    // `perf trace -e '!open,close'`: all calls except for these.
    if let Some(list) = list.strip_prefix('!').filter(|_| names_calls) {
        translation.record("syscalls:*");
        for call in list.split(',').filter(|call| !call.is_empty()) {
            translation.exclude(&format!("syscalls:sys_enter_{call}"));
            translation.exclude(&format!("syscalls:sys_exit_{call}"));
        }
        return;
    }
    for event in split_events(list) {
        let event = event.trim_matches(['{', ' ']);
        // What stands behind the brace is a modifier of the group.
        let (event, group) = event.split_once('}').unwrap_or((event, ""));
        let (event, terms) = event.split_once('/').unwrap_or((event, ""));
        let first = translation.count();
        match (event.contains(':'), terms.is_empty()) {
            // `cpu/cycles/`
            (false, false) => counter(event, translation),
            _ if event.is_empty() => {}
            _ => self::event(event, names_calls, translation),
        }
        let terms = terms.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_matches(['/', ' ']);
        if !terms.is_empty() && translation.count() > first {
            self::terms(event, terms, first, translation);
        }
        if let Some(modifier) = group.strip_prefix(':') {
            let why = "a session records each event by itself";
            translation.leave_out(&format!("the modifier `:{modifier}` of the group"), why);
        }
    }
}

/// Splits events at their commas. Those between slashes separate the terms of an event.
fn split_events(list: &str) -> impl Iterator<Item = &str> {
    let mut in_terms = false;
    list.split(move |c| {
        in_terms ^= c == '/';
        c == ',' && !in_terms
    })
    .filter(|event| !event.is_empty())
}

/// Translates what stands between the slashes of an event: terms of perf, or a filter that is meant so.
fn terms(event: &str, terms: &str, first: usize, translation: &mut Translation) {
    let has_fields = !condition::fields(terms).is_empty();
    match condition::of_filter(terms).filter(|_| has_fields) {
        Some(condition) => translation.narrow(first, &condition),
        None => {
            let method = terms.split(',').find_map(|term| term.trim().strip_prefix("call-graph="));
            if let Some(method) = method.filter(|method| *method != "no") {
                stacks(true, method, translation);
            }
            let others = terms.split(',').filter(|term| !term.trim().starts_with("call-graph="));
            let others = others.collect::<Vec<_>>().join(",").replace('\n', " ");
            if !others.is_empty() {
                let why = "only perf has such terms of an event";
                translation.leave_out(&format!("`/{others}/` of `{event}`"), why);
            }
        }
    }
}

fn counter(name: &str, translation: &mut Translation) {
    let name = name.replace('`', "");
    let why = "it is a counter of perf; a session records events of the kernel";
    translation.leave_out(&format!("`{name}`"), why);
    translation.advise(format!(
        "keep perf for the counter: `perf stat -e {name}` counts, `perf record -e {name}` takes samples"
    ));
}

/// Translates an event with its modifier.
fn event(event: &str, names_calls: bool, translation: &mut Translation) {
    let parts: Vec<&str> = event.split(':').collect();
    match parts.as_slice() {
        ["all"] if names_calls => translation.record("syscalls:*"),
        ["all"] => translation.record("*:*"),
        [call] if names_calls => {
            translation.record(&format!("syscalls:sys_enter_{call}"));
            translation.record(&format!("syscalls:sys_exit_{call}"));
        }
        [name] | [name, _] if let Some(event) = program::counted(name) => translation.record(event),
        [name] | [name, _] if program::is_counter(name) => counter(name, translation),
        [name] if name.contains('-') => counter(name, translation),
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

/// Translates `perf probe --add FUNCTION`.
fn probe(arguments: &[String], translation: &mut Translation) {
    let named = arguments.iter().filter(|word| !word.starts_with('-'));
    for definition in named {
        // `NAME=FUNCTION%return ARGUMENTS`
        let point = definition.split_once('=').map_or(definition.as_str(), |(_, point)| point);
        let is_return = point.contains("%return");
        let function = point.split([' ', '%', '+', ':']).next().unwrap_or_default();
        program::function(function, is_return, None, translation);
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
                tasks(&format!("`-p {value}`"), &value, Ids::Processes, translation);
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

fn tasks(what: &str, value: &str, ids: Ids, translation: &mut Translation) {
    match members(value) {
        Some(members) => {
            translation.narrow_all("current.pid", members);
            match ids {
                Ids::Processes => translation.differ(&format!("{what} names a process; {THREADS}")),
                Ids::OfTracefs => translation.differ(&format!("{what} {SWITCHES}")),
                Ids::Threads => {}
            }
        }
        None => translation
            .widen(what, "it is not a list of numbers; write `if current.pid == 1` with the number"),
    }
}

/// Returns the members of a list such as `0,2-4`.
fn members(list: &str) -> Option<Vec<String>> {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    list.split(',')
        .map(|member| match member.split_once('-') {
            None => is_number(member).then(|| member.to_owned()),
            Some((low, high)) => (is_number(low) && is_number(high)).then(|| format!("{low}..={high}")),
        })
        .collect()
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

    /// Takes the words up to the next option.
    fn plain(&mut self) -> Vec<String> {
        let end = self.words.iter().position(|word| word.starts_with('-')).unwrap_or(self.words.len());
        let (plain, rest) = self.words.split_at(end);
        self.words = rest;
        plain.to_vec()
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

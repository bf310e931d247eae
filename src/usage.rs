//! Advice for what command lines of other tools have and this one has not.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::moment::Moment;

/// Options of other tools, each with the way to say the same.
const OPTIONS: &[(&[&str], &str)] = &[
    (&["-f", "--filter"], "a filter stands behind `if` in the text of `-e`: -e 'SYSTEM:EVENT if CONDITION'"),
    (
        &["-p", "--pid", "-P", "-t", "--tid"],
        "a task is a condition in the text of `-e`: -e 'SYSTEM:EVENT if current.pid == 1234'",
    ),
    (
        &["-C", "--cpu", "--cpus"],
        "a CPU is a condition in the text of `-e`: -e 'SYSTEM:EVENT if current.cpu == 0'",
    ),
    (
        &["--duration", "--time", "--timeout", "-d", "--for"],
        "a time is a clause in the text of `-e`: -e 'trace SYSTEM:EVENT; stop after 5s'",
    ),
    (
        &["-o", "--output"],
        "records go to a file by `tracec run -o FILE`, or by a clause: -e 'trace SYSTEM:EVENT; output \"FILE.json\"'",
    ),
    (&["-c", "--command", "-F"], COMMAND),
    (
        &["-g", "-T", "--stack", "--stacktrace"],
        "a stack is a clause in the text of `-e`: -e 'trace SYSTEM:EVENT; option stacktrace'",
    ),
    (
        &["-b", "--buffer", "-m"],
        "a buffer is a clause in the text of `-e`: -e 'trace SYSTEM:EVENT; buffer 4MiB per cpu'",
    ),
    (&["-a", "--all-cpus"], "leave it out: a session records on all CPUs"),
];

/// Options of other tools, with the way to say the same.
type Meant = (&'static [&'static str], &'static str);

/// What is meant by words that subcommands of recordings do not have.
struct OfRecordings {
    subcommands: &'static [&'static str],
    options: &'static [&'static [Meant]],
    /// What an argument too many is.
    argument: &'static str,
}

/// A file that is written from a recording, where what is printed goes.
const PRINTED: (&[&str], &str) = (
    &["-o", "--output"],
    "what is printed goes to a file behind `>`; `tracec filter FILE 'SYSTEM:EVENT if CONDITION' -o NEW.dat` writes records",
);

const RANGE: (&[&str], &str) = (
    &["--duration", "--time", "--timeout", "-d", "--for", "--since", "--until", "--start", "--end"],
    "times are `--from TIME` and `--to TIME`, each alone or together",
);

/// The options of other tools that choose records of a recording.
const CHOSEN: &[Meant] = &[
    PRINTED,
    RANGE,
    (&["-p", "--pid", "-P", "-t", "--tid"], "a task is `--task PID|NAME`"),
    (&["-C", "--cpus"], "CPUs are `--cpu LIST`"),
    (&["-B", "-b", "-m"], "a buffer is `--buffer NAME`"),
    (&["--events", "-E"], "an event is `--event GLOB`, which can be repeated"),
    (&["-i", "--input", "-I"], "the name of the recording stands alone: tracec report FILE"),
];

/// The options of other tools that limit how much is printed.
const LIMITS: &[&str] = &["--limit", "--max", "--head", "--lines", "-n", "-l"];

const ONE_RECORDING: &str = "one recording is read, which stands alone; `tracec report` merges several";

const OF_RECORDINGS: [OfRecordings; 3] = [
    OfRecordings {
        subcommands: &["report", "filter"],
        options: &[
            CHOSEN,
            &[
                (LIMITS, "`tracec report FILE | head -n 20` shows the first records, and no more are read"),
                (&["--tail"], "`tracec report FILE | tail -n 20` shows the last records"),
            ],
        ],
        argument: ONE_RECORDING,
    },
    OfRecordings {
        subcommands: &["summary"],
        options: &[CHOSEN, &[(LIMITS, "`--top N` is how many lines each list has at most")]],
        argument: ONE_RECORDING,
    },
    OfRecordings {
        subcommands: &["convert", "split"],
        options: &[&[
            RANGE,
            (
                &["-e", "-f", "--filter", "-F", "--event", "--task", "-p", "--pid", "-C", "--cpu", "--cpus"],
                "`tracec filter FILE 'SYSTEM:EVENT if CONDITION' -o NEW.dat` writes a part of the records",
            ),
            (&["-B", "-b", "-m"], "a buffer is `--buffer NAME`, of `tracec split`"),
            (&["-i", "--input", "-I"], "the name of the recording stands alone: FILE -o NEW.dat"),
        ]],
        argument: "the file to write is named behind `-o`: FILE -o NEW.dat",
    },
];

const COMMAND: &str = "a command stands behind `--`: tracec run -e SYSTEM:EVENT -- sleep 1";

const SEVERAL: &str = "one `-e` names all events: -e '{SYSTEM:EVENT, SYSTEM:EVENT}', or -e 'trace SYSTEM:EVENT; trace SYSTEM:EVENT'";

/// Subcommands of other tools, each with the one that does the same.
const SUBCOMMANDS: &[(&[&str], &str)] = &[
    (&["record", "trace", "stream", "watch", "capture", "exec", "-e", "profile", "stat"], "run"),
    (&["lint", "validate", "verify", "test", "compile-check"], "check"),
    (&["format"], "fmt"),
    (&["show", "events", "ls", "available"], "list"),
    (&["reset", "clean", "undo", "cleanup"], "recover"),
    (&["script", "print", "view"], "report"),
    (&["compile", "generate"], "build"),
    (&["diff", "dry-run"], "plan"),
];

/// Subcommands of other tools that none is as.
const OTHERS: &[Meant] = &[(
    &["merge", "join", "cat"],
    "`tracec report FILE FILE` shows the records of several recordings merged by time; no subcommand writes them to one \
     file, since a trace.dat file is of one machine and boot",
)];

/// Returns a usage error of a subcommand with what is meant, if that is known, in the place of the parser's own guesses.
pub(crate) fn advised(mut error: clap::Error, subcommand: &str) -> clap::Error {
    let of_recordings = OF_RECORDINGS.iter().find(|of| of.subcommands.contains(&subcommand));
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let argument = word(ContextKind::InvalidArg).unwrap_or_default();
    let name = argument.split(['=', ' ']).next().unwrap_or_default();
    let of_expression = |text: Option<&str>| text.is_some_and(|text| text.starts_with("--expression"));
    let advice = match error.kind() {
        ErrorKind::UnknownArgument if subcommand == "split" && argument.parse::<Moment>().is_ok() => {
            Some(format!(
                "times are named: tracec split FILE -o NEW.dat --from {argument} --to TIME, each alone or together"
            ))
        }
        ErrorKind::UnknownArgument if !argument.starts_with('-') => {
            Some(of_recordings.map_or(COMMAND, |of| of.argument).to_owned())
        }
        ErrorKind::UnknownArgument => {
            let options = of_recordings.map_or(&[][..], |of| of.options);
            let known =
                options.iter().copied().flatten().chain(OPTIONS).find(|(names, _)| names.contains(&name));
            known.map(|(_, advice)| (*advice).to_owned())
        }
        ErrorKind::ArgumentConflict if of_expression(Some(argument)) => {
            let other = word(ContextKind::PriorArg).filter(|other| !of_expression(Some(other)));
            Some(if other.is_some() { COMMAND } else { SEVERAL }.to_owned())
        }
        ErrorKind::InvalidSubcommand => {
            let typed = word(ContextKind::InvalidSubcommand).unwrap_or_default();
            let is_typed = |names: &[&str]| names.contains(&typed);
            let known = SUBCOMMANDS.iter().find(|(names, _)| is_typed(names));
            let other = OTHERS.iter().find(|(names, _)| is_typed(names));
            known
                .map(|(_, instead)| format!("`tracec {instead}` does that; `tracec help {instead}` says how"))
                .or(other.map(|(_, advice)| (*advice).to_owned()))
        }
        _ => None,
    };
    if let Some(advice) = advice {
        for guess in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::Suggested] {
            error.remove(guess);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}

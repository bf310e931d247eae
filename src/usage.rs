//! Advice for what command lines of other tools have and this one has not.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

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

/// Returns a usage error with what is meant, if that is known, in the place of the parser's own guesses.
pub(crate) fn advised(mut error: clap::Error) -> clap::Error {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let argument = word(ContextKind::InvalidArg).unwrap_or_default();
    let name = argument.split(['=', ' ']).next().unwrap_or_default();
    let of_expression = |text: Option<&str>| text.is_some_and(|text| text.starts_with("--expression"));
    let advice = match error.kind() {
        ErrorKind::UnknownArgument if !argument.starts_with('-') => Some(COMMAND.to_owned()),
        ErrorKind::UnknownArgument => {
            let known = OPTIONS.iter().find(|(names, _)| names.contains(&name));
            known.map(|(_, advice)| (*advice).to_owned())
        }
        ErrorKind::ArgumentConflict if of_expression(Some(argument)) => {
            let other = word(ContextKind::PriorArg).filter(|other| !of_expression(Some(other)));
            Some(if other.is_some() { COMMAND } else { SEVERAL }.to_owned())
        }
        ErrorKind::InvalidSubcommand => {
            let typed = word(ContextKind::InvalidSubcommand).unwrap_or_default();
            let known = SUBCOMMANDS.iter().find(|(names, _)| names.contains(&typed));
            known
                .map(|(_, instead)| format!("`tracec {instead}` does that; `tracec help {instead}` says how"))
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

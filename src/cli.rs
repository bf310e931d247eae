//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Typed trace sessions for Linux: checked before the kernel sees them, applied as a transaction, put back afterwards.
#[derive(Debug, Parser)]
#[command(name = "tracec", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Begin here:
  tracec run -e sched:sched_process_exec             every program that is started, until Ctrl-C
  tracec run -e 'sched:sched_switch if next_comm == \"bash\"' -- make
                                                     records while `make` runs, and only switches to bash
  tracec list '*:*openat*' -v                        which events there are, and their fields
  tracec check session.trc                           mistakes, with the place and a fix; needs no root with --kernel
  tracec plan session.trc                            what would be written, nothing is
  tracec explain T0102                               what a diagnostic means

tracec writes only inside a trace instance of its own and removes it at the end, also after an error or a signal.
Exit status: 0 done, 1 an error (a diagnostic says which), 64 wrong usage; `plan`: 0 no change, 2 changes;
`run -- COMMAND`: the command's status.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the mistakes of a session: parse, resolve, type; writes nothing.
    Check {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        kernel: Kernel,
        #[command(flatten)]
        options: crate::commands::check::options::Options,
    },
    /// Show what a session would change, old -> new; writes nothing. Exit status 2 if there are changes.
    Plan {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        kernel: Kernel,
        /// The instance's name, in place of one made from the session's name and the process id.
        #[arg(long, value_name = "NAME")]
        instance: Option<String>,
        /// Print the plan as JSON.
        #[arg(long)]
        json: bool,
        /// Write the plan to a file, not to standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Run a session: apply, stream its records, stop, put everything back.
    Run(Run),
    /// List events (system:name), with -v their fields; or options, clocks, triggers.
    List {
        /// A glob over `system:name`, or a part of it.
        pattern: Option<String>,
        /// Show each event's fields.
        #[arg(short, long)]
        verbose: bool,
        /// What to list.
        #[arg(long, value_name = "KIND", default_value = "events")]
        kind: ListKind,
        #[command(flatten)]
        kernel: Kernel,
    },
    /// Print a recorded trace.dat file (version 6, uncompressed) as text.
    Report {
        /// The file.
        file: PathBuf,
        /// Print one JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Undo what a killed tracec left behind.
    Recover {
        #[command(flatten)]
        kernel: Live,
        /// Where journals are kept.
        #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
        runtime_dir: PathBuf,
    },
    /// Explain a diagnostic: tracec explain T0102.
    Explain {
        /// Its code, or its name; without one, all codes are listed: code, `error` or a lint's level, name, summary.
        code: Option<String>,
        /// The form: the page, or one JSON object a line.
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: crate::commands::explain::Format,
    },
}

/// `tracec run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) kernel: Live,
    /// Check against this copy of a kernel's tracefs and not against the kernel the session runs on.
    #[arg(long = "kernel", value_name = "DIR")]
    pub(crate) profile: Option<PathBuf>,
    /// The instance's name, in place of one made from the session's name and the process id.
    #[arg(long, value_name = "NAME")]
    pub(crate) instance: Option<String>,
    /// Print one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the journal is kept while the session runs.
    #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
    pub(crate) runtime_dir: PathBuf,
    /// Show no status line and no summary.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// A command to run once everything is armed; the session ends with it.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// A text to work on.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A .trc file, `FILE#SESSION` where it holds several sessions, `-` for standard input.
    #[arg(required_unless_present = "expression", conflicts_with = "expression")]
    pub(crate) file: Option<String>,
    /// The session itself: an event, `EVENT if CONDITION`, or clauses.
    #[arg(short = 'e', long = "expression", value_name = "TEXT")]
    pub(crate) expression: Option<String>,
    /// Give a parameter of the session a value, as the language writes it: `--set min=2ms`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
}

/// `NAME=VALUE`.
fn assignment(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name.trim()) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("expected NAME=VALUE, as in `min=2ms`".to_owned()),
    }
}

/// A kernel to run on.
#[derive(Debug, Args)]
pub(crate) struct Live {
    /// Where tracefs is mounted, in place of looking into /proc/self/mounts.
    #[arg(long, value_name = "DIR", conflicts_with = "mount")]
    pub(crate) tracefs: Option<PathBuf>,
    /// Mount tracefs for this process alone; the mount is gone when tracec ends.
    #[arg(long)]
    pub(crate) mount: bool,
}

/// A kernel to ask.
#[derive(Debug, Args)]
pub(crate) struct Kernel {
    #[command(flatten)]
    pub(crate) live: Live,
    /// A copy of a kernel's tracefs (its `events/` at least), in place of the running kernel.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["tracefs", "mount"])]
    pub(crate) kernel: Option<PathBuf>,
}

/// What `list` lists.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum ListKind {
    /// Events.
    Events,
    /// Trace options.
    Options,
    /// Trace clocks.
    Clocks,
    /// Triggers.
    Triggers,
}

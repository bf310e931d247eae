//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::lints::Lints;

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
  tracec check session.trc --kernel 6.1 --kernel 6.12  the same for several kernels; `tracec kernel list` names them
  tracec plan session.trc                            what would be written, nothing is
  tracec explain session.trc                         where each condition runs, and as which filter text
  tracec build session.trc --target plan -o DIR      files made from a session; `--target list` names what there is
  tracec explain T0102                               what a diagnostic means

tracec writes only inside a trace instance of its own and removes it at the end, also after an error or a signal.
Exit status: 0 done, 1 an error (a diagnostic says which), 64 wrong usage; `plan`, `kernel diff`: 0 no change, 2 changes;
`run -- COMMAND`: the command's status.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the mistakes of a session: parse, resolve, type; writes nothing.
    Check {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        kernels: Kernels,
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
    /// Build files from a session: `--target list` names what it can be built as.
    Build(Build),
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
    /// Lay out .trc files, in their place.
    Fmt(Fmt),
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
    /// Kernels that were saved, and what differs between them.
    #[command(subcommand)]
    Kernel(KernelCommand),
    /// Explain how a session is carried out: each condition's place, exact text and cost. Or a diagnostic: explain T0102.
    Explain(Explain),
}

/// `tracec run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) kernel: Live,
    /// Check against this kernel and not against the one the session runs on: a name of `tracec kernel list`, a
    /// profile, or a directory that holds a copy of a tracefs.
    #[arg(long = "kernel", value_name = "KERNEL")]
    pub(crate) profile: Option<String>,
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

/// `tracec build`.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// A .trc file, `FILE#SESSION` where it holds several sessions, `-` for standard input.
    #[arg(conflicts_with = "expression")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    #[command(flatten)]
    pub(crate) kernel: Kernel,
    /// What to build; `list` lists the targets.
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// The directory to write to, created if it does not exist; `-` for standard output.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// The instance's name, in place of one made from the session's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) instance: Option<String>,
    /// Print what a pass made of the text: `load`, `resolve`, `check`, `simplify` or `place`.
    #[arg(long, value_name = "PASS", conflicts_with_all = ["target", "output"])]
    pub(crate) dump: Option<String>,
}

/// `tracec explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A .trc file, `FILE#SESSION` for one of its sessions, `-` for standard input; or a diagnostic's code or name.
    /// Without any, all codes are listed: code, `error` or a lint's level, name, summary.
    #[arg(value_name = "FILE|CODE", conflicts_with = "expression")]
    pub(crate) what: Option<String>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    #[command(flatten)]
    pub(crate) kernels: Kernels,
    /// The form: for people, or one JSON object a line.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: crate::commands::explain::Format,
    /// The same as `--format json`.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tracec fmt`.
#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// .trc files, directories with such files, `-` from standard input to standard output.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing, list the files whose layout differs; exit status 1 if there are any.
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing, show what would change.
    #[arg(long)]
    pub(crate) diff: bool,
}

/// A text to work on.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A .trc file, `FILE#SESSION` where it holds several sessions, `-` for standard input.
    #[arg(required_unless_present = "expression", conflicts_with = "expression")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) options: SourceOptions,
}

/// What is said of a text beside its file.
#[derive(Debug, Args)]
pub(crate) struct SourceOptions {
    /// The session itself: an event, `EVENT if CONDITION`, or clauses.
    // A text may begin with a dash, by mistake; the language says what is wrong with it.
    #[arg(short = 'e', long = "expression", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) expression: Option<String>,
    /// Give a parameter of the session a value, as the language writes it: `--set min=2ms`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// The levels of lints.
    #[command(flatten)]
    pub(crate) lints: Lints,
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
    /// In place of the running kernel: a name of `tracec kernel list`, a profile, or a directory that holds a copy of a
    /// tracefs (its `events/` at least).
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["tracefs", "mount"])]
    pub(crate) kernel: Option<String>,
}

/// Kernels to ask, each the same.
#[derive(Debug, Args)]
pub(crate) struct Kernels {
    #[command(flatten)]
    pub(crate) live: Live,
    /// In place of the running kernel: a name of `tracec kernel list`, a profile, or a directory that holds a copy of a
    /// tracefs (its `events/` at least). Given several times, the session is checked against each.
    #[arg(long = "kernel", value_name = "KERNEL", conflicts_with_all = ["tracefs", "mount"])]
    pub(crate) kernels: Vec<String>,
}

/// `tracec kernel`.
#[derive(Debug, Subcommand)]
pub(crate) enum KernelCommand {
    /// Save what the compiler needs to know of the running kernel. Needs root; what cannot be read off is tried in an
    /// instance that is removed again.
    Save {
        #[command(flatten)]
        live: Live,
        /// Where to; without it, `$XDG_DATA_HOME/tracec/kernels/RELEASE.trcprof`, where `--kernel RELEASE` finds it.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Leave out the types of the kernel (BTF), some MiB.
        #[arg(long)]
        no_btf: bool,
        /// Leave out the names of the functions that can be traced, some hundred KiB.
        #[arg(long)]
        no_functions: bool,
        /// Where the kernel is from, to be kept in the file.
        #[arg(long, value_name = "TEXT")]
        origin: Option<String>,
        /// Where the journal of the instance is kept.
        #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
        runtime_dir: PathBuf,
    },
    /// List the kernels that `--kernel` knows by name: those shipped with tracec, and those saved.
    List {
        /// Show each kernel's build, and where it is from.
        #[arg(short, long)]
        verbose: bool,
    },
    /// Show what differs from one kernel to another, as far as a session can notice. Exit status 2 if anything does.
    Diff {
        /// The kernel to begin with: a name of `tracec kernel list`, or a profile.
        before: String,
        /// The kernel to compare it with; without it, the running one.
        after: Option<String>,
        #[command(flatten)]
        live: Live,
        /// Print the differences as JSON.
        #[arg(long)]
        json: bool,
    },
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
    /// Features, and whether the kernel has them.
    Features,
}

//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::lints::Lints;
use crate::moment::Moment;
use crate::print::Format;

/// Typed trace sessions for Linux: checked before the kernel sees them, applied as a transaction, put back afterwards.
#[derive(Debug, Parser)]
#[command(name = "tracec", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Begin here:
  tracec run -e sched:sched_process_exec             every program that is started, until Ctrl-C
  tracec run -e 'sched:sched_switch if next_comm == \"bash\"' -- make
                                                     records while `make` runs, and only switches to bash
  tracec list '*:*openat*' -v                        which events there are, and their fields
  tracec start session.trc -o FILE.dat               a session that goes on when you log out; status, tail, stop
  tracec check session.trc                           mistakes, with the place and a fix; needs no root with --kernel
  tracec check session.trc --kernel 6.1 --kernel 6.12  the same for several kernels; `tracec kernel list` names them
  tracec plan session.trc                            what would be written, nothing is
  tracec explain session.trc                         where each condition runs, and as which filter text
  tracec build session.trc --target plan -o DIR      files made from a session; `--target list` names what there is
  tracec explain T0102                               what a diagnostic means

tracec writes only inside a trace instance of its own and removes it at the end, also after an error or a signal.
Exit status: 0 done, 1 an error (a diagnostic says which), 64 wrong usage; `plan`, `kernel diff`, `drift`: 0 no change, 2 changes;
`run -- COMMAND`, `stop`, `attach`: the command's status.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the mistakes of a session: parse, resolve and type it. Writes nothing.
    Check {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        kernels: Kernels,
        #[command(flatten)]
        options: CheckOptions,
    },
    /// Show what a session would change, old -> new. Writes nothing. Exit status 2 if there are changes.
    Plan {
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        kernel: Kernel,
        /// Name the instance; by default the name is made from the session's name, the process id and, in a container,
        /// the number of its PID namespace.
        #[arg(long, value_name = "NAME")]
        instance: Option<String>,
        #[command(flatten)]
        module: ModuleOptions,
        /// Print the plan as JSON.
        #[arg(long)]
        json: bool,
        /// Write the plan to a file instead of standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Run a session: apply it, stream its records, and undo its changes at the end.
    Run(Run),
    /// Start a session that outlives the shell: it is supervised by a process of its own until `tracec stop`, or until it ends
    /// as with `run`. Its records need a file, unless it has dumps. Returns once it is armed.
    Start(Start),
    /// Show the sessions that were started: state, age, records, losses, fill of the rings. Exit status 1 if one of them does
    /// not answer, or its supervisor was killed.
    Status {
        #[command(flatten)]
        started: Started,
        /// Print one JSON object per line.
        #[arg(long)]
        json: bool,
    },
    /// End a started session, wait until everything is put back, and print its summary. The exit status is that of `run`. Of
    /// one that has ended by itself, print the summary.
    Stop(Started),
    /// Switch the recording of a started session off.
    Pause(Started),
    /// Switch the recording of a paused session on again.
    Resume(Started),
    /// Write a text into the record of a started session.
    #[command(override_usage = "tracec mark [OPTIONS] [NAME] <TEXT>")]
    Mark {
        /// The name of the session, which may be left out if there is one only; and the text.
        #[arg(required = true, num_args = 1..=2, value_name = "NAME|TEXT")]
        words: Vec<String>,
        /// The directory of the journals.
        #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
        runtime_dir: PathBuf,
    },
    /// Write what the ring of a started session with `ring` holds to a file. The session goes on, and its records from then on
    /// are the next ones that are written.
    Snapshot {
        #[command(flatten)]
        started: Started,
        /// Write to this file, whose extension says in which form, as with `run`. By default the file stands beside the output
        /// of the session, in the same form: `NAME-snapshot-1.dat`.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Empty the ring of a started session with `ring`.
    Clear(Started),
    /// Write what the rings of a started session with `ring`, or of an instance of another program or of the kernel's command
    /// line, hold to a file. It records on; what is written is no longer in its rings.
    Collect(Collect),
    /// Show the records of a started session as they are written, until it ends.
    Tail(Started),
    /// As `tail`; a signal, such as Ctrl-C, ends the session too.
    Attach(Started),
    /// Confirm a session that was started with `--confirm-within`.
    Confirm(Started),
    /// Show what differs in the kernel from what a started session has set. Writes nothing. Exit status 2 if something does.
    Drift(Started),
    /// Build files from a session; `--target list` lists the targets.
    Build(Build),
    /// List events (system:name), with -v also their fields; or options, clocks, triggers, features.
    List {
        /// A glob over `system:name`, or a part of it.
        pattern: Option<String>,
        /// Show each event's fields.
        #[arg(short, long)]
        verbose: bool,
        /// The kind of things to list.
        #[arg(long, value_name = "KIND", default_value = "events")]
        kind: ListKind,
        #[command(flatten)]
        kernel: Kernel,
    },
    /// Format .trc files in place.
    Fmt(Fmt),
    /// Serve an editor by the Language Server Protocol on standard input and output: diagnostics, completion and more.
    /// Needs no root: where no tracefs can be read, texts are checked for the saved or shipped kernel nearest to the
    /// running one.
    Lsp {
        #[command(flatten)]
        kernels: Kernels,
        /// Files below this directory may be imported too; can be given several times.
        #[arg(long, value_name = "DIR")]
        import_path: Vec<PathBuf>,
        /// Ignored: editors pass it, and there is no other way to talk.
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Print a recorded trace.dat file (version 6 or 7) as text: all of its records, or those that a session
    /// would record. Or print the JSON lines of `run` as text.
    Report(Report),
    /// Print the records of a recorded trace.dat file for which a condition holds, or write them to another file. Conditions
    /// run as machine code, over the pages of several CPUs at once.
    Filter(Filter),
    /// Count the records of a recorded trace.dat file: its period, the events and tasks with the most records, what each CPU
    /// has and lost, and the longest times without a record.
    Summary(Summary),
    /// Write a recorded trace.dat file in another version or compression. All records, texts and options are kept.
    Convert(Convert),
    /// Cut a range of times out of a recorded trace.dat file. The new file has its form.
    Split(Split),
    /// List what a recorded trace.dat file consists of: sections, options and buffers, with their offsets and sizes.
    Dump {
        /// A trace.dat file.
        file: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Undo the changes that a killed tracec left. Exit status 1 if something is left that you have to look at.
    Recover {
        #[command(flatten)]
        kernel: Live,
        /// The directory of journals.
        #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
        runtime_dir: PathBuf,
        /// Recover this instance's session only, and remove the instance also where its journal does not say whether
        /// the session created it.
        #[arg(long, value_name = "NAME")]
        instance: Option<String>,
    },
    /// Remove what `recover` leaves because no journal says whose it is: instances of killed sessions that have lost their
    /// journal, and journals that cannot be read. What tracec did not make is not touched.
    Clean {
        #[command(flatten)]
        kernel: Live,
        /// The directory of journals.
        #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
        runtime_dir: PathBuf,
        /// Show what would be removed. Exit status 2 if there is something.
        #[arg(long)]
        dry_run: bool,
    },
    /// Save, list and compare kernels.
    #[command(subcommand)]
    Kernel(KernelCommand),
    /// Explain how a session is implemented: the place, exact text and cost of each condition. Or explain a diagnostic:
    /// `explain T0102`.
    Explain(Explain),
}

/// How mistakes are shown and fixed.
#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    /// The format of diagnostics.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Apply all fixes that are certain, and check again. The text of -e or of standard input is written to standard
    /// output.
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix: also apply guesses, such as the nearest name.
    #[arg(long, requires = "fix")]
    pub(crate) guess: bool,
    /// With --fix: write nothing, show the changes as a diff. Exit status 1 if there are any.
    #[arg(long, requires = "fix")]
    pub(crate) diff: bool,
}

/// Arguments of `tracec run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) session: SessionOptions,
    /// Print one JSON object per line.
    #[arg(long, conflicts_with = "output")]
    pub(crate) json: bool,
    /// Show no status line and no summary.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// List at the end how many records each CPU lost, and each event of programs; the summary names those that lost most.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) losses: bool,
    /// A command to run once recording is on; the session ends with it.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Arguments of `tracec start`.
#[derive(Debug, Args)]
pub(crate) struct Start {
    #[command(flatten)]
    pub(crate) session: SessionOptions,
    /// Name the started session for `status`, `stop` and the others; by default the name is the session's own.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// End the session and put everything back unless `tracec confirm` is called in this time, such as `60s`.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) confirm_within: Option<Duration>,
    /// A command to run once recording is on; the session ends with it. It has no terminal.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What is collected.
#[derive(Debug, Args)]
pub(crate) struct Collect {
    /// The name of a started session, or of an instance.
    pub(crate) name: String,
    /// Write to this file, whose extension says in which form: `.dat` is a trace.dat file, as with `run`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) kernel: Live,
    /// The directory of the journals.
    #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
    pub(crate) runtime_dir: PathBuf,
}

/// A session that was started.
#[derive(Debug, Args)]
pub(crate) struct Started {
    /// The name of the session; it may be left out if there is one only.
    pub(crate) name: Option<String>,
    /// The directory of the journals.
    #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
    pub(crate) runtime_dir: PathBuf,
}

/// A session that is run, and how.
#[derive(Debug, Args)]
pub(crate) struct SessionOptions {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) kernel: Live,
    /// Check against this kernel instead of the one that runs the session: a name of `tracec kernel list`, a profile,
    /// or a directory that contains a copy of a tracefs.
    #[arg(long = "kernel", value_name = "KERNEL")]
    pub(crate) profile: Option<String>,
    /// Name the instance; by default the name is made from the session's name, the process id and, in a container, the
    /// number of its PID namespace.
    #[arg(long, value_name = "NAME")]
    pub(crate) instance: Option<String>,
    #[command(flatten)]
    pub(crate) module: ModuleOptions,
    /// Write the records to this file, whose extension says in which form, as in `output "FILE";`: `.dat` is a trace.dat
    /// file for `tracec report`, trace-cmd and KernelShark. Takes the place of the session's own output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormOptions,
    /// The directory of the journal while the session runs.
    #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
    pub(crate) runtime_dir: PathBuf,
    /// Run the command as this user, with its groups and its HOME. By default it runs as the user of tracec.
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Evaluate the conditions that the host decides without machine code.
    #[arg(long)]
    pub(crate) no_jit: bool,
}

/// What the text form and the JSON form show of a record.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct FormOptions {
    /// Print the fields of records, `field=value`, in place of the text that the kernel prints.
    #[arg(long)]
    pub(crate) fields: bool,
    /// Add the text that the kernel prints to each JSON object.
    #[arg(long, conflicts_with = "fields")]
    pub(crate) text: bool,
}

/// The module of the tracepoints that a text defines.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct ModuleOptions {
    /// What records: `tracefs`, the default, or `bpf`, programs that decide whole conditions in the kernel. With `module`, a
    /// kernel module of the tracepoints that the text defines is built and loaded while the session runs.
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Make a C file a part of the module: calls of its tracepoints, functions that it names. Can be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    /// Load the module from the directory in which it was built before.
    #[arg(long, value_name = "DIR", conflicts_with = "with")]
    pub(crate) built: Option<PathBuf>,
}

/// Arguments of `tracec report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// A trace.dat file, or one of JSON lines that `run` wrote (`.jsonl`, `.json`, `.ndjson`). The records of several
    /// trace.dat files are merged by time; their clock must be the same.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Go on with what a session writes into the file, until it is complete.
    #[arg(short, long)]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    #[command(flatten)]
    pub(crate) show: ShowOptions,
}

/// Arguments of `tracec filter`.
#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// A trace.dat file, and what is to be found in it: `EVENT if CONDITION` as in a `trace` clause, or a .trc file whose
    /// `trace` clauses say it, `FILE#SESSION` if it has several sessions. With -e, all are trace.dat files; the records of
    /// several are merged by time.
    #[arg(required = true, value_name = "FILE|CONDITION")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    /// Write a trace.dat file with the records, in the form of the recording. It gets its name when it is complete.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["json", "fields", "text", "layout", "options"])]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) show: ShowOptions,
}

/// Which records of recordings are shown, and how.
#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    /// Print one JSON object per line.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) form: FormOptions,
    /// The layout of lines: `kernel`, the default, as the kernel's file `trace` has them; `function_graph`, as it has them
    /// while that is the tracer; `trace-cmd-3.1` or `trace-cmd-3.3`, as `trace-cmd report` of these versions prints them.
    #[arg(long, value_name = "LAYOUT", conflicts_with_all = ["json", "fields", "text"])]
    pub(crate) layout: Option<String>,
    /// Set a trace option that changes lines of the kernel, such as `latency-format`, or unset it, `noirq-info`; or one that
    /// changes those of trace-cmd: `latency-format`, `indent`, `parent`, `offset`. Can be repeated.
    #[arg(long = "option", value_name = "NAME", conflicts_with_all = ["json", "fields", "text"])]
    pub(crate) options: Vec<String>,
    /// Whether lines of the layouts `kernel` and `function_graph` have colours; `auto` means on a terminal, unless NO_COLOR
    /// is set.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Colour,
    /// Show no progress, and no counts at the end.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// When lines have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Arguments of `tracec summary`.
#[derive(Debug, Args)]
pub(crate) struct Summary {
    /// A trace.dat file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many events, tasks and gaps are listed at most.
    #[arg(long, value_name = "N", default_value = "10", value_parser = one_or_more, allow_negative_numbers = true)]
    pub(crate) top: usize,
    /// Show no progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// Reads a number that is not 0.
fn one_or_more(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("at least 1 is listed".to_owned()),
        other => other.map_err(|_| "it is not a number such as 10".to_owned()),
    }
}

/// Arguments of `tracec convert`.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// A trace.dat file.
    pub(crate) file: PathBuf,
    /// The file to write, which may be the same one. It gets its name when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The compression of version 7; by default that of the file, or zstd for a file of version 6.
    #[arg(long, value_name = "NAME")]
    pub(crate) compression: Option<FileCompression>,
    /// The version of the new file.
    #[arg(long, value_name = "NUMBER", default_value = "7")]
    pub(crate) file_version: FileVersion,
    /// Show no progress, and no counts at the end.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// A compression of trace.dat files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileCompression {
    /// None.
    None,
    /// zstd.
    Zstd,
    /// zlib; some builds of trace-cmd cannot read it.
    Zlib,
}

/// A version of trace.dat files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileVersion {
    /// The version that trace-cmd before 3.0 reads, without compression.
    #[value(name = "6")]
    Six,
    /// The version of trace-cmd 3.0.
    #[value(name = "7")]
    Seven,
}

/// Arguments of `tracec split`.
#[derive(Debug, Args)]
pub(crate) struct Split {
    /// A trace.dat file.
    pub(crate) file: PathBuf,
    /// The file to write, which is not the same one. It gets its name when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The first time: seconds as `tracec report` and `trace-cmd report` print them, `1234.567890`, or a duration from the
    /// first record, `250ms`. Without it the file begins as before.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) from: Option<Moment>,
    /// The last time, which belongs to the range: as `--from`. Without it the file ends as before.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) to: Option<Moment>,
    /// Keep this buffer alone, the one of an instance with this name, or `top` for that of the top level. It is the buffer of
    /// the top level in the new file, where programs find it that read no other.
    #[arg(long, value_name = "NAME")]
    pub(crate) buffer: Option<String>,
    /// Show no progress, and no counts at the end.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Which records of a recording are of interest, and how they are found.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct Selection {
    /// Show the events whose name, `EVENT` or `SYSTEM:EVENT`, matches a pattern with `*`, `?` and `[..]`. Can be repeated.
    #[arg(long = "event", value_name = "GLOB")]
    pub(crate) events: Vec<String>,
    /// Show the records of these CPUs, as in `0,2-3`.
    #[arg(long = "cpu", value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Show the records of a thread, by its id or its name. Can be repeated.
    #[arg(long = "task", value_name = "PID|NAME")]
    pub(crate) tasks: Vec<String>,
    /// Show the records from a time on: seconds as they are printed, `2266.954751`, a number for a clock that does not count
    /// nanoseconds, or a duration from the first record, `250ms`.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) from: Option<Moment>,
    /// Show the records up to a time, as `--from`.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) to: Option<Moment>,
    /// Show the records of the buffer of an instance, `top` for that of the top level. Can be repeated.
    #[arg(long = "buffer", value_name = "NAME")]
    pub(crate) buffers: Vec<String>,
    /// Evaluate conditions without machine code.
    #[arg(long)]
    pub(crate) no_jit: bool,
}

/// Arguments of `tracec build`.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct Build {
    /// A .trc file, `FILE#SESSION` if it has several sessions, `-` for standard input.
    #[arg(conflicts_with = "expression")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    #[command(flatten)]
    pub(crate) kernel: Kernel,
    /// The target; `list` lists the targets.
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// The directory to write to, created if it does not exist; `-` for standard output.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Name the instance; by default the name is made from the session's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) instance: Option<String>,
    /// Make a C file a part of the module: calls of its tracepoints, functions that it names. Can be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    /// The directory of a kernel tree that gets the tracepoints, for the target `kernel-tree`.
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// Print the result of a pass: `load`, `resolve`, `check`, `simplify` or `place`, the last for `--target`.
    #[arg(long, value_name = "PASS", conflicts_with = "output")]
    pub(crate) dump: Option<String>,
}

/// Arguments of `tracec explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A .trc file, `FILE#SESSION` for one of its sessions, `-` for standard input; or a diagnostic's code or name.
    /// Without it, all codes are listed: code, `error` or a lint's level, name, summary.
    #[arg(value_name = "FILE|CODE", conflicts_with = "expression")]
    pub(crate) what: Option<String>,
    #[command(flatten)]
    pub(crate) source: SourceOptions,
    #[command(flatten)]
    pub(crate) kernels: Kernels,
    /// The format: text, or one JSON object per line.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ExplanationFormat,
    /// The same as `--format json`.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also show the machine code of the conditions that the host decides, each under its source.
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(crate) asm: bool,
}

/// The format of explanations, pages and lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplanationFormat {
    /// For people. The list of all codes has one line per code.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Arguments of `tracec fmt`.
#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// .trc files, directories with such files, or `-` for standard input to standard output.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing, list the files whose layout would change; exit status 1 if there are any.
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing, show the changes as a diff.
    #[arg(long)]
    pub(crate) diff: bool,
}

/// The text of a session, and options for it.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A .trc file, `FILE#SESSION` if it has several sessions, `-` for standard input.
    #[arg(required_unless_present = "expression", conflicts_with = "expression")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) options: SourceOptions,
}

/// Options for a text besides its file.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct SourceOptions {
    /// The session itself: an event, `EVENT if CONDITION`, or clauses.
    // A text may begin with a dash by mistake; the compiler then reports the mistake.
    #[arg(short = 'e', long = "expression", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) expression: Option<String>,
    /// Set a parameter of the session to a value in the syntax of the language: `--set min=2ms`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Import files below this directory too. Without it they are imported from the project only: the nearest directory
    /// above the text that contains `.git`, or else the text's own directory.
    #[arg(long, value_name = "DIR", value_parser = directory)]
    pub(crate) import_path: Vec<PathBuf>,
    /// The levels of lints.
    #[command(flatten)]
    pub(crate) lints: Lints,
}

/// Parses the path of a directory.
fn directory(text: &str) -> Result<PathBuf, String> {
    match std::fs::metadata(text) {
        Ok(found) if found.is_dir() => Ok(text.into()),
        Ok(_) => Err("it is not a directory".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses `NAME=VALUE`.
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

/// The running kernel.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct Live {
    /// The mount point of tracefs; by default it is looked up in /proc/self/mounts.
    #[arg(long, value_name = "DIR", conflicts_with = "mount")]
    pub(crate) tracefs: Option<PathBuf>,
    /// Mount tracefs for this process only; it is unmounted when tracec ends.
    #[arg(long)]
    pub(crate) mount: bool,
}

/// A kernel to compile for.
#[derive(Debug, Default, PartialEq, Args)]
pub(crate) struct Kernel {
    #[command(flatten)]
    pub(crate) live: Live,
    /// Use this kernel instead of the running one: a name of `tracec kernel list`, a profile, or a directory that
    /// contains a copy of a tracefs (at least its `events/`).
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["tracefs", "mount"])]
    pub(crate) kernel: Option<String>,
}

/// Kernels to check against.
#[derive(Debug, Args)]
pub(crate) struct Kernels {
    #[command(flatten)]
    pub(crate) live: Live,
    /// Use this kernel instead of the running one: a name of `tracec kernel list`, a profile, or a directory that
    /// contains a copy of a tracefs (at least its `events/`). If given several times, the session is checked against
    /// each.
    #[arg(long = "kernel", value_name = "KERNEL", conflicts_with_all = ["tracefs", "mount"])]
    pub(crate) kernels: Vec<String>,
}

/// The subcommands of `tracec kernel`.
#[derive(Debug, Subcommand)]
pub(crate) enum KernelCommand {
    /// Save what the compiler reads of the running kernel. Needs root. Features that no file shows are tried in an
    /// instance that is removed again.
    Save {
        #[command(flatten)]
        live: Live,
        /// The file; by default `$XDG_DATA_HOME/tracec/kernels/RELEASE.trcprof`, where `--kernel RELEASE` finds it.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Leave out the types of the kernel (BTF), which take some MiB.
        #[arg(long)]
        no_btf: bool,
        /// Leave out the names of traceable functions, which take some hundred KiB.
        #[arg(long)]
        no_functions: bool,
        /// The origin of the kernel, to be stored in the file.
        #[arg(long, value_name = "TEXT")]
        origin: Option<String>,
        /// The directory of the journal of the instance.
        #[arg(long, value_name = "DIR", default_value = tracec_runtime::session::DEFAULT_RUNTIME_DIR)]
        runtime_dir: PathBuf,
    },
    /// List the kernels that `--kernel` accepts by name: those shipped with tracec, and those that were saved.
    List {
        /// Show each kernel's build and origin.
        #[arg(short, long)]
        verbose: bool,
    },
    /// Show the differences between two kernels that affect sessions. Exit status 2 if there are any.
    Diff {
        /// The first kernel: a name of `tracec kernel list`, or a profile.
        before: String,
        /// The second kernel; by default the running one.
        after: Option<String>,
        #[command(flatten)]
        live: Live,
        /// Print the differences as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// A kind of things that `list` lists.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ListKind {
    /// Events.
    Events,
    /// Trace options.
    Options,
    /// Trace clocks.
    Clocks,
    /// Triggers.
    Triggers,
    /// Tracers.
    Tracers,
    /// Functions of the kernel that can be traced.
    Functions,
    /// Modules of the library, for `use std::NAME`.
    Modules,
    /// Features, and whether the kernel has them.
    Features,
}

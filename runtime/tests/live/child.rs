//! This test program, executed as a session that can be signalled and killed, or as a session's command.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, Command, ExitCode, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tracec_kernel::plan::{InstanceName, Transaction};
use tracec_runtime::session::{RunOptions, apply, run};
use tracec_runtime::sink::{Output, TEXT};
use tracec_runtime::tracefs::Tracefs;

use crate::fixture::{Fixture, open_tracefs, plan};
use crate::{events, shared, sysctls};

const ROLE: &str = "TRACEC_LIVE_CHILD";
const INSTANCE: &str = "TRACEC_LIVE_INSTANCE";
const RUNTIME_DIR: &str = "TRACEC_LIVE_RUNTIME_DIR";

/// Runs the role that the environment names, if it names one.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    match std::env::args().nth(1).as_deref() {
        Some("--exit-7") => return Some(ExitCode::from(7)),
        Some("--wait") => {
            eprintln!("started");
            let mut rest = Vec::new();
            let read = std::io::stdin().read_to_end(&mut rest);
            eprintln!("continued");
            return Some(if read.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        _ => {}
    }
    let role = std::env::var(ROLE).ok()?;
    Some(run_session(&role))
}

/// Returns the command line of this program as a command of a session.
pub(crate) fn own_command(argument: &str) -> Vec<OsString> {
    vec![std::env::current_exe().unwrap().into(), argument.into()]
}

fn run_session(role: &str) -> ExitCode {
    let tracefs = open_tracefs().unwrap();
    let name = InstanceName::new(&std::env::var(INSTANCE).unwrap()).unwrap();
    let mut options = RunOptions::new(Output::Stdout(&TEXT));
    options.runtime_dir = std::env::var_os(RUNTIME_DIR).unwrap().into();
    let plan = match role {
        "shared" => return apply_and_wait(&tracefs, &shared::every_kind(&name), &options.runtime_dir),
        "sysctls" => return apply_and_wait(&tracefs, &sysctls::transaction(&name), &options.runtime_dir),
        "events" => {
            let transaction = events::transaction(&name, &options.runtime_dir, Vec::new());
            return apply_and_wait(&tracefs, &transaction, &options.runtime_dir);
        }
        "recorded events" => {
            let transaction = events::recorded(&name, &options.runtime_dir);
            return apply_and_wait(&tracefs, &transaction, &options.runtime_dir);
        }
        "switches" => plan(&tracefs, &name, &["sched:sched_switch"], &[]),
        "nothing" => {
            options.command = Some(own_command("--wait"));
            plan(&tracefs, &name, &[], &[])
        }
        "command" => {
            options.command = Some(own_command("--wait"));
            plan(&tracefs, &name, &["sched:sched_process_exec"], &[])
        }
        role => panic!("there is no role {role}"),
    };
    match run(&tracefs, &plan, options) {
        Ok(summary) => {
            eprintln!(
                "ended by {:?}, complete {}, residue {:?}",
                summary.ended_by, summary.output_complete, summary.residue
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

/// Applies a session that changes shared state, and waits to be killed.
fn apply_and_wait(tracefs: &Tracefs, transaction: &Transaction, runtime_dir: &Path) -> ExitCode {
    let applied = apply(tracefs, transaction, runtime_dir).unwrap();
    println!("applied");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    applied.undo().unwrap();
    ExitCode::SUCCESS
}

/// A session in a child process, its output and messages in pipes.
pub(crate) struct Child {
    child: std::process::Child,
    /// The standard input. It is kept here because waiting for a child closes its input.
    input: Option<ChildStdin>,
    output: Option<BufReader<Box<dyn Read>>>,
    messages: BufReader<ChildStderr>,
}

impl Child {
    pub(crate) fn spawn(fixture: &Fixture, role: &str) -> Self {
        Child::spawn_into(fixture, role, Stdio::piped())
    }

    /// Starts a session with a given standard output.
    pub(crate) fn spawn_into(fixture: &Fixture, role: &str, output: impl Into<Stdio>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .env(ROLE, role)
            .env(INSTANCE, fixture.name.as_str())
            .env(RUNTIME_DIR, fixture.runtime_dir())
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(Stdio::piped());
        // SAFETY: only async-signal-safe calls are made between fork and exec.
        unsafe { command.pre_exec(take_all_signals) };
        let mut child = command.spawn().unwrap();
        let output = child.stdout.take().map(|output| BufReader::new(Box::new(output) as Box<dyn Read>));
        let messages = BufReader::new(child.stderr.take().unwrap());
        Child { input: child.stdin.take(), child, output, messages }
    }

    /// Returns the next line of its output.
    pub(crate) fn read_line(&mut self) -> String {
        let mut line = String::new();
        let output = self.output.as_mut().expect("the output is a pipe of ours");
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "no output: {}", self.message());
        line
    }

    /// Returns the next line of its messages.
    pub(crate) fn message(&mut self) -> String {
        let mut line = String::new();
        self.messages.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn close_output(&mut self) {
        self.output = None;
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for its end. Its command may still hold the output open.
    pub(crate) fn exit_status(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Reads the rest of its output, and waits for its end.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        if let Some(output) = &mut self.output {
            output.read_to_end(&mut Vec::new()).unwrap();
        }
        self.child.wait().unwrap()
    }
}

/// Resets the disposition of signals: a shell may have started the tests with signals ignored, which is inherited.
fn take_all_signals() -> std::io::Result<()> {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: SIG_DFL is a valid disposition for each of them.
        if unsafe { libc::signal(signal, libc::SIG_DFL) } == libc::SIG_ERR {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Returns both ends of a full pipe.
pub(crate) fn full_pipe() -> (File, File) {
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while rustix::io::write(&writer, &[b'x'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    (reader.into(), writer.into())
}

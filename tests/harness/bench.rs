//! The environment of the tests: the command under test, the tracefs, and snapshots of it.

#![expect(unsafe_code, reason = "sends signals by number, and sets their dispositions in a child")]

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process};
use xtask::snapshot::{Snapshot, note_on_others};

/// The time limit of one run of the command. Emulated machines are some twenty times slower than real ones.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// The paths of the environment.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// The command under test.
    pub(crate) tracec: PathBuf,
    /// A mounted tracefs.
    pub(crate) tracefs: PathBuf,
    /// The directory `tests/`.
    pub(crate) data: PathBuf,
    /// The last snapshot: it is also the one before the next test, so each test takes only one.
    last: Arc<Mutex<Last>>,
    /// A whole snapshot follows every so many tests, and one without the files of single events the others.
    every: usize,
    /// The lock that keeps other tests away from this tracefs, until the process ends.
    _alone: Arc<File>,
}

/// The last snapshot, and the tests since.
#[derive(Debug, Default)]
struct Last {
    snapshot: Option<Snapshot>,
    tests: Vec<String>,
}

/// The variable that says how many tests a whole snapshot is for.
const EVERY: &str = "TRACEC_TEST_SNAPSHOT_EVERY";

/// The result of a finished run.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

impl Bench {
    /// Finds everything; an error is the reason why live tests cannot run here.
    pub(crate) fn find() -> Result<Bench, String> {
        let tracec = variable("TRACEC_BIN").unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_tracec")));
        let data = variable("TRACEC_TEST_DATA")
            .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
        let tracefs = match variable("TRACEC_TEST_TRACEFS") {
            Some(dir) => dir,
            None => mounted().ok_or("no tracefs is mounted; `cargo xtask test` mounts one")?,
        };
        for (what, path) in [("tracec", &tracec), ("tests", &data)] {
            if !path.exists() {
                return Err(format!("{what} is not at {}", path.display()));
            }
        }
        // The lock comes first: the probe would be in another process's snapshots.
        let alone = alone(&tracefs).map_err(|error| format!("{}: {error}", tracefs.display()))?;
        if std::fs::create_dir(tracefs.join("instances/tracec-test-probe")).is_err() {
            return Err(format!(
                "cannot make an instance in {}: not root, or locked down",
                tracefs.display()
            ));
        }
        std::fs::remove_dir(tracefs.join("instances/tracec-test-probe"))
            .map_err(|error| error.to_string())?;
        let every = std::env::var(EVERY).ok().and_then(|every| every.parse().ok()).unwrap_or(1);
        Ok(Bench { tracec, tracefs, data, last: Arc::default(), every, _alone: Arc::new(alone) })
    }

    /// Returns the same environment with another path of the command under test.
    pub(crate) fn with_program(&self, tracec: PathBuf) -> Bench {
        Bench { tracec, ..self.clone() }
    }

    /// Returns `tracec SUBCOMMAND --tracefs ..`, ready for more arguments.
    pub(crate) fn tracec(&self, subcommand: &str) -> Command {
        let mut command = Command::new(&self.tracec);
        command.arg(subcommand).arg("--tracefs").arg(&self.tracefs);
        command
    }

    /// Returns whether a path in the tracefs exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.tracefs.join(path).exists()
    }

    /// Returns a trial that must leave no trace: the snapshot of tracefs is the same before and after, even if the test
    /// fails.
    pub(crate) fn trial(
        &self,
        name: &str,
        test: impl FnOnce(&Bench) -> Result<(), Failed> + Send + 'static,
    ) -> Trial {
        let (bench, of) = (self.clone(), name.to_owned());
        Trial::test(name.to_owned(), move || bench.unchanged(&of, || test(&bench)))
    }

    /// Fails if `test` does, or if the snapshot of tracefs differs afterwards.
    pub(crate) fn unchanged(
        &self,
        name: &str,
        test: impl FnOnce() -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let Last { snapshot, mut tests } = std::mem::take(&mut *self.last());
        let before = match snapshot {
            Some(snapshot) => snapshot,
            None => self.snapshot()?,
        };
        // The test's own failure comes first: a snapshot of a broken state may not even be possible.
        let result = test();
        tests.push(name.to_owned());
        if result.is_ok() && tests.len() < self.every {
            let outer = Snapshot::capture_outer(&self.tracefs).map_err(no_snapshot)?;
            if before.outer().diff_beside_others(&outer).0.is_empty() {
                *self.last() = Last { snapshot: Some(before), tests };
                return Ok(());
            }
        }
        let after = match (self.snapshot(), &result) {
            (Err(_), Err(_)) => return result,
            (after, _) => after?,
        };
        let (differences, others) = before.diff_beside_others(&after);
        let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
        if let Some(note) = note_on_others(&others) {
            eprintln!("NOTE: {note}");
        }
        *self.last() = Last { snapshot: Some(after), tests: Vec::new() };
        result?;
        match (differences.as_slice(), tests.as_slice()) {
            ([], _) => Ok(()),
            (differences, [_]) => Err(format!("tracefs differs:\n{}", differences.join("\n")).into()),
            (differences, tests) => {
                let differences = differences.join("\n");
                let why = format!("tracefs differs after one of {}:\n{differences}", tests.join(", "));
                Err(format!("{why}\n{EVERY}=1 finds out which").into())
            }
        }
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn snapshot(&self) -> Result<Snapshot, Failed> {
        Snapshot::capture(&self.tracefs).map_err(no_snapshot)
    }
}

/// Returns the failure to read the state.
fn no_snapshot(error: impl std::fmt::Display) -> Failed {
    format!("no snapshot: {error:#}").into()
}

/// Runs a command to its end.
pub(crate) fn finish(command: Command, timeout: Duration) -> Result<Finished, Failed> {
    start(command)?.wait(timeout)
}

/// Gives a command the default actions of the signals that end a session.
pub(crate) fn default_signals(command: &mut Command) {
    // A shell starts background processes with SIGINT and SIGQUIT ignored, and a session leaves ignored signals
    // ignored: these tests must not depend on how they were started.
    let default_signals = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: signal(2) is async-signal-safe, and SIG_DFL installs no code.
            if unsafe { libc::signal(signal, libc::SIG_DFL) } == libc::SIG_ERR {
                return Err(std::io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: the closure runs between fork and exec and calls nothing but signal(2).
    unsafe { command.pre_exec(default_signals) };
}

/// Starts a command whose output is gathered while it runs.
pub(crate) fn start(mut command: Command) -> Result<Running, Failed> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    default_signals(&mut command);
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let (send, chunks) = mpsc::channel();
    let err = child.stderr.take().map(|mut stream| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            stream.read_to_end(&mut text).map(|_| text)
        })
    });
    if let Some(mut stream) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut chunk) {
                if send.send(chunk[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    Ok(Running { child, chunks, stdout: Vec::new(), err })
}

/// A running command.
pub(crate) struct Running {
    child: std::process::Child,
    chunks: mpsc::Receiver<Vec<u8>>,
    stdout: Vec<u8>,
    err: Option<std::thread::JoinHandle<std::io::Result<Vec<u8>>>>,
}

impl Running {
    /// Waits until a text appears in its standard output.
    pub(crate) fn until(&mut self, text: &str, timeout: Duration) -> Result<(), Failed> {
        let deadline = std::time::Instant::now() + timeout;
        while !String::from_utf8_lossy(&self.stdout).contains(text) {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            // Output that goes on and on must not keep it waiting.
            let next = if left.is_zero() {
                Err(mpsc::RecvTimeoutError::Timeout)
            } else {
                self.chunks.recv_timeout(left)
            };
            match next {
                Ok(chunk) => self.stdout.extend(chunk),
                Err(reason) => {
                    let _ = self.child.kill();
                    let so_far = String::from_utf8_lossy(&self.stdout).into_owned();
                    // Something that it has started may hold the other stream while this one is open.
                    let err = self.err.take().filter(|_| reason == mpsc::RecvTimeoutError::Disconnected);
                    let said = match err.map(std::thread::JoinHandle::join) {
                        Some(Ok(Ok(said))) => String::from_utf8_lossy(&said).into_owned(),
                        _ => String::new(),
                    };
                    return Err(format!("{text:?} did not appear ({reason}); so far:\n{so_far}{said}").into());
                }
            }
        }
        Ok(())
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Failed> {
        kill_process(Pid::from_child(&self.child), signal)?;
        Ok(())
    }

    /// Sends it the signal with a number, which may be a real-time signal.
    pub(crate) fn signal_number(&self, number: i32) -> Result<(), Failed> {
        let pid = Pid::from_child(&self.child).as_raw_nonzero().get();
        // SAFETY: kill takes two numbers. The child is reaped by `wait` only, so that the pid is still its own.
        match unsafe { libc::kill(pid, number) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error().into()),
        }
    }

    /// Waits until it is stopped or has ended. Returns whether it is stopped.
    pub(crate) fn is_stopped(&self) -> Result<bool, Failed> {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?;
        Ok(status.is_some_and(|status| status.stopped()))
    }

    /// Waits for its end; past the time-out it is killed and the test fails.
    pub(crate) fn wait(mut self, timeout: Duration) -> Result<Finished, Failed> {
        let deadline = std::time::Instant::now() + timeout;
        // Its standard output is closed when it ends, so the end of the channel is the signal to reap it.
        loop {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok(chunk) => self.stdout.extend(chunk),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    return Err(format!("still running after {timeout:?}").into());
                }
            }
        }
        let status = self.child.wait()?;
        let stderr = match self.err.take().map(std::thread::JoinHandle::join) {
            Some(Ok(text)) => text?,
            _ => Vec::new(),
        };
        Ok(Finished {
            status,
            stdout: String::from_utf8_lossy(&self.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After a test that failed half-way; both fail only for a process that has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Finished {
    /// Fails unless it ended with this exit status.
    pub(crate) fn expect_status(&self, wanted: i32) -> Result<&Self, Failed> {
        match self.status.code() {
            Some(code) if code == wanted => Ok(self),
            _ => Err(format!("{}, expected {wanted}\n{self}", self.status).into()),
        }
    }

    /// Fails unless standard error holds a text.
    pub(crate) fn expect_stderr(&self, wanted: &str) -> Result<&Self, Failed> {
        if self.stderr.contains(wanted) { Ok(self) } else { Err(format!("no {wanted:?} in\n{self}").into()) }
    }

    /// Fails unless standard output holds a text.
    pub(crate) fn expect_stdout(&self, wanted: &str) -> Result<&Self, Failed> {
        if self.stdout.contains(wanted) { Ok(self) } else { Err(format!("no {wanted:?} in\n{self}").into()) }
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--- standard output\n{}--- standard error\n{}---", self.stdout, self.stderr)
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// Waits until no other process tests on this tracefs. Other processes wait as long as the file is open.
///
/// Tests compare all of tracefs, so that two runs at a time would find the changes of each other. The live tests of
/// the runtime take the same lock.
fn alone(tracefs: &Path) -> std::io::Result<File> {
    let root = File::open(tracefs)?;
    if root.try_lock().is_err() {
        println!("waiting for other tests on {} to end", tracefs.display());
        root.lock()?;
    }
    Ok(root)
}

/// Returns a mounted tracefs, looked up here and not through the runtime, which is under test.
fn mounted() -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let mut dirs = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (dir, kind) = (words.nth(1)?, words.next()?);
        (kind == "tracefs").then(|| PathBuf::from(dir))
    });
    dirs.next()
}

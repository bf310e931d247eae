//! A terminal that takes nothing: the session ends in time and puts everything back, and says what was not written.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Action, tcflow};

use crate::harness::bench::{Bench, TIMEOUT, default_signals, finish};

const INSTANCE: &str = "tracec-stalled";
/// The time in which everything has to be back.
const LIMIT: Duration = Duration::from_secs(1);
/// The `stop after` of these tests.
const STOP_AFTER: Duration = Duration::from_secs(2);
const ENDLESS: &str = "trace sched:sched_switch;";
const ENDS_ITSELF: &str = "trace sched:sched_switch; stop after 2s;";

pub(super) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("stalled: a signal while nobody reads the terminal", nobody_reads),
        bench.trial("stalled: `stop after` while the terminal is stopped", stop_after),
        bench
            .trial("stalled: `stop after` and a signal while the terminal is stopped", stop_after_and_signal),
        bench.trial("stalled: standard error alone", standard_error_alone),
    ]
}

fn nobody_reads(bench: &Bench) -> Result<(), Failed> {
    let terminal = Terminal::open()?;
    let session = Session::start(bench, ENDLESS, &terminal, terminal.stdio()?)?;
    terminal.until_full()?;
    terminal.has_its_flags()?;
    let begin = Instant::now();
    session.signal(Signal::TERM)?;
    session.is_put_back(begin + LIMIT)?;
    terminal.has_its_flags()?;
    // The output is left after a second; if it was read before, everything would be written.
    std::thread::sleep(2 * LIMIT);
    let (status, text) = session.end(terminal)?;
    if status.code() != Some(0) || !text.contains("ended by signal 15 ") || unwritten(&text) == 0 {
        return Err(format!("{status}; {}", last_words(&text)).into());
    }
    Ok(())
}

/// Everything is back in time. Once the terminal continues, all records are written.
fn stop_after(bench: &Bench) -> Result<(), Failed> {
    let (session, terminal) = stopped(bench)?;
    terminal.has_its_flags()?;
    tcflow(&terminal.slave, Action::OOn)?;
    let (status, text) = session.end(terminal)?;
    let ended = text.contains("ended after 2 s") && text.contains(", nothing lost");
    if status.code() != Some(0) || !ended || unwritten(&text) != 0 {
        return Err(format!("{status}; {}", last_words(&text)).into());
    }
    Ok(())
}

/// After a signal the output is left, and the summary says how many records it has not taken.
fn stop_after_and_signal(bench: &Bench) -> Result<(), Failed> {
    let (session, terminal) = stopped(bench)?;
    session.signal(Signal::TERM)?;
    // The signal that follows after everything is back ends the wait for the output; then the summary waits.
    std::thread::sleep(LIMIT);
    tcflow(&terminal.slave, Action::OOn)?;
    let (status, text) = session.end(terminal)?;
    if status.code() != Some(0) || !text.contains("ended after 2 s") || unwritten(&text) == 0 {
        return Err(format!("{status}; {}", last_words(&text)).into());
    }
    Ok(())
}

/// The terminal that shows the status line is stopped. The records go to a file and are all in it.
fn standard_error_alone(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("records");
    let terminal = Terminal::open()?;
    let session = Session::start(bench, ENDS_ITSELF, &terminal, File::create(&path)?.into())?;
    let begin = terminal.until_written()?;
    tcflow(&terminal.slave, Action::OOff)?;
    session.is_put_back(begin + STOP_AFTER + LIMIT)?;
    tcflow(&terminal.slave, Action::OOn)?;
    let (status, text) = session.end(terminal)?;
    let written = count_of(&text, " records, nothing lost, ended after 2 s");
    let lines = lines(&path)?;
    if status.code() != Some(0) || lines == 0 || written != Some(lines) {
        return Err(format!("{status}; {lines} lines; {}", last_words(&text)).into());
    }
    Ok(())
}

/// Starts a session, stops its terminal as `^S` does, and waits until everything is back after its `stop after`.
fn stopped(bench: &Bench) -> Result<(Session, Terminal), Failed> {
    let terminal = Terminal::open()?;
    let session = Session::start(bench, ENDS_ITSELF, &terminal, terminal.stdio()?)?;
    // The first output comes after recording has begun, so that the deadline is not later than this.
    let begin = terminal.until_written()?;
    tcflow(&terminal.slave, Action::OOff)?;
    session.is_put_back(begin + STOP_AFTER + LIMIT)?;
    Ok((session, terminal))
}

/// A terminal of a session, which nobody reads before [`Session::end`].
struct Terminal {
    master: OwnedFd,
    slave: OwnedFd,
    flags: OFlags,
}

impl Terminal {
    fn open() -> Result<Terminal, Failed> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        unlockpt(&master)?;
        let slave =
            ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        let flags = fcntl_getfl(&slave)?;
        Ok(Terminal { master, slave, flags })
    }

    /// Returns the terminal for a child. Its descriptor shares the flags with `slave`.
    fn stdio(&self) -> Result<Stdio, Failed> {
        Ok(self.slave.try_clone()?.into())
    }

    /// Fails unless the flags that the session shares with others are as they were.
    fn has_its_flags(&self) -> Result<(), Failed> {
        let flags = fcntl_getfl(&self.slave)?;
        if flags == self.flags { Ok(()) } else { Err(format!("{flags:?}, not {:?}", self.flags).into()) }
    }

    /// Waits for the first output, and returns the time of it.
    fn until_written(&self) -> Result<Instant, Failed> {
        let mut fds = [PollFd::new(&self.master, PollFlags::IN)];
        match poll(&mut fds, Some(&Timespec::try_from(TIMEOUT)?))? {
            0 => Err("nothing was written".into()),
            _ => Ok(Instant::now()),
        }
    }

    /// Waits until the terminal takes nothing more, not even after a while: its buffers are passed on by a kernel
    /// thread.
    fn until_full(&self) -> Result<(), Failed> {
        let deadline = Instant::now() + TIMEOUT;
        let mut full = 0;
        while Instant::now() < deadline {
            let mut fds = [PollFd::new(&self.slave, PollFlags::OUT)];
            full = if poll(&mut fds, Some(&Timespec::default()))? == 0 { full + 1 } else { 0 };
            if full == 50 {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("the terminal is not full".into())
    }
}

/// A session that is killed when a test fails.
struct Session {
    child: Child,
    instance: std::path::PathBuf,
    /// The time of an ordinary session, which an emulated machine needs on top of the limit.
    allowance: Duration,
}

impl Session {
    fn start(bench: &Bench, text: &str, terminal: &Terminal, stdout: Stdio) -> Result<Session, Failed> {
        let begin = Instant::now();
        let mut ordinary = bench.tracec("run");
        ordinary.args(["-e", "trace sched:sched_process_exec; stop after 1ms;"]);
        finish(ordinary, TIMEOUT)?.expect_status(0)?;
        let allowance = begin.elapsed();

        let mut command = bench.tracec("run");
        command.args(["--instance", INSTANCE, "-e", text]).env("TERM", "xterm").process_group(0);
        command.stdin(Stdio::null()).stdout(stdout).stderr(terminal.stdio()?);
        default_signals(&mut command);
        let instance = bench.tracefs.join("instances").join(INSTANCE);
        Ok(Session { child: command.spawn()?, instance, allowance })
    }

    fn signal(&self, signal: Signal) -> Result<(), Failed> {
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Waits until the instance is gone, and fails if that takes longer than it may.
    fn is_put_back(&self, deadline: Instant) -> Result<(), Failed> {
        let deadline = deadline + self.allowance;
        while self.instance.exists() {
            if Instant::now() > deadline {
                return Err("the session is still there".into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Reads the terminal, and waits for the end of the session. Returns its status and all that the terminal showed.
    fn end(mut self, terminal: Terminal) -> Result<(ExitStatus, String), Failed> {
        let Terminal { master, slave, .. } = terminal;
        // Without a slave that is open, reading ends with EIO.
        drop(slave);
        let reader = std::thread::spawn(move || {
            let (mut text, mut chunk) = (Vec::new(), [0; 4096]);
            let mut master = File::from(master);
            while let Ok(length @ 1..) = master.read(&mut chunk) {
                text.extend_from_slice(&chunk[..length]);
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let deadline = Instant::now() + TIMEOUT;
        let status = loop {
            match self.child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() > deadline => return Err("it does not end".into()),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let text = reader.join().map_err(|_| "the reader of the terminal panicked")?;
        Ok((status, text))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Both fail only for a process that has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
        // After a test that failed: the next one uses the same name.
        let _ = std::fs::remove_dir(&self.instance);
    }
}

/// Returns the number of records that a summary says were not written.
fn unwritten(text: &str) -> usize {
    count_of(text, " not written").unwrap_or(0)
}

/// Returns the number before the last `words` of a text.
fn count_of(text: &str, words: &str) -> Option<usize> {
    let before = text.get(..text.rfind(words)?)?;
    let start = before.rfind(|c: char| !c.is_ascii_digit() && c != ',')? + 1;
    before.get(start..)?.replace(',', "").parse().ok()
}

fn lines(path: &Path) -> Result<usize, Failed> {
    Ok(std::fs::read_to_string(path)?.lines().count())
}

fn last_words(text: &str) -> String {
    let start = text.char_indices().rev().nth(400).map_or(0, |(at, _)| at);
    format!("the terminal showed at last:\n{}", text.get(start..).unwrap_or(text))
}

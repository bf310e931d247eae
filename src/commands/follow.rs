//! The records of a started session as they are written to its file: what `tail` and `attach` share.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;
use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_runtime::control::{Card, Client, ClientError, Ending, Request};
use tracec_runtime::sink::TRACE_DAT;

use super::Failure;
use super::form::of_path;
use super::started::{PATIENCE, ask, ended, failed, result, unanswered};
use crate::out::out;

/// The time between two looks at the file. The end of the session is noticed at once.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// The number of lines before that are shown first, and of bytes at the end of the file in which they are looked for.
const LINES: usize = 10;
const BYTES: u64 = 64 << 10;

/// What shows the records.
enum Shown {
    /// Lines, which are copied.
    Lines(File),
    /// Pages: another process reads them.
    Pages(Child),
    /// Nothing: they are written at the end, or to one file after the other.
    Nothing,
}

/// Shows what a session writes until it ends, and prints its summary. A signal at `signals` ends the session.
pub(super) fn follow(
    runtime_dir: &Path,
    card: &Card,
    signals: Option<BorrowedFd<'_>>,
) -> Result<ExitCode, Failure> {
    let (mut client, _) = match ask(runtime_dir, card, &Request::Wait) {
        Ok(asked) => asked,
        Err(error @ (ClientError::Gone { .. } | ClientError::NoSocket { .. })) => {
            return Ok(ended(&result(runtime_dir, card, &error)?));
        }
        Err(error) => return Err(unanswered(card, &error)),
    };
    let mut shown = Shown::of(card)?;
    let output = card.output.as_deref().unwrap_or(Path::new(""));
    let mut signals = signals;
    let ending = loop {
        if !shown.go_on(output)? {
            // Nobody reads any more. The session goes on.
            return Ok(ExitCode::SUCCESS);
        }
        let (is_over, is_asked) = wait(&client, signals)?;
        if is_over && let Some(ending) = end(&mut client, runtime_dir, card)? {
            break ending;
        }
        if is_asked {
            signals = None;
            stop(&mut client, card)?;
        }
    };
    shown.finish(output)?;
    Ok(ended(&ending))
}

/// Waits for the end of the session, a signal or the next look. Returns whether each of the first two has come.
fn wait(client: &Client, signals: Option<BorrowedFd<'_>>) -> Result<(bool, bool), Failure> {
    let mut fds = vec![PollFd::from_borrowed_fd(client.readable(), PollFlags::IN)];
    fds.extend(signals.map(|signals| PollFd::from_borrowed_fd(signals, PollFlags::IN)));
    rustix::io::retry_on_intr(|| poll(&mut fds, Some(&LOOK))).map_err(|errno| failed(&errno.to_string()))?;
    let has_come = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
    Ok((has_come(0), has_come(1)))
}

/// Returns the result of the session, if that is what has come.
fn end(client: &mut Client, runtime_dir: &Path, card: &Card) -> Result<Option<Ending>, Failure> {
    match client.ended(Some(PATIENCE)) {
        Ok(ending) => Ok(ending),
        Err(error @ ClientError::Gone { .. }) => result(runtime_dir, card, &error).map(Some),
        Err(error) => Err(unanswered(card, &error)),
    }
}

/// Asks the session to end. Its answer comes by the same connection as the end, which may be first.
fn stop(client: &mut Client, card: &Card) -> Result<(), Failure> {
    client.send(&Request::Stop, PATIENCE).map_err(|error| unanswered(card, &error))
}

impl Shown {
    fn of(card: &Card) -> Result<Self, Failure> {
        let Some(output) = card.output.as_deref().filter(|_| !card.is_ring && !card.is_rotated) else {
            return Ok(Shown::Nothing);
        };
        let failed = |error: std::io::Error| unreadable(output, &error);
        if of_path(output).is_some_and(|form| std::ptr::eq(form, &TRACE_DAT)) {
            let mut command = Command::new(std::env::current_exe().map_err(failed)?);
            command.args(["report", "--follow", "--quiet"]).arg(output);
            // A signal of the terminal is for this process.
            return Ok(Shown::Pages(command.stdin(Stdio::null()).process_group(0).spawn().map_err(failed)?));
        }
        let mut file = File::open(output).map_err(failed)?;
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let begin = length.saturating_sub(BYTES);
        let mut last = Vec::new();
        file.seek(SeekFrom::Start(begin)).map_err(failed)?;
        Read::by_ref(&mut file).take(length - begin).read_to_end(&mut last).map_err(failed)?;
        // The end of a line may not be written yet: what is before the last newline are lines.
        let mut ends =
            last.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let first = ends.nth(LINES).unwrap_or(0);
        file.seek(SeekFrom::Start(begin + first as u64)).map_err(failed)?;
        Ok(Shown::Lines(file))
    }

    /// Shows what has come. Returns whether somebody reads it.
    fn go_on(&mut self, path: &Path) -> Result<bool, Failure> {
        let Shown::Lines(file) = self else { return Ok(true) };
        let mut chunk = vec![0; 64 << 10];
        loop {
            let length = file.read(&mut chunk).map_err(|error| unreadable(path, &error))?;
            if length == 0 {
                return Ok(true);
            }
            match out().write_all(chunk.get(..length).unwrap_or_default()).and_then(|()| out().flush()) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(false),
                written => written?,
            }
        }
    }

    fn finish(&mut self, path: &Path) -> Result<(), Failure> {
        self.go_on(path)?;
        if let Shown::Pages(reader) = self {
            // It ends with the file, which is complete.
            reader.wait().map_err(|error| unreadable(path, &error))?;
        }
        Ok(())
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Shown::Pages(reader) = self {
            // Both fail only for a process that has ended and was waited for.
            let _ = reader.kill();
            let _ = reader.wait();
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    output_failed(None, &path.display().to_string(), &error.to_string()).into()
}

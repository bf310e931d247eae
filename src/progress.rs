//! The line that says how far a long command has come, on a terminal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tracec_kernel::escaped::Escaped;
use tracec_runtime::record::PagesRead;

/// The time between two lines.
const INTERVAL: Duration = Duration::from_millis(250);
/// Clears the line.
const CLEAR: &str = "\r\x1b[K";

/// A line on standard error while pages are read. It is cleared when this is dropped.
pub(crate) struct Progress {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Shows the progress of files, each with its pages, if standard error is a terminal. `records_here` says whether records
    /// go to standard output, which may be the same terminal.
    pub(crate) fn start<'p>(
        files: impl IntoIterator<Item = (&'p Path, PagesRead)>,
        quiet: bool,
        records_here: bool,
    ) -> Self {
        let kind = std::env::var_os("TERM");
        let redraws = kind.is_some_and(|kind| !kind.is_empty() && kind != "dumb");
        let is_free = !(records_here && std::io::stdout().is_terminal());
        if quiet || !redraws || !is_free || !std::io::stderr().is_terminal() {
            return Progress { thread: None };
        }
        let (names, pages): (Vec<&Path>, Vec<PagesRead>) = files.into_iter().unzip();
        let name = match names.as_slice() {
            [file] => file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned(),
            files => format!("{} files", files.len()),
        };
        let (end, ended) = channel();
        let begin = Instant::now();
        let sum = move |of: fn(&PagesRead) -> u64| pages.iter().map(of).sum::<u64>();
        // The first times of a recording may have been read already.
        let before = sum(PagesRead::read);
        let draw = move || {
            let read = sum(PagesRead::read).saturating_sub(before);
            let line = line(&name, (read, sum(PagesRead::all)), begin.elapsed());
            show(&format!("\r{line}\x1b[K"));
        };
        draw();
        let draw = move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(INTERVAL) {
                draw();
            }
            show(CLEAR);
        };
        let thread = thread::Builder::new().name("tracec-progress".to_owned()).spawn(draw);
        Progress { thread: thread.ok().map(|thread| (end, thread)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.thread.take() {
            drop(end);
            // A thread that has panicked draws nothing more.
            let _ = thread.join();
        }
    }
}

fn show(text: &str) {
    // A terminal that is closed sends SIGHUP; a line is not worth an error.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Returns the line: what is read, how much of it, and how fast.
fn line(name: &str, (read, all): (u64, u64), elapsed: Duration) -> String {
    // What was read twice counts twice, and something is left to do until the end.
    let percent = (read.saturating_mul(100) / all.max(1)).min(99);
    let rate = read as f64 / 1e6 / elapsed.as_secs_f64().max(0.001);
    format!("{}  {percent} %  {rate:.0} MB/s", Escaped::text(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_says_how_much_is_read_and_how_fast() {
        let second = Duration::from_secs(1);
        assert_eq!(line("a.dat", (5_000_000, 20_000_000), second), "a.dat  25 %  5 MB/s");
        assert_eq!(line("a\n", (30, 20), second), "a\\x0a  99 %  0 MB/s");
        assert_eq!(line("a", (0, 0), Duration::ZERO), "a  0 %  0 MB/s");
    }
}

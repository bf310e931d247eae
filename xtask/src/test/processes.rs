//! Parts in processes of their own, several at a time.
//!
//! The CPUs of a virtual machine are emulated by one thread (`vm/machine.rs`), so one machine leaves the other CPUs of
//! the host idle. What a part prints is kept back until it has ended, so that no lines of two parts are mixed.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::tally::{Finished, Tally};
use super::{Part, end};
use crate::workspace;

/// The option with which a part runs here: the file that receives its counts as JSON.
pub(super) const COUNTS: &str = "--counts";

/// Runs the parts of `cargo xtask COMMAND`, one for each CPU at a time, and returns them in their order.
pub(super) fn run(command: &str, parts: &[&'static Part], strict: bool) -> Vec<Finished> {
    let at_once = thread::available_parallelism().map_or(1, usize::from).min(parts.len());
    let waiting: Mutex<VecDeque<(usize, &'static Part)>> =
        Mutex::new(parts.iter().copied().enumerate().collect());
    let (sender, receiver) = mpsc::channel();
    let mut finished = thread::scope(|scope| {
        for _ in 0..at_once {
            let (waiting, sender) = (&waiting, sender.clone());
            scope.spawn(move || {
                // The lock is released before the part runs.
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                while let Some((index, part)) = next() {
                    println!(
                        "\n== {}: {}\n== {}: is running, and shows its output at its end",
                        part.name, part.proves, part.name
                    );
                    let start = Instant::now();
                    let result = apart(command, part);
                    // The receiver lives until every sender is gone.
                    let _ = sender.send((index, part, result, start.elapsed()));
                }
            });
        }
        drop(sender);
        let ended = receiver.into_iter().map(|(index, part, result, seconds)| {
            let (output, tally) = match result {
                Ok((output, tally)) => (output, tally),
                Err(error) => {
                    let mut tally = Tally::default();
                    tally.fail(format!("{error:#}"));
                    (format!("{error:#}\n"), tally)
                }
            };
            print!("\n== {}: its output\n{output}", part.name);
            (index, end(part, tally, seconds, strict))
        });
        ended.collect::<Vec<_>>()
    });
    finished.sort_by_key(|(index, _)| *index);
    finished.into_iter().map(|(_, finished)| finished).collect()
}

/// Runs one part in a process of its own and returns what it printed, and its counts.
fn apart(command: &str, part: &Part) -> Result<(String, Tally)> {
    let directory = tempfile::tempdir().context("no temporary directory")?;
    let (counts, printed) = (directory.path().join("counts"), directory.path().join("printed"));
    let output = fs::File::create(&printed).with_context(|| printed.display().to_string())?;
    // setpriv (util-linux): the part ends with the run that started it. This thread waits for it, so the signal at the
    // end of the parent thread comes only at the end of the process.
    let status = Command::new("setpriv")
        .args(["--pdeathsig", "KILL"])
        .arg(std::env::current_exe().context("the path of xtask")?)
        .args([command, COUNTS])
        .arg(&counts)
        .arg(part.name)
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .status()
        .context("cannot start setpriv")?;
    let printed = String::from_utf8_lossy(&fs::read(&printed).context("its output")?).into_owned();
    let Ok(json) = fs::read(&counts) else {
        bail!("{} did not come to its end ({status}):\n{printed}", part.name);
    };
    Ok((printed, serde_json::from_slice(&json).context("its counts")?))
}

/// Writes the counts of a part for the process that started it.
pub(super) fn write_counts(path: &Path, tally: &Tally) -> Result<()> {
    fs::write(path, serde_json::to_vec(tally)?).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_arrive_as_they_were_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("counts");
        let mut tally = Tally { passed: 3, ..Tally::default() };
        tally.fail("a::b");
        tally.skip("hist", "this kernel has no hist triggers");
        tally.notes.push("a figure".to_owned());
        write_counts(&path, &tally).unwrap();
        let read: Tally = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!((read.passed, &read.failures, &read.skips), (3, &tally.failures, &tally.skips));
        assert_eq!(read.notes, tally.notes);
    }
}

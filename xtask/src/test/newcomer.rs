//! The peers of `tests/newcomer`: bpftrace and trace-cmd on Debian's own kernel, in a virtual machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::libtest::Libtest;
use super::machine;
use super::tally::Tally;
use crate::vm::{self, Kernel, Payload};
use crate::workspace;

/// The peers, which are copied to the machine with their libraries.
const PEERS: [&str; 2] = ["bpftrace", "trace-cmd"];

/// The file with the recorded output of the peers.
const RECORDED: &str = "tests/newcomer/peers.jsonl";

/// The mark before a line of that file on the console; `tests/newcomer/recorded.rs` has the same.
const MARK: &str = "@@ peer ";

/// Runs the peers and compares with the recorded output; with UPDATE_EXPECT in the environment, records.
pub(super) fn run(tally: &mut Tally) -> Result<()> {
    let kernel = Kernel::Debian6_1;
    if !machine::can_boot(kernel, tally) {
        return Ok(());
    }
    let mut binaries = Vec::new();
    for peer in PEERS {
        match workspace::find_in_path(peer) {
            Some(path) => binaries.push(path),
            None => {
                tally.skip_all(format!("{peer} is not installed"));
                return Ok(());
            }
        }
    }
    let directory = machine::scratch()?;
    binaries.push(test_binary(directory.path())?);
    let update = env::var_os("UPDATE_EXPECT").is_some();
    let mut variables = vec![("TRACEC_NEWCOMER_PEERS".to_owned(), "1".to_owned())];
    variables.extend(update.then(|| ("UPDATE_EXPECT".to_owned(), "1".to_owned())));
    let payload = Payload {
        binaries,
        // The machine has two processors, and one of the two tools waits for the other to end.
        command: "/bin/newcomer --test-threads 2 2>&1".to_owned(),
        env: variables,
        ..Payload::default()
    };
    let outcome = vm::run(kernel, payload)?;
    let mut libtest = Libtest::default();
    for line in outcome.output.lines() {
        libtest.line(line);
    }
    tally.add(libtest.finish(outcome.exit_code == 0));
    if update {
        let path = workspace::root().join(RECORDED);
        fs::write(&path, recorded(&outcome.output)).with_context(|| path.display().to_string())?;
        println!("{RECORDED} is written; the page: UPDATE_EXPECT=1 cargo test --test newcomer");
    }
    Ok(())
}

/// Writes the test to a directory, without debugging information and under its short name.
fn test_binary(directory: &Path) -> Result<PathBuf> {
    let built = workspace::build(&["test", "--no-run", "--workspace", "--test", "newcomer"])?;
    let found = built.into_iter().find(|executable| executable.target == "newcomer");
    let found = found.context("cargo built no test newcomer")?;
    let stripped = directory.join("newcomer");
    workspace::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(&stripped).arg(found.path))?;
    Ok(stripped)
}

/// Returns the marked lines of a console, sorted: the two tools run side by side.
fn recorded(output: &str) -> String {
    let mut lines: Vec<&str> = output.lines().filter_map(|line| Some(line.split_once(MARK)?.1)).collect();
    lines.sort_unstable();
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_are_recorded_in_order() {
        let output = "[ 1.0] kernel\n@@ peer {\"b\":1}\ntest x ... @@ peer {\"a\":1}\nok\n";
        assert_eq!(recorded(output), "{\"a\":1}\n{\"b\":1}\n");
        assert_eq!(recorded(""), "");
    }
}

//! The run of live tests on the running kernel.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::libtest::Libtest;
use super::live_tests::LiveTest;
use super::payload::{self, Binaries};
use super::tally::Tally;
use crate::mount::Tracefs;
use crate::snapshot::{Snapshot, note_on_others};
use crate::workspace;

/// Runs tests on the running kernel, with more variables in their environment, and compares its tracing state before
/// and after.
pub(super) fn here(
    tests: &'static [LiveTest],
    environment: &[(&str, &str)],
    tally: &mut Tally,
) -> Result<()> {
    let binaries = Binaries::build(tests)?;
    let tracefs = match Tracefs::find_or_mount() {
        Ok(tracefs) => tracefs,
        Err(error) => {
            tally.skip_all(format!("{error:#}"));
            return Ok(());
        }
    };
    remove_leftovers(&binaries.tracec, tracefs.path())?;
    tracefs.settle()?;
    let before = Snapshot::capture(tracefs.path())?;
    for (live, path) in &binaries.tests {
        tally.add(run(live, path, &binaries, tracefs.path(), environment)?);
    }
    let after = Snapshot::capture(tracefs.path())?;
    let (differences, others) = before.diff_beside_others(&after);
    if let Some(note) = note_on_others(&others) {
        println!("NOTE: {note}");
    }
    if differences.is_empty() {
        tally.pass();
    }
    for difference in differences {
        println!("{difference}");
        tally.fail(format!("the tracing state is not as before: {difference}"));
    }
    tracefs.close()
}

/// Puts back what earlier tests left because they were killed: sessions by `tracec recover`, and the instances
/// `tracec-witness-PID` of processes that are gone.
fn remove_leftovers(tracec: &Path, tracefs: &Path) -> Result<()> {
    let status = Command::new(tracec).arg("recover").arg("--tracefs").arg(tracefs).status()?;
    ensure!(status.success(), "`tracec recover` before the tests: {status}");
    for entry in std::fs::read_dir(tracefs.join("instances"))? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.strip_prefix("tracec-witness-")) else { continue };
        if !Path::new("/proc").join(pid).exists() {
            std::fs::remove_dir(entry.path())?;
            println!("NOTE: removed {}, which a killed test left", entry.path().display());
        }
    }
    Ok(())
}

fn run(
    live: &LiveTest,
    path: &Path,
    binaries: &Binaries,
    tracefs: &Path,
    environment: &[(&str, &str)],
) -> Result<Tally> {
    println!("-- {}", live.name);
    let root = workspace::root();
    let mut command = Command::new(path);
    // cargo runs a test in the directory of its package.
    command.args(live.arguments).current_dir(root.join(live.package));
    command.envs(payload::environment(&binaries.tracec, tracefs, &root.join("tests")));
    command.envs(environment.iter().copied());
    let mut libtest = Libtest::default();
    let status = workspace::stream(&mut command, |line| {
        if libtest.line(line) {
            println!("{line}");
        }
    })?;
    Ok(libtest.finish(status.success()))
}

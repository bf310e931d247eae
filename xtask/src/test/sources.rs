//! The parts that read the tree: layering, words, licences, example sessions, the standard library's constants.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::tally::Tally;
use crate::mount::Tracefs;
use crate::{constants, layering, licences, words, workspace};

/// Checks every invariant of the layering, and prints each violation.
pub(super) fn layering(tally: &mut Tally) -> Result<()> {
    for check in layering::check()? {
        if check.violations.is_empty() {
            tally.pass();
        }
        for violation in check.violations {
            println!("{violation}");
            tally.fail(violation.to_string());
        }
    }
    Ok(())
}

/// Checks every habit of wording: each hit is printed, and each habit with hits counts as one failure.
pub(super) fn words(tally: &mut Tally) -> Result<()> {
    for (habit, hits) in words::check()? {
        for hit in &hits {
            println!("{}:{}: `{}`: write {}", hit.file.display(), hit.line, hit.words, habit.instead);
        }
        if hits.is_empty() {
            tally.pass();
            continue;
        }
        let counts = words::by_directory(&hits);
        let counts: Vec<String> =
            counts.iter().map(|(directory, count)| format!("{directory} {count}")).collect();
        tally.fail(format!("{}: {} ({})", habit.name, hits.len(), counts.join(", ")));
    }
    Ok(())
}

/// Checks every third-party crate.
pub(super) fn licences(tally: &mut Tally) -> Result<()> {
    let licences = licences::check()?;
    tally.passed += licences.allowed;
    for refused in licences.refused {
        println!("{refused}");
        tally.fail(refused);
    }
    Ok(())
}

/// Runs `tracec check` on every session that a user may take as a model. Those below tests/ are run by the live tests,
/// and some of them have intended mistakes.
pub(super) fn examples(tally: &mut Tally) -> Result<()> {
    let tracec = workspace::build_tracec()?;
    let tracefs = match Tracefs::find_or_mount() {
        Ok(tracefs) => tracefs,
        Err(error) => {
            tally.skip_all(format!("`tracec check` asks tracefs for the events: {error:#}"));
            return Ok(());
        }
    };
    let files = sessions(&workspace::root())?;
    if files.is_empty() {
        tally.fail("there is no .trc file in the tree");
    }
    for file in files {
        let mut command = Command::new(&tracec);
        command.arg("check").arg("--tracefs").arg(tracefs.path()).arg(&file).current_dir(workspace::root());
        match workspace::run(&mut command) {
            Ok(()) => tally.pass(),
            Err(error) => tally.fail(format!("{}: {error:#}", file.display())),
        }
    }
    tracefs.close()
}

/// Compares every constant with the headers it was read from and with those that Debian installs.
pub(super) fn constants(tally: &mut Tally) -> Result<()> {
    let checked = match constants::check()? {
        constants::Outcome::Checked(checked) => checked,
        constants::Outcome::NoPackages(why) => {
            tally.skip_all(format!("the kernel's headers cannot be had: {why}"));
            return Ok(());
        }
    };
    for line in checked.notes.iter().chain(&checked.failures) {
        println!("{line}");
    }
    tally.passed += checked.asserted + checked.identical;
    for failure in checked.failures {
        tally.fail(failure);
    }
    Ok(())
}

/// Returns the files that `tracec check` accepts on any kernel. Those that say what they wait for are read by
/// `tests/book.rs`.
fn sessions(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let waits = |text: String| text.starts_with(workspace::WAITS);
    let is_session = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "trc")
            && !std::fs::read_to_string(path).is_ok_and(waits)
    };
    workspace::files_below(root, &["target", "tests", "fuzz"], &is_session, &mut files)?;
    Ok(files.into_iter().map(|file| file.strip_prefix(root).map(PathBuf::from).unwrap_or(file)).collect())
}

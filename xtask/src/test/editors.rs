//! The part with editors: Neovim and the extension of Visual Studio Code, with the real server.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::rust::{NEOVIM, counted_tests};
use super::tally::Tally;
use crate::{debian, workspace};

/// The first version of Neovim that has hints, and names the functions that the book names.
const WITH_HINTS: (u32, u32) = (0, 10);

/// Runs the tests of Neovim, and those of the extension.
pub(super) fn editors(tally: &mut Tally) -> Result<()> {
    let neovim = with_hints()?;
    let neovim = neovim.to_str().context("the path of Neovim is not UTF-8")?;
    counted_tests(&["--workspace", "--test", NEOVIM], &[("TRACEC_NVIM", neovim)], tally)?;
    extension(tally)
}

/// Returns a Neovim that has hints: the machine's, or that of a later Debian.
fn with_hints() -> Result<PathBuf> {
    let own = workspace::find_in_path("nvim");
    match own.filter(|own| version(own).is_ok_and(|version| version >= WITH_HINTS)) {
        Some(own) => Ok(own),
        None => debian::later::program("neovim", "nvim"),
    }
}

/// Returns the version of a Neovim, of which it writes `NVIM v0.10.4`.
fn version(neovim: &Path) -> Result<(u32, u32)> {
    let output = Command::new(neovim).arg("--version").output().context("Neovim could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_version(&text).with_context(|| format!("Neovim has no version: {text}"))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("NVIM v")?.split(['.', '-', '\n']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Installs what the extension depends on into its directory, and runs its tests: the grammar, the client, the package.
fn extension(tally: &mut Tally) -> Result<()> {
    let tracec = workspace::build_tracec()?;
    let directory = workspace::root().join("editors/vscode");
    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.args(arguments).current_dir(&directory).env("TRACEC", &tracec);
        command
    };
    workspace::run(&mut npm(&[
        "install",
        "--no-audit",
        "--no-fund",
        "--no-package-lock",
        "--loglevel=error",
    ]))?;
    let mut results = Vec::new();
    let status = workspace::stream(&mut npm(&["test", "--silent"]), |line| {
        println!("{line}");
        results.extend(result(line));
    })?;
    if results.is_empty() {
        bail!("npm test has run no test: {status}");
    }
    let failed = results.iter().any(|result| matches!(result, Outcome::Failed(_)));
    for result in results {
        match result {
            Outcome::Passed => tally.pass(),
            Outcome::Failed(name) => tally.fail(name),
            Outcome::Skipped(name, why) => tally.skip(name, why),
        }
    }
    if !status.success() && !failed {
        tally.fail(format!("npm test: {status}"));
    }
    Ok(())
}

/// The outcome of a test in the Test Anything Protocol.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String, String),
}

/// Reads a line `ok 1 - NAME`, `not ok 1 - NAME`, or `ok 1 - NAME # SKIP WHY`, of a test or a part of one.
fn result(line: &str) -> Option<Outcome> {
    let line = line.trim_start();
    let (is_ok, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    let name = rest.split_once(" - ")?.1;
    Some(match (is_ok, name.split_once(" # SKIP")) {
        (true, Some((name, why))) => Outcome::Skipped(name.to_owned(), why.trim().to_owned()),
        (true, None) => Outcome::Passed,
        (false, _) => Outcome::Failed(name.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_neovim_is_read() {
        assert_eq!(parse_version("NVIM v0.10.4\nBuild type: Release\n"), Some((0, 10)));
        assert_eq!(parse_version("NVIM v0.7.2\n"), Some((0, 7)));
        assert_eq!(parse_version("NVIM v0.12.0-dev-1+g2\n"), Some((0, 12)));
        assert_eq!(parse_version("VIM 9"), None);
    }

    #[test]
    fn lines_of_tests_are_counted() {
        let skipped = Outcome::Skipped("b".to_owned(), "no command".to_owned());
        for (line, outcome) in [
            ("ok 1 - a", Some(Outcome::Passed)),
            ("    not ok 2 - a, b", Some(Outcome::Failed("a, b".to_owned()))),
            ("ok 3 - b # SKIP no command", Some(skipped)),
            ("# tests 3", None),
            ("1..3", None),
        ] {
            assert_eq!(result(line), outcome, "{line}");
        }
    }
}

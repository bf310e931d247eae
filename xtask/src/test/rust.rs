//! The parts that are calls of cargo: format, lints, documentation, unit tests.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::libtest::Libtest;
use super::live_tests;
use super::tally::Tally;
use crate::workspace;

/// Runs `cargo fmt --check`. Each file is named: rustfmt follows `mod`, and does not see the modules that a macro
/// declares.
pub(super) fn fmt(tally: &mut Tally) -> Result<()> {
    let is_rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    let mut files = Vec::new();
    workspace::files_below(&workspace::root(), &["target"], &is_rust, &mut files)?;
    let arguments = ["fmt", "--all", "--check", "--"].map(OsStr::new).into_iter();
    let arguments: Vec<&OsStr> = arguments.chain(files.iter().map(|file| file.as_os_str())).collect();
    component("fmt", "rustfmt", &arguments, tally)
}

/// Runs `cargo clippy`, with warnings denied.
pub(super) fn clippy(tally: &mut Tally) -> Result<()> {
    let arguments = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    component("clippy", "clippy", &arguments, tally)
}

/// Runs `cargo doc`, with warnings denied.
pub(super) fn docs(tally: &mut Tally) -> Result<()> {
    let arguments = ["doc", "--quiet", "--workspace", "--no-deps"];
    let status = workspace::cargo().args(arguments).env("RUSTDOCFLAGS", "-D warnings").status()?;
    verdict("cargo doc", status.success(), tally);
    Ok(())
}

/// The test that drives Neovim. It is a part of `editors`: only there is one that has hints.
pub(super) const NEOVIM: &str = "neovim";

/// Runs every test of the workspace except those that need a kernel or an editor.
pub(super) fn unit(tally: &mut Tally) -> Result<()> {
    let tests = test_targets(&workspace::metadata(&["--no-deps"])?)?;
    let mut targets = vec!["--lib".to_owned(), "--bins".to_owned()];
    let is_elsewhere = |test: &String| test == NEOVIM || live_tests::all().any(|live| live.target == test);
    for test in tests.into_iter().filter(|test| !is_elsewhere(test)) {
        targets.extend(["--test".to_owned(), test]);
    }
    cargo_test(&targets, tally)?;
    cargo_test(&["--doc".to_owned()], tally)
}

/// Runs the test of `oracle/tests/lowering`, which is a part of `unit` too, with its full count.
pub(super) fn lowering(tally: &mut Tally) -> Result<()> {
    counted_tests(LOWERING, &[("TRACEC_LOWERING_PAIRS", "5_000_000")], tally)
}

/// The arguments of cargo for the test of lowering. Of one package alone, cargo would build all with other features.
pub(super) const LOWERING: &[&str] = &["--workspace", "--test", "lowering"];

/// Runs tests that take their counts and seeds from the environment.
pub(super) fn counted_tests(
    arguments: &[&str],
    environment: &[(&str, &str)],
    tally: &mut Tally,
) -> Result<()> {
    let mut command = workspace::cargo();
    command.arg("test").args(arguments).args(["--", "--show-output"]).envs(environment.iter().copied());
    counted(&mut command, tally)
}

/// The seed of the random values of property tests: a failure here is caused by a change, and can be repeated. `cargo
/// test` uses another seed each time.
const PROPTEST_SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20261122");

fn cargo_test(targets: &[String], tally: &mut Tally) -> Result<()> {
    let mut command = workspace::cargo();
    let (name, seed) = PROPTEST_SEED;
    if std::env::var_os(name).is_none() {
        command.env(name, seed);
    }
    // It says for each test without a `lib.rs` that it has no place for failures, which reads like one.
    command.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
    command.args(["test", "--workspace", "--no-fail-fast"]).args(targets).args(["--", "--show-output"]);
    counted(&mut command, tally)
}

/// Runs libtest binaries and counts what they print.
fn counted(command: &mut Command, tally: &mut Tally) -> Result<()> {
    let mut libtest = Libtest::default();
    let status = workspace::stream(command, |line| {
        if libtest.line(line) {
            println!("{line}");
        }
    })?;
    tally.add(libtest.finish(status.success()));
    Ok(())
}

/// Runs a cargo command that comes with an optional component of the toolchain.
fn component(
    command: &str,
    component: &str,
    arguments: &[impl AsRef<OsStr>],
    tally: &mut Tally,
) -> Result<()> {
    if !workspace::has_cargo_command(command) {
        tally.skip_all(format!("the toolchain has no cargo {command}: rustup component add {component}"));
        return Ok(());
    }
    let status = workspace::cargo().args(arguments).status()?;
    verdict(&format!("cargo {command}"), status.success(), tally);
    Ok(())
}

fn verdict(what: &str, success: bool, tally: &mut Tally) {
    if success { tally.pass() } else { tally.fail(what) }
}

/// Returns the names of all integration tests in the output of `cargo metadata`.
fn test_targets(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let targets = packages.iter().filter_map(|package| package["targets"].as_array()).flatten();
    let tests = targets.filter(|target| target["kind"][0] == "test");
    let mut names: Vec<String> = tests.filter_map(|test| test["name"].as_str()).map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integration_tests_are_found_once() {
        let metadata = serde_json::json!({"packages": [
            {"targets": [{"kind": ["lib"], "name": "a"}, {"kind": ["test"], "name": "live"}]},
            {"targets": [{"kind": ["test"], "name": "live"}, {"kind": ["test"], "name": "golden"}]},
        ]});
        assert_eq!(test_targets(&metadata).unwrap(), ["golden", "live"]);
        assert!(test_targets(&serde_json::json!({})).is_err());
    }
}

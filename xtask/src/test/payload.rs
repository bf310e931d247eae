//! The files of a live test: the binaries under test, programs, data, environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result};

use super::live_tests::LiveTest;
use crate::workspace;

/// Programs of the host that are copied to a virtual machine, which otherwise has only busybox. Their packages are in
/// the table of `setup`; a test that needs a missing one reports that itself.
pub const PROGRAMS: &[&str] = &["make", "nice", "setpriv"];

/// The binaries that live tests run, built from the tree.
#[derive(Debug)]
pub struct Binaries {
    /// The command under test.
    pub tracec: PathBuf,
    /// This program, for its snapshots.
    pub xtask: PathBuf,
    /// Each test with its executable.
    pub tests: Vec<(&'static LiveTest, PathBuf)>,
}

impl Binaries {
    /// Builds them.
    ///
    /// # Errors
    /// A crate does not compile, or a test does not exist: a missing test has not passed.
    pub fn build(wanted: &'static [LiveTest]) -> Result<Self> {
        let tracec = workspace::build_tracec()?;
        let mut arguments = vec!["test", "--no-run", "--workspace"];
        arguments.extend(wanted.iter().flat_map(|live| ["--test", live.target]));
        let built = workspace::build(&arguments)?;
        let mut tests = Vec::new();
        for live in wanted {
            let is_it =
                |e: &&workspace::Executable| e.package == Path::new(live.package) && e.target == live.target;
            let found = built.iter().find(is_it);
            let found =
                found.with_context(|| format!("there is no test {} in {:?}", live.target, live.package))?;
            tests.push((live, found.path.clone()));
        }
        let xtask = std::env::current_exe().context("the path of xtask")?;
        Ok(Self { tracec, xtask, tests })
    }

    /// Copies the binaries without debugging information to `directory`, under the names they have in a machine: the
    /// initial ramdisk is packed on every start.
    ///
    /// # Errors
    /// The directory cannot be written, or `strip` fails.
    pub fn stripped(&self, directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        let strip = |from: &Path, name: &str| -> Result<PathBuf> {
            let to = directory.join(name);
            workspace::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(&to).arg(from))?;
            Ok(to)
        };
        let tests = self.tests.iter().map(|(live, path)| Ok((*live, strip(path, live.name)?)));
        Ok(Self {
            tracec: strip(&self.tracec, "tracec")?,
            xtask: strip(&self.xtask, "xtask")?,
            tests: tests.collect::<Result<_>>()?,
        })
    }

    /// Returns the paths of all of them.
    pub fn paths(&self) -> Vec<PathBuf> {
        let tests = self.tests.iter().map(|(_, path)| path);
        [&self.tracec, &self.xtask].into_iter().chain(tests).cloned().collect()
    }
}

/// The variable that sets another seed for the test of agreement.
pub const AGREEMENT_SEED: &str = "TRACEC_AGREEMENT_SEED";

/// The variable that chooses the points at which the live tests end scripts and sessions (`tests/harness/points.rs`).
pub const END_POINTS: &str = "TRACEC_END_POINTS";

/// Its values for the kernels of `cargo xtask test`: each has points of its own.
pub const POINTS_HERE: &str = "0/128";
/// The same for Debian's kernel 6.1.
pub const POINTS_6_1: &str = "32/128";
/// The same for Debian's kernel 6.12.
pub const POINTS_6_12: &str = "64/128";
/// The same for the kernel with every feature.
pub const POINTS_FULL: &str = "96/128";

/// The variable that says how many live tests a whole snapshot of tracefs is for (`tests/harness/bench.rs`).
pub const SNAPSHOT_EVERY: &str = "TRACEC_TEST_SNAPSHOT_EVERY";

/// Its value in the machines of `cargo xtask test`: a whole snapshot takes 3 seconds there, three quarters of most tests.
/// After the tests between, all but the files of single events is compared, and the last step of a machine compares
/// everything.
pub const EVERY_IN_MACHINE: &str = "16";

/// The variable that says how many sessions of BPF programs are run one after the other, six damaged objects for each
/// (`tests/harness/programs.rs`).
pub const PROGRAM_CYCLES: &str = "TRACEC_PROGRAM_CYCLES";

/// Its value in the machines of `cargo xtask test`, where loading takes five times as long as here.
pub const CYCLES_IN_MACHINE: &str = "3";

/// The variable that asks for all loads of the test of texts, with rings of so many KiB
/// (`runtime/tests/live_texts/main.rs`).
pub const TEXTS: &str = "TRACEC_TEXTS";

/// Its value on the running kernel.
pub const TEXTS_HERE: &str = "32768";
/// Its value in machines, which are slow and have little memory.
pub const TEXTS_IN_MACHINE: &str = "1280";

/// The variable that sets the number of events outside of `syscalls` whose texts have to be compared.
pub const TEXTS_LEAST: &str = "TRACEC_TEXTS_LEAST";

/// The modules of Debian's kernels whose events are compared, and those that loads need.
pub const TEXTS_MODULES: &[&str] = &["loop", "xfs", "btrfs", "veth", "tun", "bridge", "dummy"];

/// Returns the environment of every live test.
///
/// | variable | what it holds |
/// |---|---|
/// | `TRACEC_BIN` | the `tracec` binary |
/// | `TRACEC_TEST_TRACEFS` | the directory of a tracefs |
/// | `TRACEC_TEST_DATA` | the directory `tests` of the tree, or a copy of it |
/// | `TRACEC_AGREEMENT_SEED` | the one of this process, if it has one |
pub fn environment(tracec: &Path, tracefs: &Path, data: &Path) -> Vec<(String, OsString)> {
    let variables = [("TRACEC_BIN", tracec), ("TRACEC_TEST_TRACEFS", tracefs), ("TRACEC_TEST_DATA", data)];
    let paths = variables.map(|(name, path)| (name, path.as_os_str().to_owned()));
    let seed = env::var_os(AGREEMENT_SEED).map(|seed| (AGREEMENT_SEED, seed));
    paths.into_iter().chain(seed).map(|(name, value)| (name.to_owned(), value)).collect()
}

//! The kernel with every tracing feature: Debian's source, `make tinyconfig`, and the options of `full.config`.
//!
//! It is built once for a source version and a fragment; only the image, its configuration and the log are kept.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::debian::{self, Package, cache};

const SOURCE: &str = "linux-source-6.12";
const FRAGMENT: &str = include_str!("full.config");

/// The interval of the build's progress messages.
const PROGRESS: Duration = Duration::from_secs(10);

/// The number of log lines that a failure shows.
const TAIL: usize = 30;

/// Returns the path of the image, which is built if this source version and fragment have not been built yet.
pub(super) fn image() -> Result<PathBuf> {
    let resolve = || debian::newest(SOURCE).map(|record| record.package);
    let make = |source: &Package| {
        let key = format!("{}-{:016x}", source.key(), hash(FRAGMENT));
        cache::entry(&key, |directory| build(source, directory))
    };
    Ok(debian::with_newest(resolve, make)?.join("bzImage"))
}

/// Unpacks and configures the source below a directory, so that single objects of it can be built.
///
/// # Errors
/// The archive does not deliver the source, or make fails.
pub fn configured_source(directory: &Path) -> Result<PathBuf> {
    let resolve = || debian::newest(SOURCE).map(|record| record.package);
    let tree = debian::with_newest(resolve, |source| unpacked(source, directory))?;
    configure(&tree, &directory.join("build.log"))?;
    Ok(tree)
}

fn unpacked(source: &Package, directory: &Path) -> Result<PathBuf> {
    let deb = debian::download(source, directory)?;
    let tree = directory.join("tree");
    fs::create_dir(&tree)?;
    unpack_source(&deb, directory, &tree)?;
    Ok(tree)
}

fn build(source: &Package, directory: &Path) -> Result<()> {
    let start = Instant::now();
    let tree = unpacked(source, directory)?;
    let log = directory.join("build.log");
    eprintln!("building {source} with every tracing feature, some minutes; log: {}", log.display());
    configure(&tree, &log)?;
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    make(&tree, &[&format!("-j{jobs}"), "bzImage"], &log)?;
    fs::copy(tree.join("arch/x86/boot/bzImage"), directory.join("bzImage")).context("no image was built")?;
    fs::copy(tree.join(".config"), directory.join("config"))?;
    fs::remove_dir_all(&tree).context("cannot remove the source tree")?;
    eprintln!("built in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Unpacks the package, which holds one compressed archive with one directory.
fn unpack_source(deb: &Path, directory: &Path, tree: &Path) -> Result<()> {
    let member = format!("./usr/src/{SOURCE}.tar.xz");
    debian::unpack(deb, &member, directory)?;
    fs::remove_file(deb)?;
    let archive = directory.join(&member);
    let tar = Command::new("tar")
        .arg("-xJf")
        .arg(&archive)
        .args(["--strip-components=1", "-C"])
        .arg(tree)
        .status()
        .context("cannot start tar")?;
    if !tar.success() {
        bail!("cannot unpack {}: {tar}", archive.display());
    }
    Ok(fs::remove_dir_all(directory.join("usr"))?)
}

fn configure(tree: &Path, log: &Path) -> Result<()> {
    make(tree, &["tinyconfig"], log)?;
    let path = tree.join(".config");
    let mut config = OpenOptions::new().append(true).open(&path).context("tinyconfig made no .config")?;
    config.write_all(FRAGMENT.as_bytes())?;
    drop(config);
    make(tree, &["olddefconfig"], log)?;
    let unmet = unmet(FRAGMENT, &fs::read_to_string(&path)?);
    if !unmet.is_empty() {
        bail!("olddefconfig did not keep these options: {}", unmet.join(", "));
    }
    Ok(())
}

/// Returns the options of `fragment` that `config` does not have as wanted. An option that cannot be chosen is not in
/// `config` at all, which is as good as `is not set`.
fn unmet<'a>(fragment: &'a str, config: &str) -> Vec<&'a str> {
    let lines: HashSet<&str> = config.lines().collect();
    let met = |line: &&str| match unset(line) {
        Some(option) => {
            !config.lines().any(|found| found.split_once('=').is_some_and(|(name, _)| name == option))
        }
        None => lines.contains(line),
    };
    let options = fragment.lines().filter(|line| line.starts_with("CONFIG_") || unset(line).is_some());
    options.filter(|line| !met(line)).collect()
}

/// Returns the option in `# OPTION is not set`, the form of a disabled option in a .config.
fn unset(line: &str) -> Option<&str> {
    let option = line.strip_prefix("# ")?.strip_suffix(" is not set")?;
    option.starts_with("CONFIG_").then_some(option)
}

/// Runs make in `tree`. Both its outputs go to `log`; the terminal gets a progress message at intervals.
fn make(tree: &Path, arguments: &[&str], log: &Path) -> Result<()> {
    let mut log_file = OpenOptions::new().create(true).append(true).open(log)?;
    let mut command = Command::new("make");
    command.arg("-C").arg(tree).args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
    // These variables would change the build.
    for variable in ["MAKEFLAGS", "ARCH", "CROSS_COMPILE", "KBUILD_OUTPUT", "KCFLAGS", "LLVM"] {
        command.env_remove(variable);
    }
    // One pipe for both outputs, so that an error is in its place in the log.
    let (output, writer) = std::io::pipe()?;
    let mut child =
        command.stdout(writer.try_clone()?).stderr(writer).spawn().context("cannot start make")?;
    drop(command);
    let start = Instant::now();
    let mut said = start;
    for (steps, line) in BufReader::new(output).split(b'\n').enumerate() {
        let line = line?;
        log_file.write_all(&line)?;
        log_file.write_all(b"\n")?;
        if said.elapsed() >= PROGRESS {
            said = Instant::now();
            let step = String::from_utf8_lossy(&line);
            eprintln!("{:4} s, {steps} steps: {}", start.elapsed().as_secs(), step.trim());
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("make {}: {status}; the end of {}:\n{}", arguments.join(" "), log.display(), tail(log)?);
    }
    Ok(())
}

fn tail(log: &Path) -> Result<String> {
    let mut last = VecDeque::new();
    for line in BufReader::new(File::open(log)?).split(b'\n') {
        if last.len() == TAIL {
            last.pop_front();
        }
        last.push_back(format!("  | {}\n", String::from_utf8_lossy(&line?)));
    }
    Ok(last.into_iter().collect())
}

/// Hashes with FNV-1a of 64 bits: its result is the same in every release of Rust, unlike that of the standard hasher.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_were_not_kept_are_named() {
        let fragment =
            "# About A.\nCONFIG_A=y\nCONFIG_B=\"x\"\n# CONFIG_C is not set\n# CONFIG_D is not set\n";
        assert!(unmet(fragment, "CONFIG_A=y\nCONFIG_B=\"x\"\n# CONFIG_C is not set\n").is_empty());
        let config = "CONFIG_A=m\nCONFIG_B=\"xy\"\nCONFIG_C=y\nCONFIG_DD=y\n";
        assert_eq!(unmet(fragment, config), ["CONFIG_A=y", "CONFIG_B=\"x\"", "# CONFIG_C is not set"]);
    }

    #[test]
    fn the_fragment_names_each_option_once() {
        let name = |line: &'static str| match unset(line) {
            Some(option) => Some(option),
            None => line.starts_with("CONFIG_").then(|| line.split_once('=').map(|(name, _)| name)).flatten(),
        };
        let names: Vec<_> = FRAGMENT.lines().filter_map(name).collect();
        let distinct: HashSet<_> = names.iter().collect();
        assert!(names.len() > 50, "{names:?}");
        assert_eq!(names.len(), distinct.len());
    }

    #[test]
    fn a_failing_make_shows_the_end_of_its_log() {
        if !super::super::needs::packages(super::super::Kernel::Full).is_empty() {
            return println!("SKIPPED: the packages for building a kernel are not installed");
        }
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join("Makefile"), "all:\n\t@seq 1 100; echo why >&2; exit 3\n").unwrap();
        let log = tree.path().join("log");
        let error = make(tree.path(), &["all"], &log).unwrap_err().to_string();
        assert!(error.contains("| why"), "{error}");
        assert!(!error.contains("| 1\n"), "{error}");
        assert!(fs::read_to_string(&log).unwrap().contains("\n1\n"));
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}

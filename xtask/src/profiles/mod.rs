//! `cargo xtask profiles`: saves the kernels that are shipped with tracec again into `profiles/`.
//!
//! Debian's are saved in virtual machines. The running kernel is saved if a profile of its series is shipped: no
//! package has it, so that it can be saved only on a machine that runs one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::mount::Tracefs;
use crate::vm::{self, Kernel, Payload};
use crate::workspace;

/// The source of a shipped kernel.
enum Source {
    Machine(Kernel),
    Running,
}

/// A profile that is shipped.
struct Shipped {
    name: &'static str,
    source: Source,
    /// The origin for the profile, in addition to the kernel's own strings (`uname -v` has the package's version and
    /// date).
    origin: &'static str,
}

const SHIPPED: &[Shipped] = &[
    Shipped {
        name: "6.1",
        source: Source::Machine(Kernel::Debian6_1),
        origin: "Debian's package linux-image-cloud-amd64",
    },
    Shipped {
        name: "6.12",
        source: Source::Machine(Kernel::Debian6_12),
        origin: "Debian's package linux-image-6.12-cloud-amd64",
    },
    Shipped {
        name: "6.18",
        source: Source::Running,
        origin: "a kernel for small machines, without modules, hist triggers, kprobes and snapshots",
    },
];

/// The command in a machine. BTF and functions would make the program ten times as large.
const SAVE: &str = "tracec kernel save --no-btf --no-functions";

/// Runs `cargo xtask profiles [NAME...]`: all profiles if none is named.
///
/// # Errors
/// A name that no profile has, or a kernel that is not available or cannot be saved.
pub fn main(names: &[String]) -> Result<ExitCode> {
    let unknown = names.iter().find(|name| !SHIPPED.iter().any(|shipped| shipped.name == **name));
    if let Some(name) = unknown {
        let known: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
        bail!("no profile `{name}`; there are {}", known.join(", "));
    }
    let tracec = workspace::build_tracec()?;
    for shipped in SHIPPED {
        let is_wanted = names.iter().any(|name| name == shipped.name);
        if !is_wanted && !names.is_empty() {
            continue;
        }
        let path = workspace::root().join("profiles").join(format!("{}.trcprof", shipped.name));
        let origin = format!("{}; saved {}", shipped.origin, today()?);
        match shipped.source {
            Source::Machine(kernel) => in_machine(kernel, &tracec, &origin, &path)?,
            Source::Running if is_series(&running()?, shipped.name) => here(&tracec, &origin, &path)?,
            Source::Running if is_wanted => bail!("the running kernel {} is no {}", running()?, shipped.name),
            Source::Running => {
                println!("{}: left as it is, for the running kernel is {}", shipped.name, running()?);
                continue;
            }
        }
        verify(&tracec, &path)?;
        println!("{}: {} bytes", path.display(), fs::metadata(&path)?.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// Saves the kernel of a machine. A machine has no disk and no network: the file comes out as text on its console.
fn in_machine(kernel: Kernel, tracec: &Path, origin: &str, path: &Path) -> Result<()> {
    let directory = workspace::root().join("target/xtask/profiles");
    fs::create_dir_all(&directory)?;
    let stripped = directory.join("tracec");
    workspace::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(&stripped).arg(tracec))?;
    let payload = Payload {
        binaries: vec![stripped],
        command: format!("{SAVE} --origin \"$ORIGIN\" -o /tmp/profile && echo {MARK} && base64 /tmp/profile"),
        env: vec![("ORIGIN".to_owned(), origin.to_owned())],
        quiet: true,
        ..Payload::default()
    };
    let outcome = vm::run(kernel, payload)?;
    let encoded = outcome.output.split_once(&format!("{MARK}\n")).filter(|_| outcome.exit_code == 0);
    let (_, encoded) = encoded.with_context(|| format!("the machine saved nothing:\n{}", outcome.output))?;
    fs::write(path, decode(encoded)?).with_context(|| path.display().to_string())
}

/// The mark between the output of the machine and the file.
const MARK: &str = "== profile ==";

/// Saves the running kernel.
fn here(tracec: &Path, origin: &str, path: &Path) -> Result<()> {
    let tracefs = Tracefs::find_or_mount()?;
    let mut words = SAVE.split(' ');
    words.next();
    let mut command = Command::new(tracec);
    command.args(words).args(["--origin", origin, "-o"]).arg(path).arg("--tracefs").arg(tracefs.path());
    workspace::run(&mut command)?;
    tracefs.close()
}

/// Lets tracec read the written file: a console may have lost or mixed in a line.
fn verify(tracec: &Path, path: &Path) -> Result<()> {
    workspace::run(Command::new(tracec).args(["check", "-e", "sched:sched_switch", "--kernel"]).arg(path))
}

fn decode(text: &str) -> Result<Vec<u8>> {
    let mut child = Command::new("base64")
        .arg("-d")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("base64 could not be started")?;
    let mut input = child.stdin.take().context("no input of base64")?;
    let text = text.to_owned();
    // base64 writes while it reads: writing all of its input first could block forever.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    let written = writer.join().map_err(|_| anyhow::anyhow!("writing to base64 panicked"))?;
    if !output.status.success() {
        bail!("the machine's output is not base64");
    }
    written?;
    Ok(output.stdout)
}

fn running() -> Result<String> {
    let path = PathBuf::from("/proc/sys/kernel/osrelease");
    Ok(fs::read_to_string(&path).with_context(|| path.display().to_string())?.trim().to_owned())
}

/// Returns whether a release is of a series: `6.18.44-x` is of the series 6.18, and not of 6.1.
fn is_series(release: &str, series: &str) -> bool {
    release.strip_prefix(series).is_some_and(|rest| rest.starts_with('.'))
}

fn today() -> Result<String> {
    let output = Command::new("date").args(["-u", "+%F"]).output().context("date could not be started")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_a_whole_number() {
        assert!(is_series("6.18.44-x", "6.18"));
        assert!(!is_series("6.18.44-x", "6.1"));
        assert!(!is_series("6.18", "6.18"));
    }

    #[test]
    fn what_a_console_shows_is_decoded() {
        assert_eq!(decode("aGVs\nbG8=\n").unwrap(), b"hello");
        assert!(decode("aGVs\n[ 12.3] oops!\nbG8=\n").is_err());
    }

    #[test]
    fn a_name_that_is_not_shipped_is_an_error() {
        assert!(main(&["6.2".to_owned()]).is_err());
    }

    #[test]
    fn every_profile_of_the_table_is_there() {
        for shipped in SHIPPED {
            let path = workspace::root().join("profiles").join(format!("{}.trcprof", shipped.name));
            assert!(path.is_file(), "{}", path.display());
        }
    }
}

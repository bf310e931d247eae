//! Virtual machines with kernels that the host does not run: one command on one kernel, and its outcome.
//!
//! A machine is QEMU in software emulation with a kernel from Debian, an initial ramdisk that is made for the run, and
//! a serial console. It has no disk, no network except the loopback device, and no persistent state.

mod cli;
mod console;
mod full;
mod initramfs;
mod machine;
pub mod modules;
mod needs;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::debian::{self, cache};

pub use cli::main;
pub use full::configured_source;
pub use needs::packages;

/// The default time limit of a machine.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

/// A kernel that a machine can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Debian 12's own kernel 6.1, for clouds.
    Debian6_1,
    /// The kernel 6.12 of Debian 12's backports, for clouds.
    Debian6_12,
    /// Debian's source of 6.12 built with every tracing feature (`full.config`).
    Full,
}

impl Kernel {
    /// All kernels, the oldest first.
    pub const ALL: [Self; 3] = [Self::Debian6_1, Self::Debian6_12, Self::Full];

    fn name(self) -> &'static str {
        match self {
            Self::Debian6_1 => "6.1",
            Self::Debian6_12 => "6.12",
            Self::Full => "full",
        }
    }

    /// Returns the package of the image as Debian's archive has it now.
    ///
    /// # Errors
    ///
    /// apt does not know it, or the kernel is built here.
    pub fn package(self) -> Result<debian::Package> {
        let meta = match self {
            Self::Debian6_1 => "linux-image-cloud-amd64",
            Self::Debian6_12 => "linux-image-6.12-cloud-amd64",
            Self::Full => bail!("the kernel {self} comes from no package"),
        };
        debian::newest(meta)?.kernel_image()
    }

    /// Returns the path of the image, which is made and cached if it is not there yet.
    fn image(self) -> Result<PathBuf> {
        match self {
            Self::Debian6_1 | Self::Debian6_12 => debian_image(self),
            Self::Full => full::image(),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kernel {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == word);
        found.with_context(|| format!("there is no kernel `{word}`: 6.1, 6.12 and full are known"))
    }
}

/// The input of a machine, and its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// Programs of the host. Each is in /bin of the machine under its own name, and takes precedence over busybox's
    /// program of that name; the shared libraries it needs are copied as well.
    pub binaries: Vec<PathBuf>,
    /// Further files and directories: the path on the host, the absolute path in the machine.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// Shell text, run as root by busybox's sh in the directory /root. Its output goes to a pipe, not to a terminal.
    pub command: String,
    /// Environment variables of the command.
    pub env: Vec<(String, String)>,
    /// Further arguments on the kernel's command line, such as `lockdown=confidentiality`.
    pub cmdline: Vec<String>,
    /// Whether the command's output is not shown while it runs; it is in [`CommandOutcome::output`] in any case.
    pub quiet: bool,
    /// The time limit of the machine, from the start of QEMU, after which it is killed.
    pub timeout: Duration,
}

impl Default for Payload {
    fn default() -> Self {
        Self {
            binaries: Vec::new(),
            files: Vec::new(),
            command: String::new(),
            env: Vec::new(),
            cmdline: Vec::new(),
            quiet: false,
            timeout: DEFAULT_TIMEOUT,
        }
    }
}

/// The outcome of the command in a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The command's exit code; 128 plus the signal's number if a signal ended it, as in shells.
    pub exit_code: i32,
    /// The output on the console while the command ran: its standard output and error, and messages of the kernel.
    pub output: String,
    /// From the start of QEMU to the start of the command.
    pub boot: Duration,
    /// From the start of QEMU to its end.
    pub duration: Duration,
}

/// Starts a machine, runs the payload's command in it, shows its output while it runs (unless quiet), and waits for the
/// machine's end.
///
/// # Errors
///
/// The kernel is not available, a file of the payload is missing, QEMU does not start, the kernel panics, the time is
/// up, or the machine ends without the command's exit code. A command that fails is not an error.
pub fn run(kernel: Kernel, payload: Payload) -> Result<CommandOutcome> {
    if std::env::consts::ARCH != "x86_64" {
        bail!("the kernels are for x86-64, and so must be the programs of this {}", std::env::consts::ARCH);
    }
    let missing = packages(kernel);
    if !missing.is_empty() {
        bail!("a machine with kernel {kernel} needs packages that are not installed: {}", missing.join(" "));
    }
    let image = kernel.image().with_context(|| format!("no kernel {kernel}"))?;
    let scratch =
        tempfile::Builder::new().prefix("tracec-vm-").tempdir().context("no temporary directory")?;
    let nonce = console::nonce();
    let initrd = initramfs::pack(&payload, &nonce, scratch.path()).context("no initial ramdisk")?;
    machine::run(&image, &initrd, &payload, &nonce).with_context(|| format!("machine with kernel {kernel}"))
}

/// Returns the image in the package of a kernel of Debian's.
fn debian_image(kernel: Kernel) -> Result<PathBuf> {
    let resolve = || kernel.package();
    let fetch = |image: &debian::Package| {
        cache::entry(&image.key(), |directory| {
            let deb = debian::download(image, directory)?;
            debian::unpack(&deb, "./boot", directory)?;
            Ok(std::fs::remove_file(&deb)?)
        })
    };
    let directory = debian::with_newest(resolve, fetch)?.join("boot");
    find_vmlinuz(&directory).with_context(|| format!("no vmlinuz in {}", directory.display()))
}

fn find_vmlinuz(directory: &Path) -> Result<PathBuf> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("vmlinuz-") {
            return Ok(entry.path());
        }
    }
    bail!("the package holds no kernel")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_names() {
        for kernel in Kernel::ALL {
            assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
        }
        assert!("6.10".parse::<Kernel>().is_err());
        assert!("".parse::<Kernel>().is_err());
    }

    #[test]
    fn the_image_is_found_among_other_files() {
        let boot = tempfile::tempdir().unwrap();
        assert!(find_vmlinuz(boot.path()).is_err());
        for name in ["System.map-6.1", "config-6.1", "vmlinuz-6.1"] {
            std::fs::write(boot.path().join(name), "").unwrap();
        }
        assert_eq!(find_vmlinuz(boot.path()).unwrap(), boot.path().join("vmlinuz-6.1"));
    }
}

//! The system packages for the demo, the tests and the benchmarks, as one table, and their installation.

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::vm::{self, Kernel};
use crate::workspace;

/// A purpose that needs packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The command itself: libbpf is built with it.
    Build,
    /// Format check and lints.
    Lint,
    /// Sessions on the running kernel, and the programs that live tests call.
    Live,
    /// A virtual machine with this kernel.
    Machine(Kernel),
    /// Other tools to compare with.
    Peers,
    /// Benchmarks.
    Benches,
    /// A fresh Debian in a directory.
    Bare,
    /// The kernel's headers, against which constants are tested.
    Headers,
    /// Kernel modules, built with Debian's headers.
    Modules,
    /// The source of a kernel, and patches of it.
    KernelTree,
    /// The programs that run or read the files of `tracec build`: shells, make, tools that check scripts.
    Scripts,
    /// Editors with the language server.
    Editors,
    /// Programs that make file systems, whose events are compared.
    FileSystems,
}

/// A program or library of the system, and its package.
struct Need {
    what: What,
    package: &'static str,
    used_for: Use,
    why: &'static str,
}

/// The evidence that it is installed.
#[derive(Clone, Copy, Debug)]
enum What {
    /// A program in PATH.
    Program(&'static str),
    /// The package as a whole, if it has no program: dpkg has it installed.
    Package,
}

const fn need(program: &'static str, package: &'static str, used_for: Use, why: &'static str) -> Need {
    Need { what: What::Program(program), package, used_for, why }
}

const fn library(package: &'static str, used_for: Use, why: &'static str) -> Need {
    Need { what: What::Package, package, used_for, why }
}

impl Need {
    fn is_met(&self) -> bool {
        match self.what {
            What::Program(program) => workspace::in_path(program),
            What::Package => is_installed(self.package),
        }
    }
}

/// Returns whether dpkg has a package installed; false where there is no dpkg.
fn is_installed(package: &str) -> bool {
    let query = Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status} ", package]).output();
    query.is_ok_and(|said| said.stdout.split(|&byte| byte == b' ').any(|status| status == b"installed"))
}

/// System packages by purpose. The packages of a virtual machine are in `vm::packages`; .cargo/cc provides a C linker,
/// since nothing here runs without one.
const NEEDS: &[Need] = &[
    need("gcc", "gcc", Use::Build, "builds libbpf"),
    need("make", "make", Use::Build, "builds libbpf"),
    need("pkg-config", "pkg-config", Use::Build, "finds the libraries of libbpf"),
    library("libelf-dev", Use::Build, "is what libbpf reads objects with"),
    library("zlib1g-dev", Use::Build, "is what libelf reads compressed sections with"),
    need("mount", "mount", Use::Live, "mounts tracefs where it is not mounted"),
    need("strip", "binutils", Use::Live, "takes debugging information out of what goes into a machine"),
    need("bpftrace", "bpftrace", Use::Peers, "is asked what it makes of newcomers' mistakes"),
    need("trace-cmd", "trace-cmd", Use::Peers, "is asked what it makes of newcomers' mistakes"),
    library("libtraceevent-dev", Use::Benches, "its filter runs beside the evaluator of conditions"),
    need("make", "make", Use::Headers, "makes headers for programs of the kernel's source"),
    need("xz", "xz-utils", Use::Headers, "unpacks the kernel's source"),
    need("make", "make", Use::Modules, "builds kernel modules"),
    need("gcc", "gcc", Use::Modules, "builds kernel modules"),
    need("pahole", "pahole", Use::Modules, "writes the types of kernel modules, as Debian's 6.12 wants"),
    library("libelf-dev", Use::Modules, "is what a program of kbuild runs with"),
    need("patch", "patch", Use::KernelTree, "applies patches to the source of a kernel"),
    need("perl", "perl", Use::KernelTree, "runs scripts/checkpatch.pl of the kernel"),
    need("dash", "dash", Use::Scripts, "runs scripts"),
    // Not the package `busybox`, which conflicts with it: virtual machines need the static one.
    need("busybox", "busybox-static", Use::Scripts, "runs scripts"),
    need("shellcheck", "shellcheck", Use::Scripts, "reads scripts"),
    need("strace", "strace", Use::Scripts, "counts the writes of scripts"),
    need("make", "make", Use::Scripts, "reads the rules that `tracec build` writes"),
    need("ninja", "ninja-build", Use::Scripts, "reads the rules that `tracec build` writes"),
    need("nvim", "neovim", Use::Editors, "drives the language server"),
    need("tmux", "tmux", Use::Editors, "is the terminal that shows a newer Neovim"),
    need("node", "nodejs", Use::Editors, "runs the extension for Visual Studio Code"),
    need("npm", "npm", Use::Editors, "installs what the extension depends on, and packages it"),
    need("mkfs.ext4", "e2fsprogs", Use::FileSystems, "makes file systems, whose events are compared"),
    need("mkfs.xfs", "xfsprogs", Use::FileSystems, "makes file systems, whose events are compared"),
    need("mkfs.btrfs", "btrfs-progs", Use::FileSystems, "makes file systems, whose events are compared"),
    need("xz", "xz-utils", Use::FileSystems, "unpacks modules of file systems"),
    need("debootstrap", "debootstrap", Use::Bare, "makes a fresh Debian"),
    need("git", "git", Use::Bare, "lists the files of the tree"),
];

/// Optional components of a Rust toolchain: the cargo command, the component.
const COMPONENTS: &[(&str, &str)] = &[("fmt", "rustfmt"), ("clippy", "clippy")];

/// Everything that `demo`, `test` and the benchmarks can use.
const EVERYTHING: &[Use] = &[
    Use::Build,
    Use::Lint,
    Use::Live,
    Use::Peers,
    Use::Benches,
    Use::Headers,
    Use::Scripts,
    Use::Editors,
    Use::Modules,
    Use::Machine(Kernel::Debian6_1),
    Use::Machine(Kernel::Debian6_12),
    Use::Machine(Kernel::Full),
];

/// Installs everything that the demo, the tests and the benchmarks need: `cargo xtask setup`.
///
/// # Errors
/// There are arguments, or something is still missing.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    if !arguments.is_empty() {
        bail!("setup takes no arguments");
    }
    ensure(EVERYTHING);
    let missing = missing_packages(EVERYTHING);
    if !missing.is_empty() || !missing_components(EVERYTHING).is_empty() {
        bail!("something is still missing, see above");
    }
    println!("everything that the demo, the tests and the benchmarks need is installed");
    Ok(ExitCode::SUCCESS)
}

/// Installs missing packages for these purposes. A package that cannot be installed is reported: each part that needs
/// it is skipped with a printed reason.
pub fn ensure(uses: &[Use]) {
    let uses = &[&[Use::Build], uses].concat();
    if let Err(error) = add_components(&missing_components(uses)) {
        println!("setup: {error:#}");
    }
    if let Err(error) = install(&missing_packages(uses)) {
        println!("setup: {error:#}");
    }
}

/// Returns the packages that are not installed, each with its purpose.
fn missing_packages(uses: &[Use]) -> BTreeSet<(&'static str, String)> {
    let mut missing = BTreeSet::new();
    for need in NEEDS.iter().filter(|need| uses.contains(&need.used_for)) {
        if !need.is_met() {
            missing.insert((need.package, need.why.to_owned()));
        }
    }
    for used in uses {
        let kernel = match used {
            Use::Machine(kernel) => Some(*kernel),
            Use::KernelTree => Some(Kernel::Full),
            _ => None,
        };
        if let Some(kernel) = kernel {
            let why = format!("a virtual machine with the kernel {kernel}");
            missing.extend(vm::packages(kernel).into_iter().map(|package| (package, why.clone())));
        }
    }
    missing
}

fn missing_components(uses: &[Use]) -> Vec<&'static str> {
    let wanted = COMPONENTS.iter().filter(|_| uses.contains(&Use::Lint));
    wanted
        .filter(|(command, _)| !workspace::has_cargo_command(command))
        .map(|(_, component)| *component)
        .collect()
}

fn add_components(components: &[&str]) -> Result<()> {
    if components.is_empty() {
        return Ok(());
    }
    if !workspace::in_path("rustup") {
        bail!("the toolchain lacks {}, and there is no rustup to add it", components.join(" and "));
    }
    println!("setup: rustup component add {}", components.join(" "));
    workspace::run(Command::new("rustup").args(["component", "add"]).args(components))
}

fn install(missing: &BTreeSet<(&'static str, String)>) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    for (package, why) in missing {
        println!("setup: {package} is missing: {why}");
    }
    let packages: BTreeSet<&str> = missing.iter().map(|(package, _)| *package).collect();
    if !workspace::is_root() || !workspace::in_path("apt-get") {
        let packages = packages.into_iter().collect::<Vec<_>>().join(" ");
        bail!("going on without; to install it on Debian, as root: apt-get install {packages}");
    }
    // An update that fails for one of several archives still leaves lists to install from.
    if let Err(error) = workspace::run(apt_get().arg("update")) {
        println!("setup: {error:#}; going on with the package lists there are");
    }
    workspace::run(apt_get().args(["install", "--yes", "--no-install-recommends"]).args(packages))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.arg("--quiet").env("DEBIAN_FRONTEND", "noninteractive");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_installed_for_no_purpose() {
        assert!(missing_packages(&[]).is_empty());
        assert!(missing_components(&[Use::Live, Use::Bare]).is_empty());
        assert!(install(&BTreeSet::new()).is_ok());
        assert!(add_components(&[]).is_ok());
    }

    #[test]
    fn each_need_stands_once_for_a_purpose() {
        let named = |need: &Need| match need.what {
            What::Program(program) => program,
            What::Package => need.package,
        };
        for (index, need) in NEEDS.iter().enumerate() {
            let is_same = |other: &&Need| named(other) == named(need) && other.used_for == need.used_for;
            assert_eq!(NEEDS[..index].iter().find(is_same).map(named), None);
        }
    }

    #[test]
    fn a_package_that_does_not_exist_is_not_installed() {
        assert!(!is_installed("no-package-has-this-name"));
        // The package of dpkg itself, where there is one.
        assert_eq!(is_installed("dpkg"), workspace::in_path("dpkg-query"));
    }
}

//! Programs of a later Debian than the machine's, unpacked with all their libraries. They run by their own loader, so
//! that nothing of the machine is changed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{cache, security};
use crate::workspace;

/// The release whose programs are fetched.
const SUITE: &str = "trixie";

/// The keys of Debian's archive, which every Debian has.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Calls a program by its own loader and with its own libraries. The two variables are Neovim's, which has its files in
/// a directory that was fixed when it was built.
const WRAPPER: &str = r#"#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
for loader in "$root"/usr/lib*/ld-linux-*.so.*; do break; done
for libraries in "$root"/usr/lib/*-linux-gnu; do break; done
VIM=$root/usr/share/nvim VIMRUNTIME=$root/usr/share/nvim/runtime \
    exec "$loader" --library-path "$libraries" "$root/usr/bin/PROGRAM" "$@"
"#;

/// Returns a program that runs `program` of a package of the later Debian.
///
/// # Errors
///
/// The machine has no apt with an archive of Debian, or the archive cannot be reached.
pub fn program(package: &str, program: &str) -> Result<PathBuf> {
    // The number is that of this layout of the entry.
    let entry = cache::entry(&format!("{SUITE}-{package}-1"), |directory| {
        fetch(package, directory)?;
        let wrapper = directory.join(program);
        fs::write(&wrapper, WRAPPER.replace("PROGRAM", program))?;
        Ok(fs::set_permissions(&wrapper, Permissions::from_mode(0o755))?)
    })?;
    Ok(entry.join(program))
}

/// Downloads a package with everything that it depends on, and unpacks it below `root`.
fn fetch(package: &str, directory: &Path) -> Result<()> {
    let mirror = security::mirror()?.context("apt is not set up for an archive of Debian")?;
    let root = directory.join("root");
    for part in ["root", "lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(directory.join(part))?;
    }
    fs::write(directory.join("sources"), format!("deb [signed-by={KEYS}] {mirror}/debian {SUITE} main\n"))?;
    // Nothing is installed, as apt sees it: so it names the libraries that the machine has in another version.
    fs::write(directory.join("status"), "")?;
    eprintln!("downloading {package} of {SUITE}, with its libraries");
    apt(directory, &["update"])?;
    apt(directory, &["install", "--yes", "--download-only", "--no-install-recommends", package])?;
    let mut files = Vec::new();
    let is_package = |path: &Path| path.extension().is_some_and(|extension| extension == "deb");
    workspace::files_below(&directory.join("cache/archives"), &[], &is_package, &mut files)?;
    for file in files {
        super::unpack(&file, "./usr", &root).with_context(|| file.display().to_string())?;
    }
    for done in ["lists", "cache"] {
        fs::remove_dir_all(directory.join(done))?;
    }
    Ok(())
}

/// Runs apt-get with its state in a directory.
fn apt(directory: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).arg("-q");
    let paths = [
        ("Dir::Etc::sourcelist", "sources"),
        ("Dir::State::lists", "lists"),
        ("Dir::State::status", "status"),
        ("Dir::Cache", "cache"),
    ];
    for (option, path) in paths {
        command.arg("-o").arg(format!("{option}={}", directory.join(path).display()));
    }
    let fixed = [
        "Dir::Etc::sourceparts=/dev/null",
        "APT::Sandbox::User=root",
        "Debug::NoLocking=1",
        "Acquire::Languages=none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
    ];
    fixed.iter().for_each(|option| _ = command.args(["-o", option]));
    let output = command.args(arguments).output().context("cannot start apt-get")?;
    if !output.status.success() {
        bail!("apt-get {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

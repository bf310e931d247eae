//! Debian's archive as a source of kernels and programs: the newest version of a package, its download, and a cache of the results.
//!
//! Nothing is installed: packages are unpacked into the cache, never into the running system.

pub mod cache;
pub mod later;
mod record;
mod security;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

pub use record::{Dependency, Record};

/// One binary package in one version, as `apt-get download NAME=VERSION` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The package's name.
    pub name: String,
    /// Its full Debian version.
    pub version: String,
}

impl Package {
    /// Returns a name for a cache entry that changes with every version.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}_{}", self.name, self.version)
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The archive did not deliver a package that apt's lists name: the lists are stale, or there is no network.
#[derive(Debug)]
pub struct DownloadFailed {
    package: Package,
    message: String,
}

impl fmt::Display for DownloadFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "apt-get could not download {}: {}", self.package, self.message)
    }
}

impl std::error::Error for DownloadFailed {}

/// Returns the newest version of `name` that apt would install, with its dependencies.
///
/// If apt's lists do not know the package, they are read again after an `apt-get update`: on a fresh machine they are
/// empty.
///
/// # Errors
///
/// There is no apt, or the package is unknown even to fresh lists.
pub fn newest(name: &str) -> Result<Record> {
    if let Some(record) = show(name)? {
        return Ok(record);
    }
    update_lists()?;
    show(name)?.with_context(|| format!("apt knows no package {name}"))
}

/// Resolves with `resolve`, then calls `make`; when the archive no longer holds the package that was resolved, reads
/// fresh lists and tries once more with what they name.
///
/// # Errors
///
/// An error of `resolve` or of `make`.
pub fn with_newest<T>(
    resolve: impl Fn() -> Result<Package>,
    make: impl Fn(&Package) -> Result<T>,
) -> Result<T> {
    let package = resolve()?;
    let error = match make(&package) {
        Err(error) if error.downcast_ref::<DownloadFailed>().is_some() => error,
        result => return result,
    };
    update_lists().with_context(|| format!("{error:#}"))?;
    let fresh = resolve()?;
    if fresh == package { Err(error) } else { make(&fresh) }
}

/// Downloads `package` into `directory` and returns the path of the `.deb` file.
///
/// # Errors
///
/// [`DownloadFailed`] when apt-get fails; otherwise an error when it cannot be started or leaves no file.
pub fn download(package: &Package, directory: &Path) -> Result<PathBuf> {
    eprintln!("downloading {package}");
    let output = apt("apt-get")?
        // As root, apt would hand the download to the user _apt, who cannot write here, and print a warning.
        .args(["-q", "-o", "APT::Sandbox::User=root", "download"])
        .arg(format!("{}={}", package.name, package.version))
        .current_dir(directory)
        .output()
        .context("cannot start apt-get")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(DownloadFailed { package: package.clone(), message }.into());
    }
    let is_deb = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "deb");
    let files = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let files = files.collect::<std::io::Result<Vec<_>>>()?;
    files.into_iter().find(is_deb).with_context(|| format!("apt-get left no file for {package}"))
}

/// Unpacks the files below `member` of the package file `deb` into `directory`.
///
/// # Errors
///
/// dpkg-deb or tar fails, or the package has no such member.
pub fn unpack(deb: &Path, member: &str, directory: &Path) -> Result<()> {
    let mut reader = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start dpkg-deb")?;
    let archive = reader.stdout.take().context("dpkg-deb has no output")?;
    let tar = Command::new("tar").arg("-x").arg("-C").arg(directory).arg(member).stdin(archive).status();
    let dpkg = reader.wait()?;
    let tar = tar.context("cannot start tar")?;
    if !dpkg.success() || !tar.success() {
        bail!("cannot unpack {member} of {}: dpkg-deb {dpkg}, tar {tar}", deb.display());
    }
    Ok(())
}

fn show(name: &str) -> Result<Option<Record>> {
    let output = apt("apt-cache")?
        .args(["show", "--no-all-versions", name])
        .output()
        .context("cannot start apt-cache: kernels come from Debian's archive")?;
    if !output.status.success() {
        return Ok(None);
    }
    Record::parse(&String::from_utf8_lossy(&output.stdout)).map(Some)
}

fn update_lists() -> Result<()> {
    eprintln!("apt-get update");
    let output = apt("apt-get")?.args(["-q", "update"]).output().context("cannot start apt-get")?;
    if !output.status.success() {
        bail!("apt-get update failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Returns a command of apt that knows the security archive, and whose output does not depend on the user's language.
fn apt(program: &str) -> Result<Command> {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    command.args(security::options()?);
    Ok(command)
}

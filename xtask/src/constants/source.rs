//! The packages that constants are read from, unpacked into the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::arch::Arch;
use crate::debian::{self, Package, cache};

/// The series of kernels whose sources are read, the newest first: the one that headers for programs come from.
pub(super) const SERIES: [&str; 2] = ["6.12", "6.1"];

/// The parts of a source that are unpacked: include/ and, to make headers for programs from it, the files that the
/// rules in the kernel's Makefile use.
const INCLUDE: &[&str] = &["include/linux", "include/net"];
const TO_MAKE_HEADERS: &[&str] =
    &["Kbuild", "Kconfig", "Makefile", "arch", "include", "scripts", "tools/include/tools", "usr"];

/// One series of the kernel's source.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The series: `6.12`.
    pub(super) series: &'static str,
    /// The package with its version.
    pub(super) package: Package,
    /// The day of the version, from its changelog.
    pub(super) date: String,
    /// The directory where it is unpacked.
    pub(super) tree: PathBuf,
}

/// The newest versions of the packages to read.
#[derive(Clone, Debug)]
pub(super) struct Packages {
    sources: Vec<Package>,
    /// The headers that Debian installs for programs.
    installed: Package,
}

impl Packages {
    /// Asks apt for them.
    pub(super) fn newest() -> Result<Self> {
        let newest = |name: &str| debian::newest(name).map(|record| record.package);
        let sources = SERIES.iter().map(|series| newest(&format!("linux-source-{series}")));
        Ok(Self { sources: sources.collect::<Result<_>>()?, installed: newest("linux-libc-dev")? })
    }

    /// Returns the sources, the newest first; those that are not in the cache are downloaded.
    pub(super) fn sources(&self) -> Result<Vec<Source>> {
        SERIES.iter().zip(&self.sources).map(|(series, package)| source(series, package)).collect()
    }

    /// Returns the directory `/usr/include` of Debian's package of headers for programs, and the package.
    pub(super) fn installed(&self) -> Result<(PathBuf, &Package)> {
        let directory = cache::entry(&self.installed.key(), |directory| {
            let deb = debian::download(&self.installed, directory)?;
            debian::unpack(&deb, "./usr/include", directory)?;
            fs::remove_file(deb).context("cannot remove a package file")
        })?;
        Ok((directory.join("usr/include"), &self.installed))
    }
}

impl Source {
    /// Returns the directory of the headers for programs of an architecture; only the newest series has them.
    pub(super) fn user(&self, arch: Arch) -> PathBuf {
        self.tree.join("user").join(arch.name()).join("include")
    }
}

/// Part of the names of cache entries; it is incremented when their content changes.
const LAYOUT: u32 = 1;

fn source(series: &'static str, package: &Package) -> Result<Source> {
    let key = format!("{}-headers-{LAYOUT}", package.key());
    let tree = cache::entry(&key, |directory| fill(series, package, directory))?;
    let path = tree.join("date");
    let date = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Source { series, package: package.clone(), date: date.trim().to_owned(), tree })
}

/// Fills an entry of the cache: `include/` of the tree, `user/ARCH/include` and `date`.
fn fill(series: &str, package: &Package, directory: &Path) -> Result<()> {
    let deb = debian::download(package, directory)?;
    let changelog = format!("./usr/share/doc/linux-source-{series}/changelog.Debian.gz");
    let archive = format!("./usr/src/linux-source-{series}.tar.xz");
    debian::unpack(&deb, &changelog, directory)?;
    debian::unpack(&deb, &archive, directory)?;
    fs::remove_file(deb).context("cannot remove a package file")?;
    fs::write(directory.join("date"), changelog_date(&directory.join(changelog))?)?;
    let work = directory.join("work");
    let with_headers = series == SERIES[0];
    unpack_archive(&directory.join(archive), if with_headers { TO_MAKE_HEADERS } else { INCLUDE }, &work)?;
    fs::remove_dir_all(directory.join("usr")).context("cannot remove what was unpacked")?;
    if with_headers {
        for arch in Arch::ALL {
            make_headers(&work, arch, &directory.join("user").join(arch.name()))?;
        }
    }
    for part in INCLUDE {
        let target = directory.join(part);
        fs::create_dir_all(target.parent().unwrap_or(directory))?;
        fs::rename(work.join(part), &target).with_context(|| format!("cannot move {part}"))?;
    }
    // kbuild would generate this file from the configuration; here gcc's arguments hold it (include/linux/kconfig.h
    // includes it).
    let generated = directory.join("include/generated");
    fs::create_dir_all(&generated)?;
    fs::write(generated.join("autoconf.h"), "")?;
    fs::remove_dir_all(work).context("cannot remove the source tree")
}

/// Unpacks the parts of the source's one directory, without large parts that are not needed.
fn unpack_archive(archive: &Path, parts: &[&str], work: &Path) -> Result<()> {
    fs::create_dir(work)?;
    let status = Command::new("tar")
        .arg("-xJf")
        .arg(archive)
        .args(["--strip-components=1", "--wildcards", "--no-wildcards-match-slash"])
        .args(["--exclude=*/arch/*/boot/dts", "--exclude=*/include/dt-bindings", "-C"])
        .arg(work)
        .args(parts.iter().map(|part| format!("linux-source-*/{part}")))
        .status()
        .context("cannot start tar")?;
    if !status.success() {
        bail!("cannot unpack {}: {status}", archive.display());
    }
    Ok(())
}

/// Makes the headers for programs of an architecture, as `make headers_install` installs them.
fn make_headers(work: &Path, arch: Arch, target: &Path) -> Result<()> {
    eprintln!("making the headers for programs of {}", arch.name());
    let build = work.join("build");
    fs::create_dir(&build)?;
    let mut make = Command::new("make");
    for variable in ["MAKEFLAGS", "CROSS_COMPILE", "KBUILD_OUTPUT", "KCFLAGS", "LLVM"] {
        make.env_remove(variable);
    }
    let output = make
        .arg("-C")
        .arg(work)
        .args([&format!("ARCH={}", arch.directory()), &format!("O={}", build.display()), "headers"])
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .context("cannot start make")?;
    if !output.status.success() {
        bail!("make headers: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    fs::create_dir_all(target)?;
    fs::rename(build.join("usr/include"), target.join("include")).context("make headers made no headers")?;
    fs::remove_dir_all(build).context("cannot remove what make left")
}

/// Returns the day of the newest entry of a Debian changelog, as `2026-11-14`.
fn changelog_date(path: &Path) -> Result<String> {
    let output = Command::new("gzip").arg("-dc").arg(path).output().context("cannot start gzip")?;
    if !output.status.success() {
        bail!("cannot unpack {}: {}", path.display(), output.status);
    }
    date_of(&String::from_utf8_lossy(&output.stdout))
        .with_context(|| format!("{} has no date", path.display()))
}

/// Reads the line `" -- NAME <ADDRESS>  Sat, 14 Nov 2026 13:56:01 +0100"` (deb-changelog(5)).
fn date_of(changelog: &str) -> Option<String> {
    const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let trailer = changelog.lines().find_map(|line| line.strip_prefix(" -- "))?;
    let (_, date) = trailer.rsplit_once(">  ")?;
    let mut words = date.split_whitespace().skip(1);
    let (day, month, year): (u32, &str, u32) =
        (words.next()?.parse().ok()?, words.next()?, words.next()?.parse().ok()?);
    let month = MONTHS.split(' ').position(|name| name == month)? + 1;
    Some(format!("{year}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_date_of_a_changelog_counts() {
        let text = "linux-6.12 (6.12.1-1) x; urgency=high\n\n  * Rebuild\n\n -- Ben <b@x>  Sat, 4 Nov 2026 13:56:01 +0100\n\
            \nlinux (6.12.0-1) x\n\n -- Ben <b@x>  Fri, 03 Oct 2025 00:00:00 +0000\n";
        assert_eq!(date_of(text).as_deref(), Some("2026-11-04"));
        assert_eq!(date_of("linux\n -- Ben <b@x>  Sat, 4 Brumaire 2026\n"), None);
        assert_eq!(date_of(""), None);
    }
}

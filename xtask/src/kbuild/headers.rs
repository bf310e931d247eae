//! The headers of a kernel of Debian's, with the programs of kbuild.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::debian::{self, Dependency, Package, cache};
use crate::vm::Kernel;

/// The directory of sources in a package.
const SOURCES: &str = "usr/src";

/// Returns the directory that `make -C` takes for a module of this kernel.
pub(super) fn headers(kernel: Kernel) -> Result<PathBuf> {
    let package = || {
        let image = kernel.package()?;
        let name = image.name.replacen("linux-image-", "linux-headers-", 1);
        Ok(Package { name, version: image.version })
    };
    let entry = debian::with_newest(package, |package| {
        // The number is that of this layout of the entry.
        cache::entry(&format!("{}-kbuild-1", package.key()), |directory| fill(package, directory))
    })?;
    Ok(entry.join(SOURCES).join(package()?.name))
}

/// Unpacks the headers and the two packages that they need. Their Makefile names the second by its absolute path.
fn fill(package: &Package, directory: &Path) -> Result<()> {
    unpack(package, directory)?;
    let needed = debian::newest(&package.name)?.depends;
    let is_part = |needed: &&Dependency| {
        needed.name.starts_with("linux-headers-") || needed.name.starts_with("linux-kbuild-")
    };
    for part in needed.iter().filter(is_part) {
        let version = part.exact_version.clone().unwrap_or_else(|| package.version.clone());
        unpack(&Package { name: part.name.clone(), version }, directory)?;
    }
    let makefile = directory.join(SOURCES).join(&package.name).join("Makefile");
    let text = fs::read_to_string(&makefile).with_context(|| format!("{}", makefile.display()))?;
    // The entry is filled under another name than it has later: the path is relative to the Makefile.
    let own = "$(dir $(abspath $(lastword $(MAKEFILE_LIST))))..";
    fs::write(&makefile, text.replace("/usr/src", own))?;
    Ok(())
}

fn unpack(package: &Package, directory: &Path) -> Result<()> {
    let deb = debian::download(package, directory)?;
    debian::unpack(&deb, "./usr", directory)?;
    Ok(fs::remove_file(&deb)?)
}

//! Kernel modules, built against the headers of the kernels that virtual machines run.

mod headers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::vm::Kernel;

/// A module that was built.
#[derive(Debug)]
pub struct Built {
    /// The module.
    pub module: PathBuf,
    /// What the compiler and kbuild warned of, line by line.
    pub warnings: Vec<String>,
}

/// Builds the module in `directory`, which has a `Kbuild`, with the warnings of `W=1`.
///
/// # Errors
/// The kernel's headers are not available, or kbuild fails.
pub fn build(kernel: Kernel, directory: &Path) -> Result<Built> {
    let headers = headers::headers(kernel)?;
    let output = Command::new("make")
        .arg("-C")
        .arg(&headers)
        .arg(format!("M={}", directory.display()))
        .args(["W=1", "modules"])
        .env("LC_ALL", "C")
        .output()
        .context("cannot start make")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("kbuild for {kernel} fails in {}:\n{said}", directory.display());
    }
    let entries = fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let entries: Vec<PathBuf> = entries.collect::<std::io::Result<_>>()?;
    let module = entries.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "ko"));
    let module = module.with_context(|| format!("kbuild left no module in {}", directory.display()))?;
    let warnings = said.lines().filter(|line| is_warning(line)).map(str::to_owned).collect();
    Ok(Built { module, warnings })
}

/// Returns what the preprocessor makes of `UNIT.c` in `directory`, which has a `Kbuild`, or else what it says. `flags` are
/// given to it.
///
/// # Errors
/// The kernel's headers are not available, or make cannot be started.
pub fn preprocess(
    kernel: Kernel,
    directory: &Path,
    unit: &str,
    flags: &str,
) -> Result<std::result::Result<String, String>> {
    let headers = headers::headers(kernel)?;
    let output = Command::new("make")
        .arg("-C")
        .arg(&headers)
        .arg(format!("M={}", directory.display()))
        .arg(format!("{unit}.i"))
        .env("KCFLAGS", flags)
        .env("LC_ALL", "C")
        .output()
        .context("cannot start make")?;
    if !output.status.success() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let path = directory.join(format!("{unit}.i"));
    fs::read_to_string(&path).with_context(|| path.display().to_string()).map(Ok)
}

/// Returns whether a line of standard error concerns the module. Debian's headers of 6.1 come without the kernel that
/// BTF needs.
fn is_warning(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with("Skipping BTF generation for ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_warning_except_for_that_of_btf() {
        assert!(is_warning("./x.h:4: warning: unused variable 'a'"));
        assert!(!is_warning("Skipping BTF generation for x.ko due to unavailability of vmlinux"));
    }
}

//! Modules of Debian's kernels, with those that they depend on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Kernel;
use crate::debian::{self, cache};

/// Places modules of a kernel in a directory, uncompressed: their names begin with numbers in whose order they load.
///
/// # Errors
///
/// The archive does not deliver the kernel, it has no such module, or the directory cannot be written.
pub fn place(kernel: Kernel, names: &[&str], directory: &Path) -> Result<()> {
    let resolve = || kernel.package();
    let fetch = |image: &debian::Package| {
        cache::entry(&format!("{}-modules-1", image.key()), |directory| {
            let deb = debian::download(image, directory)?;
            debian::unpack(&deb, "./lib/modules", directory)?;
            Ok(fs::remove_file(&deb)?)
        })
    };
    let all = debian::with_newest(resolve, fetch)?;
    let mut files = Vec::new();
    collect(&all, &mut files)?;
    let mut placed = Vec::new();
    for name in names {
        place_one(name, &files, directory, &mut placed)?;
    }
    Ok(())
}

/// Places a module behind those that it depends on.
fn place_one(name: &str, files: &[PathBuf], directory: &Path, placed: &mut Vec<String>) -> Result<()> {
    // `-` and `_` are the same in the name of a module.
    let name = name.replace('-', "_");
    if placed.contains(&name) {
        return Ok(());
    }
    let file = files.iter().find(|file| module_name(file) == Some(name.clone()));
    let file = file.with_context(|| format!("the package has no module {name}"))?;
    let bytes = uncompressed(file)?;
    for other in depends(&bytes) {
        place_one(&other, files, directory, placed)?;
    }
    let place = directory.join(format!("{:02}-{name}.ko", placed.len()));
    fs::write(&place, bytes).with_context(|| place.display().to_string())?;
    placed.push(name);
    Ok(())
}

/// Appends the files below a directory.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => collect(&entry.path(), files)?,
            kind if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the name of the module in a file, `NAME.ko` or `NAME.ko.xz`.
fn module_name(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let name = name.strip_suffix(".xz").unwrap_or(name).strip_suffix(".ko")?;
    Some(name.replace('-', "_"))
}

fn uncompressed(file: &Path) -> Result<Vec<u8>> {
    if file.extension().is_none_or(|extension| extension != "xz") {
        return fs::read(file).with_context(|| file.display().to_string());
    }
    let output = Command::new("xz").arg("-dc").arg(file).output().context("cannot start xz")?;
    if !output.status.success() {
        bail!("xz: {}: {}", file.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

/// Returns the modules that a module depends on: `depends=A,B` among the strings of its section `.modinfo`.
fn depends(module: &[u8]) -> Vec<String> {
    const WORD: &[u8] = b"\0depends=";
    let Some(at) = module.windows(WORD.len()).position(|window| window == WORD) else { return Vec::new() };
    let rest = &module[at + WORD.len()..];
    let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let names = String::from_utf8_lossy(&rest[..end]);
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_stand_behind_what_they_depend_on() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("from"), directory.path().join("to"));
        fs::create_dir_all(from.join("fs")).unwrap();
        fs::create_dir(&to).unwrap();
        for (name, depends) in [("fs/a-b.ko", "c,d"), ("c.ko", "d"), ("fs/d.ko", ""), ("e.ko", "")] {
            let bytes = format!("ELF\0license=GPL\0depends={depends}\0name=x\0");
            fs::write(from.join(name), bytes).unwrap();
        }
        let mut files = Vec::new();
        collect(&from, &mut files).unwrap();
        let mut placed = Vec::new();
        place_one("a_b", &files, &to, &mut placed).unwrap();
        assert_eq!(placed, ["d", "c", "a_b"]);
        assert!(to.join("02-a_b.ko").exists() && !to.join("03-e.ko").exists());
        assert!(place_one("f", &files, &to, &mut placed).is_err());
    }

    #[test]
    fn module_has_the_name_of_its_file() {
        let name = |file: &str| module_name(Path::new(file));
        assert_eq!(name("kernel/fs/a-b.ko.xz").as_deref(), Some("a_b"));
        assert_eq!((name("modules.order"), name("a.ko.gz")), (None, None));
    }
}

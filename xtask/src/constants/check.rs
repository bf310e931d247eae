//! The test of the standard library's files against the kernel's headers.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::arch::Arch;
use super::checked::Checked;
use super::evaluate::{self, Headers};
use super::gcc;
use super::generate::{self, Generated, variants};
use super::read;
use super::source::{Packages, Source};
use super::table::{MODULES, Module};
use super::{book, on_disk};

/// Checks every file: gcc has to agree with it about each constant, with the source it was read from, with the other
/// releases and architectures it holds for, and with the headers that Debian installs; and it has to be as the
/// generator would write it.
pub(super) fn check(packages: &Packages, root: &Path) -> Result<Checked> {
    let sources = packages.sources()?;
    let installed = packages.installed()?.0;
    let mut checked = Checked::default();
    for module in MODULES {
        for variant in variants(module, &sources)? {
            let constants =
                read::read(&on_disk(root, &variant.path)?).with_context(|| variant.path.clone())?.constants;
            let mut assert = |module: &Module, headers: &Headers<'_>, complete: bool| match assertions(
                module, &constants, headers, complete,
            ) {
                Ok(count) => checked.asserted += count,
                Err(error) => checked.failures.push(format!("{}: {error:#}", variant.path)),
            };
            for (index, cell) in std::iter::once(&variant.cell).chain(&variant.others).enumerate() {
                let user = cell.user(&sources);
                let headers = Headers { user: &user, arch: cell.arch, tree: &cell.source.tree };
                assert(module, &headers, index == 0);
            }
            if let Some(user) =
                installed_for(variant.cell.arch, &installed).filter(|_| !module.user.is_empty())
            {
                let headers = Headers { user: &user, arch: variant.cell.arch, tree: &installed };
                assert(&Module { kernel: &[], ..*module }, &headers, false);
            }
        }
    }
    for file in generate::generate(&sources)? {
        compare(&file, &on_disk(root, &file.path)?, &mut checked)?;
    }
    book::check(root, &mut checked)?;
    Ok(checked)
}

/// Lets gcc compare constants of a file with those of headers; returns how many it compared. With `complete`, the
/// headers have to define all of them.
fn assertions(
    module: &Module,
    constants: &[(String, i128)],
    headers: &Headers<'_>,
    complete: bool,
) -> Result<u64> {
    let evaluation = evaluate::evaluate(module, headers)?;
    let defined: BTreeSet<&str> =
        evaluation.constants.iter().map(|constant| constant.name.as_str()).collect();
    let mut text = evaluate::text(module, headers.tree)?;
    let settings = evaluate::settings(&text, headers)?;
    // gcc must not attribute these lines to the last header.
    text.push_str("\n# 1 \"assertions\"\n");
    let mut expected = 0;
    for (name, value) in constants {
        let name = format!("{}{name}", module.prefix);
        if defined.contains(name.as_str()) {
            let suffix = if *value < 0 { "LL" } else { "ULL" };
            writeln!(text, "_Static_assert(({name}) == {value}{suffix}, \"{name} is not {value}\");")?;
            expected += 1;
        } else if complete {
            bail!("{name} is not defined for {}, or not in every configuration", headers.arch.name());
        }
    }
    if expected == 0 {
        bail!("no constant could be compared with the headers of {}", headers.arch.name());
    }
    let mut asserted = 0;
    for setting in settings {
        let count = gcc::assert(&text, &setting)?;
        if count != expected {
            bail!("gcc saw {count} of {expected} assertions");
        }
        asserted += count;
    }
    Ok(asserted)
}

/// Returns the directories of the installed headers, if they are those of an architecture.
fn installed_for(arch: Arch, include: &Path) -> Option<Vec<PathBuf>> {
    let own = include.join(arch.triplet());
    own.is_dir().then(|| vec![own, include.to_owned()])
}

/// Compares a file with the generator's output. If the archive has a newer package than the one that the file names, a
/// difference is a note and not a mistake, and the assertions show whether the values are right.
fn compare(made: &Generated, there: &str, checked: &mut Checked) -> Result<()> {
    if made.text == there {
        checked.identical += 1;
        return Ok(());
    }
    let file = read::read(there)?;
    let named = file.source()?;
    if named == made.package {
        let lines = made.text.lines().zip(there.lines()).position(|(made, there)| made != there);
        let line = lines.unwrap_or_else(|| made.text.lines().count().min(there.lines().count())) + 1;
        checked
            .failures
            .push(format!("{}:{line}: not what {named} says: run `cargo xtask constants`", made.path));
        return Ok(());
    }
    let same = read::read(&made.text)?.constants == file.constants;
    let what = if same { "the same constants" } else { "other constants: run `cargo xtask constants`" };
    checked.notes.push(format!("{}: read from {named}; {} has {what}", made.path, made.package));
    Ok(())
}

/// Writes every file and the book's table; returns the paths of those that changed.
pub(super) fn write(sources: &[Source], root: &Path) -> Result<Vec<String>> {
    let mut changed = Vec::new();
    for file in generate::generate(sources)? {
        let path = root.join(&file.path);
        if fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        let directory = path.parent().context("a file without directory")?;
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        fs::write(&path, &file.text).with_context(|| path.display().to_string())?;
        changed.push(file.path);
    }
    changed.extend(book::write(root)?);
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(version: &str, value: u32) -> String {
        format!("//! Source: Debian package linux-source-6.12 {version}: <x.h>.\n\nconst A: u32 = {value};\n")
    }

    fn compared(made: &str, there: &str) -> Checked {
        let made = Generated {
            path: "x.trc".to_owned(),
            package: "linux-source-6.12 2".to_owned(),
            text: made.to_owned(),
        };
        let mut checked = Checked::default();
        compare(&made, there, &mut checked).unwrap();
        checked
    }

    #[test]
    fn a_file_is_what_its_own_version_says() {
        assert_eq!(compared(&text("2", 1), &text("2", 1)).identical, 1);
        let checked = compared(&text("2", 1), &text("2", 7));
        let expected = ["x.trc:3: not what linux-source-6.12 2 says: run `cargo xtask constants`".to_owned()];
        assert_eq!(checked.failures, expected);
        assert_eq!(compared(&text("2", 1), &format!("{}\n", text("2", 1))).failures.len(), 1);
    }

    #[test]
    fn another_version_is_news() {
        for (value, what) in [(1, "has the same constants"), (7, "has other constants")] {
            let checked = compared(&text("2", value), &text("1", 1));
            assert!(checked.failures.is_empty() && checked.identical == 0);
            assert!(checked.notes[0].contains(what), "{:?}", checked.notes);
        }
    }
}

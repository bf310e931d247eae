//! No target of the compiler imports another: code that two of them share belongs below both. No lint knows this rule,
//! so the sources are searched for paths.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use regex::Regex;

use super::{Check, Violation};
use crate::workspace;

const TARGETS: &str = "compiler/src/target";

/// Finds `target::OTHER` and `super::OTHER` in the files of the target ONE.
pub(super) fn check(root: &Path) -> Result<Check> {
    let mut paths = Vec::new();
    workspace::files_below(
        &root.join(TARGETS),
        &[],
        &|path| path.extension() == Some("rs".as_ref()),
        &mut paths,
    )?;
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path.strip_prefix(root)?.to_path_buf(), text))
    };
    let files = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    let violations = imports(&files)?;
    Ok(Check { invariant: "no target of the compiler imports another", violations })
}

fn imports(files: &[(PathBuf, String)]) -> Result<Vec<Violation>> {
    let comment = Regex::new("//.*")?;
    let import = Regex::new(r"\b(?:target|super)::(?:super::)*(\{[^}]*\}|\w+)")?;
    // In a list, the names after the first of a path are inside that module.
    let first = Regex::new(r"(?:^|[{,])\s*(\w+)")?;
    let targets: BTreeSet<&str> = files.iter().filter_map(|(path, _)| target_of(path)).collect();
    let mut violations = Vec::new();
    for (path, text) in files {
        let Some(own) = target_of(path) else { continue };
        let code = comment.replace_all(text, "");
        for found in import.captures_iter(&code) {
            let line = code[..found.get_match().start()].matches('\n').count() + 1;
            let names = first.captures_iter(found.extract::<1>().1[0]).map(|name| name.extract::<1>().1[0]);
            for name in names.filter(|name| *name != own && targets.contains(name)) {
                let what = format!("the target {own} imports from the target {name}");
                violations.push(Violation { file: path.clone(), line, what });
            }
        }
    }
    Ok(violations)
}

/// Returns `tracefs` for compiler/src/target/tracefs.rs and everything below compiler/src/target/tracefs/.
fn target_of(path: &Path) -> Option<&str> {
    let below = path.strip_prefix(TARGETS).ok()?.to_str()?;
    let name = below.split(['/', '.']).next()?;
    // target/mod.rs lists the targets, and a kernel that lacks something or a test concerns all of them.
    (!["mod", "lower", "fixture"].contains(&name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the violations in one file while there are the targets `bpf` and `tracefs`.
    fn violations(path: &str, text: &str) -> Vec<String> {
        let files =
            [(path, text), ("compiler/src/target/bpf.rs", ""), ("compiler/src/target/tracefs/mod.rs", "")];
        let files = files.map(|(path, text)| (path.into(), text.to_owned()));
        imports(&files).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn another_target_is_found_with_its_line() {
        let text = "// The kernel's.\nuse crate::ir;\nuse crate::target::bpf::emit;\n";
        let found = violations("compiler/src/target/tracefs/trigger.rs", text);
        let expected =
            "compiler/src/target/tracefs/trigger.rs:3: the target tracefs imports from the target bpf";
        assert_eq!(found, [expected]);
        let in_lists = "use super::Artifact;\nuse crate::target::{\n    bpf,\n    tracefs::write,\n};\n";
        assert_eq!(violations("compiler/src/target/bpf.rs", in_lists).len(), 1);
        assert_eq!(violations("compiler/src/target/bpf.rs", "use super::tracefs;").len(), 1);
        assert_eq!(violations("compiler/src/target/bpf/elf.rs", "super::super::tracefs::f()").len(), 1);
    }

    #[test]
    fn the_own_target_and_other_places_are_fine() {
        assert!(violations("compiler/src/target/bpf/elf.rs", "use crate::target::bpf::Btf;").is_empty());
        assert!(violations("compiler/src/target/bpf/elf.rs", "use crate::target::{bpf::{Btf}};").is_empty());
        assert!(violations("compiler/src/target/bpf/elf.rs", "use crate::target::Artifact;").is_empty());
        assert!(violations("compiler/src/target/mod.rs", "use crate::target::bpf;").is_empty());
        assert!(violations("compiler/src/target/bpf.rs", "// target::tracefs").is_empty());
        assert!(violations("compiler/src/target/bpf.rs", "use crate::my_target::tracefs;").is_empty());
    }
}

//! The modules of the compiler import only those before them in one order: there is no circle between modules of
//! different purpose. No lint knows this rule, so the sources are searched for paths.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use regex::Regex;

use super::{Check, Violation};
use crate::workspace;

const COMPILER: &str = "compiler/src";

/// The modules of the compiler, each after those that it may import. `stdlib`, `source` and `ir` are data; then come
/// the passes in their order, and at the end the modules that show or build their result.
const ORDER: &[&str] = &[
    "stdlib",
    "source",
    "ir",
    "diagnostic",
    "constant",
    "load",
    "resolve",
    "check",
    "simplify",
    "place",
    "validate",
    "plan",
    "target",
    "explain",
    "dump",
    "analyse",
];

/// Finds imports against the order, and modules that it does not name.
pub(super) fn check(root: &Path) -> Result<Check> {
    let mut paths = Vec::new();
    let is_rust = |path: &Path| path.extension() == Some("rs".as_ref());
    workspace::files_below(&root.join(COMPILER), &[], &is_rust, &mut paths)?;
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path.strip_prefix(root)?.to_path_buf(), text))
    };
    let files = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    let violations = imports(&files)?;
    Ok(Check { invariant: "the compiler's modules import only those before them", violations })
}

fn imports(files: &[(PathBuf, String)]) -> Result<Vec<Violation>> {
    let comment = Regex::new("//.*")?;
    let import = Regex::new(r"\bcrate::(\w+)")?;
    let mut violations = Vec::new();
    for (path, text) in files {
        let Some(own) = module_of(path) else { continue };
        let Some(rank) = ORDER.iter().position(|module| *module == own) else {
            let what = format!("the module `{own}` is not in the order of xtask/src/layering/modules.rs");
            violations.push(Violation { file: path.clone(), line: 0, what });
            continue;
        };
        let code = comment.replace_all(text, "");
        // Tests of a module may use the modules that make its input.
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for found in import.captures_iter(code) {
            let name = found.extract::<1>().1[0];
            if ORDER.iter().position(|module| *module == name).is_some_and(|other| other > rank) {
                let line = code[..found.get_match().start()].matches('\n').count() + 1;
                let what = format!("`{own}` imports from `{name}`, which comes behind it");
                violations.push(Violation { file: path.clone(), line, what });
            }
        }
    }
    Ok(violations)
}

/// Returns `load` for compiler/src/load/mod.rs; `None` for the root, and for files of tests.
fn module_of(path: &Path) -> Option<&str> {
    let below = path.strip_prefix(COMPILER).ok()?.to_str()?;
    let name = below.split(['/', '.']).next()?;
    let is_test = below.ends_with("/tests.rs") || below.ends_with("/fixture.rs");
    (name != "lib" && !is_test).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(path: &str, text: &str) -> Vec<String> {
        imports(&[(path.into(), text.to_owned())]).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn import_against_the_order_is_found_with_its_line() {
        let text = "// crate::check\nuse crate::ir;\nuse crate::check::Events;\n";
        let expected = "compiler/src/load/mod.rs:3: `load` imports from `check`, which comes behind it";
        assert_eq!(violations("compiler/src/load/mod.rs", text), [expected]);
        let unknown = violations("compiler/src/new.rs", "");
        assert!(unknown[0].contains("the module `new` is not in the order"), "{unknown:?}");
    }

    #[test]
    fn tests_and_the_root_import_what_they_like() {
        for path in ["compiler/src/lib.rs", "compiler/src/load/tests.rs"] {
            assert!(violations(path, "use crate::check;").is_empty(), "{path}");
        }
        assert!(violations("compiler/src/load/mod.rs", "#[cfg(test)]\nuse crate::check;").is_empty());
        assert!(violations("compiler/src/check/mod.rs", "use crate::load;\nuse crate::Input;").is_empty());
    }
}

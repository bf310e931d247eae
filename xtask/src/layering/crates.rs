//! The graph of the crates, from `cargo metadata`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::map::{self, DOCUMENT, Row};
use super::{Check, Violation};
use crate::workspace;

/// A crate of the workspace and its permitted dependencies.
struct Crate {
    name: &'static str,
    /// The crates of the workspace it may depend on.
    knows: &'static [&'static str],
    /// Third-party crates it must not depend on.
    shuns: &'static [&'static str],
    /// The crates of the workspace that its tests may depend on as well.
    tests_know: &'static [&'static str],
}

/// Crates through which a library does I/O: a library that opens nothing does not need them.
const IO: &[&str] = &["anyhow", "clap", "libc", "nix", "rustix", "tempfile"];

/// Crates for the command only: a library has typed errors, and does not read arguments.
const MAIN_ONLY: &[&str] = &["anyhow", "clap"];

/// The model of the kernel's behaviour. Only tests and fuzz targets may depend on it, never the product.
const ORACLE: &str = "tracec-oracle";

/// The permitted dependencies. Arrows point down only. ARCHITECTURE.md shows this table, and [`documented`] compares
/// them.
const CRATES: &[Crate] = &[
    Crate { name: "tracec-span", knows: &[], shuns: IO, tests_know: &[] },
    Crate { name: "tracec-grammar", knows: &["tracec-span"], shuns: IO, tests_know: &[] },
    Crate { name: "tracec-kernel", knows: &["tracec-span"], shuns: IO, tests_know: &[] },
    Crate {
        name: "tracec-compiler",
        knows: &["tracec-span", "tracec-grammar", "tracec-kernel"],
        shuns: IO,
        tests_know: &[ORACLE],
    },
    Crate { name: "tracec-runtime", knows: &["tracec-kernel"], shuns: MAIN_ONLY, tests_know: &[] },
    Crate {
        name: "tracec-lsp",
        knows: &["tracec-span", "tracec-grammar", "tracec-kernel", "tracec-compiler"],
        shuns: IO,
        tests_know: &[],
    },
    Crate {
        name: "tracec",
        knows: &["tracec-grammar", "tracec-kernel", "tracec-compiler", "tracec-runtime", "tracec-lsp"],
        shuns: &[],
        tests_know: &[ORACLE, "xtask"],
    },
    Crate { name: ORACLE, knows: &["tracec-kernel"], shuns: IO, tests_know: &[] },
    Crate { name: "xtask", knows: &["tracec-kernel"], shuns: &[], tests_know: &[] },
];

/// Checks the dependencies inside the workspace, and those outside of it.
pub(super) fn check(metadata: &Value) -> Result<Vec<Check>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        let file = manifest(package);
        let Some(known) = CRATES.iter().find(|known| known.name == name) else {
            let what = format!("{name} is not in the table of xtask/src/layering/crates.rs");
            inside.push(Violation { file, line: 0, what });
            continue;
        };
        for dependency in dependencies(package) {
            let in_workspace = packages.iter().any(|other| other["name"] == dependency.name);
            let is_test = dependency.kind == "dev";
            let knows = known.knows.contains(&dependency.name)
                || is_test && known.tests_know.contains(&dependency.name);
            if dependency.name == name {
                continue;
            }
            let kind = dependency.kind;
            if in_workspace && !knows {
                let what = format!("{name} must not know {} ({kind} dependency)", dependency.name);
                inside.push(Violation { file: file.clone(), line: 0, what });
            }
            if !is_test && known.shuns.contains(&dependency.name) {
                let what = format!("{name} must do without {} ({kind} dependency)", dependency.name);
                outside.push(Violation { file: file.clone(), line: 0, what });
            }
        }
    }
    Ok(vec![
        Check { invariant: "crates know only the crates below them", violations: inside },
        Check {
            invariant: "pure crates use no crate that does I/O, libraries none of main's",
            violations: outside,
        },
    ])
}

/// Compares the table of ARCHITECTURE.md with [`CRATES`].
pub(super) fn documented(document: &str) -> Check {
    let rows = map::rows(document, "Dependencies");
    let quoted = |name: &str| format!("`{}`", name.strip_prefix("tracec-").unwrap_or(name));
    let mut expected: Vec<[String; 2]> = CRATES
        .iter()
        .map(|known| {
            [quoted(known.name), known.knows.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")]
        })
        .collect();
    let mut violations = Vec::new();
    for Row { line, cells } in rows {
        match expected.iter().position(|row| *row == *cells) {
            Some(index) => _ = expected.remove(index),
            None => {
                let what =
                    format!("the row | {} | is not in xtask/src/layering/crates.rs", cells.join(" | "));
                violations.push(Violation { file: DOCUMENT.into(), line, what });
            }
        }
    }
    violations.extend(expected.iter().map(|[name, knows]| {
        let what = format!("the row | {name} | {knows} | of xtask/src/layering/crates.rs is missing");
        Violation { file: DOCUMENT.into(), line: 0, what }
    }));
    Check { invariant: "ARCHITECTURE.md says who knows whom", violations }
}

struct Dependency<'a> {
    name: &'a str,
    /// The kind: `normal`, `dev` or `build`.
    kind: &'a str,
}

fn dependencies(package: &Value) -> impl Iterator<Item = Dependency<'_>> {
    let list = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|dependency| {
        let kind = dependency["kind"].as_str().unwrap_or("normal");
        Some(Dependency { name: dependency["name"].as_str()?, kind })
    })
}

fn manifest(package: &Value) -> PathBuf {
    let path = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    path.strip_prefix(workspace::root()).unwrap_or(path).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the violations in a workspace of two crates, the first with the given dependency.
    fn violations(name: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
        let mut packages = vec![json!({
            "name": name,
            "manifest_path": "x/Cargo.toml",
            "dependencies": [{"name": dependency, "kind": kind}],
        })];
        if CRATES.iter().any(|known| known.name == dependency) {
            packages.push(json!({"name": dependency, "manifest_path": "y/Cargo.toml", "dependencies": []}));
        }
        let checks = check(&json!({ "packages": packages })).unwrap();
        checks.into_iter().flat_map(|check| check.violations).map(|violation| violation.to_string()).collect()
    }

    #[test]
    fn edges_down_are_allowed() {
        assert!(violations("tracec-compiler", "tracec-kernel", None).is_empty());
        assert!(violations("tracec-runtime", "tracec-kernel", Some("dev")).is_empty());
        assert!(violations("tracec", "tracec-lsp", None).is_empty());
    }

    #[test]
    fn edges_up_and_across_are_not() {
        let wrong = [
            ("tracec-kernel", "tracec-grammar", None),
            ("tracec-runtime", "tracec-compiler", Some("dev")),
            ("tracec-lsp", "tracec-runtime", Some("build")),
            ("xtask", "tracec-runtime", None),
            ("tracec-compiler", "tracec", None),
            ("tracec", "xtask", None),
        ];
        for (name, dependency, kind) in wrong {
            assert_eq!(violations(name, dependency, kind).len(), 1, "{name} -> {dependency}");
        }
        let text = &violations("tracec-kernel", "tracec-grammar", Some("build"))[0];
        assert_eq!(text, "x/Cargo.toml: tracec-kernel must not know tracec-grammar (build dependency)");
    }

    #[test]
    fn only_tests_know_the_oracle() {
        for Crate { name, .. } in CRATES.iter().filter(|known| known.name != ORACLE) {
            for kind in [None, Some("build")] {
                assert_eq!(violations(name, ORACLE, kind).len(), 1, "{name}: {kind:?}");
            }
        }
        assert!(violations("tracec-compiler", ORACLE, Some("dev")).is_empty());
        assert!(violations("tracec", ORACLE, Some("dev")).is_empty());
        assert_eq!(violations("tracec-kernel", ORACLE, Some("dev")).len(), 1);
    }

    #[test]
    fn a_pure_crate_shuns_io_but_its_tests_may_have_it() {
        assert_eq!(violations("tracec-compiler", "rustix", None).len(), 1);
        assert!(violations("tracec-compiler", "tempfile", Some("dev")).is_empty());
        assert!(violations("tracec-runtime", "rustix", None).is_empty());
        assert_eq!(violations("tracec-runtime", "anyhow", None).len(), 1);
    }

    #[test]
    fn a_crate_that_is_not_in_the_table_is_a_violation() {
        assert_eq!(violations("tracec-new", "serde", None).len(), 1);
    }

    #[test]
    fn metadata_of_another_shape_is_an_error() {
        assert!(check(&json!({})).is_err());
        assert!(check(&json!({"packages": [{}]})).is_err());
    }

    #[test]
    fn documented_table_that_differs_is_a_violation() {
        let right: String = CRATES
            .iter()
            .map(|known| {
                let short = |name: &str| format!("`{}`", name.trim_start_matches("tracec-"));
                let knows: Vec<String> = known.knows.iter().map(|name| short(name)).collect();
                format!("| {} | {} |\n", short(known.name), knows.join(", "))
            })
            .collect();
        let document = |rows: &str| format!("## Dependencies\n\n| crate | knows |\n|---|---|\n{rows}");
        assert!(documented(&document(&right)).violations.is_empty());
        let wrong = right.replace("| `runtime` | `kernel` |", "| `runtime` | `kernel`, `grammar` |");
        let found: Vec<String> =
            documented(&document(&wrong)).violations.into_iter().map(|violation| violation.what).collect();
        let expected = [
            "the row | `runtime` | `kernel`, `grammar` | is not in xtask/src/layering/crates.rs",
            "the row | `runtime` | `kernel` | of xtask/src/layering/crates.rs is missing",
        ];
        assert_eq!(found, expected);
    }
}

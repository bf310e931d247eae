//! The modules of each crate import only those before them in one order: there is no circle between modules of different
//! purpose. No lint knows this rule, so the sources are searched for paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use regex::Regex;

use super::{Check, Violation};
use crate::workspace;

/// A crate and the order of its modules, each after those that it may import.
struct Order {
    sources: &'static str,
    modules: &'static [&'static str],
}

/// The crates with more than one module.
///
/// In the command, `out` and `print` are below all that prints; `cli` is data, which the subcommands and what they share
/// read. In the grammar a text goes from `lexer` over `layout` and the parser's actions in `builder` to `report`. In the
/// kernel's crate `tables` are facts. In the compiler `stdlib`, `source` and `ir` are data; then come the passes in their
/// order, and at the end the modules that show or build their result. In the runtime `session` stands above the modules
/// that it puts together.
const ORDERS: [Order; 7] = [
    Order {
        sources: "src",
        modules: &[
            "kernel",
            "out",
            "print",
            "diff",
            "replace",
            "read",
            "lints",
            "cli",
            "machine",
            "selected_kernel",
            "imports",
            "source",
            "commands",
        ],
    },
    Order {
        sources: "grammar/src",
        modules: &[
            "span", "words", "error", "errors", "syntax", "literal", "lexer", "outline", "layout", "report",
            "builder", "format",
        ],
    },
    Order {
        sources: "kernel/src",
        modules: &[
            "bytes",
            "nearest",
            "grouped",
            "tables",
            "c",
            "format",
            "page",
            "value",
            "record",
            "filter",
            "profile",
            "condition",
            "plan",
        ],
    },
    Order { sources: "oracle/src", modules: &["filter", "traps"] },
    Order {
        sources: "compiler/src",
        modules: &[
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
        ],
    },
    Order {
        sources: "runtime/src",
        modules: &["tracefs", "journal", "failure", "roll_call", "sink", "record", "session"],
    },
    Order {
        sources: "xtask/src",
        modules: &[
            "workspace",
            "mount",
            "debian",
            "constants",
            "layering",
            "licences",
            "words",
            "snapshot",
            "vm",
            "profiles",
            "setup",
            "test",
            "demo",
            "bare",
        ],
    },
];

/// Finds imports against the order, and modules that it does not name.
pub(super) fn check(root: &Path) -> Result<Check> {
    let mut paths = Vec::new();
    let is_rust = |path: &Path| path.extension() == Some("rs".as_ref());
    for order in &ORDERS {
        workspace::files_below(&root.join(order.sources), &[], &is_rust, &mut paths)?;
    }
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path.strip_prefix(root)?.to_path_buf(), text))
    };
    let files = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    let violations = imports(&files)?;
    Ok(Check { invariant: "the modules of each crate import only those before them", violations })
}

fn imports(files: &[(PathBuf, String)]) -> Result<Vec<Violation>> {
    let comment = Regex::new("//.*")?;
    let import = Regex::new(r"\b(crate::|(?:super::)+)(\w+|\{|\*)")?;
    let exported = exports(files)?;
    let mut violations = Vec::new();
    for (path, text) in files {
        let Some(module) = module_of(path) else { continue };
        let own = module.name;
        let place = |name: &str| module.order.modules.iter().position(|other| *other == name);
        // A name that the root exports has the rank of the module that defines it.
        let rank_of = |name: &str| {
            place(name).or_else(|| place(exported.get(&(module.order.sources, name.to_owned()))?))
        };
        let Some(rank) = place(own) else {
            let what = format!("the module `{own}` is not in the order of xtask/src/layering/modules.rs");
            violations.push(Violation { file: path.clone(), line: 0, what });
            continue;
        };
        let code = comment.replace_all(text, "");
        // Tests of a module may use the modules that make its input.
        let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for found in import.captures_iter(code) {
            let (whole, [from, name]) = found.extract();
            let is_of_root = from == "crate::" || from.matches("super").count() == module.depth;
            if !is_of_root {
                continue;
            }
            let at = found.get_match().start();
            let behind = &code[at + whole.len()..];
            let names: Vec<&str> = if name == "{" { group(behind).collect() } else { vec![name] };
            let line = code[..at].matches('\n').count() + 1;
            let mut violation = |what| violations.push(Violation { file: path.clone(), line, what });
            for name in names {
                if matches!(name, "*" | "self") {
                    violation(format!("`{own}` imports the root, which has names of every module"));
                } else if rank_of(name).is_some_and(|other| other > rank) {
                    violation(format!("`{own}` imports from `{name}`, which comes behind it"));
                }
            }
        }
    }
    Ok(violations)
}

/// Returns the module of each name that the root of a crate exports.
fn exports(files: &[(PathBuf, String)]) -> Result<BTreeMap<(&'static str, String), String>> {
    let export = Regex::new(r"pub(?:\([a-z]+\))? use (?:crate::)?(\w+)::(?:\w+::)*(?:(\w+);|\{([^}]*)\})")?;
    let mut exported = BTreeMap::new();
    for order in &ORDERS {
        let root = Path::new(order.sources).join("lib.rs");
        let Some((_, text)) = files.iter().find(|(path, _)| *path == root) else { continue };
        for found in export.captures_iter(text) {
            let names = found.get(2).or(found.get(3)).map_or("", |names| names.as_str());
            for name in names.split(',').filter_map(|name| name.split(" as ").last()) {
                exported.insert((order.sources, name.trim().to_owned()), found[1].to_owned());
            }
        }
    }
    Ok(exported)
}

/// Returns the first name of each path in a group of imports, whose text begins behind its `{`.
fn group(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 1;
    let inside = text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let mut depth = 0;
    let parts = text[..inside.unwrap_or(text.len())].split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter_map(|part| part.trim().split(|c: char| c != '_' && !c.is_alphanumeric()).next())
}

/// A module of a crate with an order.
struct Module<'p> {
    name: &'p str,
    order: &'static Order,
    /// How many `super` lead from its file to the root.
    depth: usize,
}

/// Returns `load`, with the order of the compiler, for compiler/src/load/mod.rs; `None` for the root of a crate, and for
/// files of tests.
fn module_of(path: &Path) -> Option<Module<'_>> {
    let within = |order: &'static Order| Some((order, path.strip_prefix(order.sources).ok()?.to_str()?));
    let (order, below) = ORDERS.iter().find_map(within)?;
    let name = below.split(['/', '.']).next()?;
    let is_test = ["/tests.rs", "/fixture.rs", "/testing.rs"].iter().any(|end| below.ends_with(end));
    let depth = below.trim_end_matches("/mod.rs").split('/').count();
    (!matches!(name, "lib" | "main") && !is_test).then_some(Module { name, order, depth })
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
        let text = "use crate::{\n    ir::{self, Module},\n    analyse::{Choice, plan},\n};\n";
        let expected = "compiler/src/load/mod.rs:1: `load` imports from `analyse`, which comes behind it";
        assert_eq!(violations("compiler/src/load/mod.rs", text), [expected]);
        assert_eq!(violations("src/source.rs", "use super::{read};\nuse super::commands;").len(), 1);
        assert!(violations("compiler/src/load/module.rs", "use super::check;").is_empty());
        for hidden in ["use super::super::{check};", "use crate::{self as root};", "use super::super::*;"] {
            assert_eq!(violations("compiler/src/load/module.rs", hidden).len(), 1, "{hidden}");
        }
        let unknown = violations("compiler/src/new.rs", "");
        assert!(unknown[0].contains("the module `new` is not in the order"), "{unknown:?}");
    }

    #[test]
    fn name_that_the_root_exports_lies_in_its_module() {
        let root = "pub use analyse::{Analysis, Choice as Chosen};\npub use ir::Module;\n";
        let files = [
            ("compiler/src/lib.rs".into(), root.to_owned()),
            ("compiler/src/load/mod.rs".into(), "use crate::{Chosen, Module};".to_owned()),
        ];
        let found: Vec<String> = imports(&files).unwrap().iter().map(ToString::to_string).collect();
        let expected = "compiler/src/load/mod.rs:1: `load` imports from `Chosen`, which comes behind it";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn tests_and_the_root_import_what_they_like() {
        assert_eq!(violations("runtime/src/record/ring.rs", "use crate::session::Failure;").len(), 1);
        for path in ["compiler/src/lib.rs", "compiler/src/load/tests.rs"] {
            assert!(violations(path, "use crate::check;").is_empty(), "{path}");
        }
        assert!(
            violations("compiler/src/load/mod.rs", "#[cfg(test)]\nmod tests {\n    use crate::check;")
                .is_empty()
        );
        assert!(violations("compiler/src/check/mod.rs", "use crate::load;\nuse crate::Input;").is_empty());
    }
}

//! The modules of each crate, and of the rooms with modules of different purpose, import only those before them in one
//! order: there is no circle between them. No lint knows this rule, so the sources are searched for paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Check, Violation};
use crate::workspace;

/// The order of the modules of a crate or of a room, each after those that it may import.
struct Order {
    /// The directory of the modules.
    sources: &'static str,
    modules: &'static [&'static str],
}

/// The directories of a crate's sources.
const SOURCES: &str = "src";

/// The crates with more than one module, and rooms.
///
/// In the command, `out` and `print` are below all that prints; `cli` is data, which the subcommands and what they
/// share read. In the grammar a text goes from `lexer` over `layout` and the parser's actions in `builder` to `report`;
/// `parse` runs these stages. In the kernel's crate `tables` are facts. In the compiler `stdlib`, `source` and `ir` are
/// data; then come the passes in their order, and at the end the modules that show or build their result. In the
/// runtime `session` stands above the modules that it puts together.
const ORDERS: [Order; 27] = [
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
            "usage",
            "commands",
        ],
    },
    Order {
        sources: "src/kernel",
        modules: &["shipped", "profile", "library", "evidence", "attempt", "save", "tried"],
    },
    Order {
        sources: "grammar/src",
        modules: &[
            "limits",
            "span",
            "decode",
            "comment",
            "words",
            "planned",
            "error",
            "errors",
            "syntax",
            "literal",
            "lexer",
            "foreign",
            "trace_event",
            "direction",
            "outline",
            "layout",
            "report",
            "builder",
            "parse",
            "format",
        ],
    },
    Order { sources: "grammar/src/foreign", modules: &["pattern", "table", "matcher"] },
    Order {
        sources: "grammar/src/layout",
        modules: &[
            "surplus",
            "statements",
            "begins",
            "clauses",
            "declarations",
            "events",
            "fields",
            "foreign",
            "groups",
            "lists",
            "parens",
        ],
    },
    Order {
        sources: "kernel/src",
        modules: &[
            "bytes",
            "nearest",
            "grouped",
            "escaped",
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
    Order {
        sources: "kernel/src/condition",
        modules: &[
            "context",
            "glob",
            "ranges",
            "ir",
            "serial",
            "display",
            "rebind",
            "eval",
            "simplify",
            "check",
            "lower",
            "realisation",
        ],
    },
    Order {
        sources: "kernel/src/condition/lower",
        modules: &[
            "error",
            "filter",
            "spelling",
            "set",
            "solve",
            "predicate",
            "argument",
            "integer",
            "words",
            "operand",
            "glob",
            "text",
        ],
    },
    Order {
        sources: "kernel/src/profile",
        modules: &[
            "signature",
            "error",
            "bytes",
            "container",
            "facts",
            "events",
            "reader",
            "tree",
            "writer",
            "diff",
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
            "tracefs",
            "place",
            "validate",
            "plan",
            "target",
            "input",
            "explain",
            "dump",
            "analyse",
            "compile",
        ],
    },
    Order {
        sources: "compiler/src/diagnostic",
        modules: &[
            "quoted",
            "shortened",
            "code",
            "fix",
            "suggestions",
            "foreign",
            "statement",
            "codes",
            "syntax",
            "lints",
            "collect",
            "merge",
            "render",
        ],
    },
    Order {
        sources: "compiler/src/diagnostic/foreign",
        modules: &["shell", "condition", "translation", "program", "files", "commands"],
    },
    Order { sources: "compiler/src/load", modules: &["parameter", "prelude", "follow"] },
    Order {
        sources: "compiler/src/resolve",
        modules: &["pattern", "defined", "names", "events", "feature", "expand", "session"],
    },
    Order {
        sources: "compiler/src/place",
        modules: &["engines", "pieces", "cost", "conjunct", "room", "report"],
    },
    Order { sources: "compiler/src/check", modules: &["clauses", "condition", "definition", "events"] },
    Order {
        sources: "compiler/src/check/definition",
        modules: &[
            "context",
            "names",
            "types",
            "fetch",
            "layout",
            "format",
            "expression",
            "template",
            "entry",
            "class",
            "event",
            "probe",
        ],
    },
    Order {
        sources: "compiler/src/check/definition/probe",
        modules: &["sources", "types", "fields", "attach_point"],
    },
    Order {
        sources: "compiler/src/dump",
        modules: &["tree", "lines", "catalogue", "session", "module", "load", "resolve", "place", "laws"],
    },
    Order {
        sources: "runtime/src",
        modules: &["errno", "tracefs", "journal", "failure", "roll_call", "sink", "record", "session"],
    },
    Order {
        sources: "runtime/src/record",
        modules: &[
            "layouts",
            "stats",
            "names",
            "symbols",
            "host",
            "merge",
            "pass",
            "ring",
            "pipeline",
            "renderer",
            "trace_dat",
            "report",
        ],
    },
    Order {
        sources: "runtime/src/session",
        modules: &[
            "dispositions",
            "signals",
            "timer",
            "wakeups",
            "own_name",
            "own_tasks",
            "priority",
            "error",
            "error_log",
            "undo",
            "apply",
            "command",
            "recover",
            "supervise",
        ],
    },
    Order {
        sources: "runtime/src/sink",
        modules: &["lines", "text", "json", "progress", "outlet", "output", "status"],
    },
    Order {
        sources: "xtask/src",
        modules: &[
            "workspace",
            "mount",
            "mount_point",
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
    Order {
        sources: "xtask/src/constants",
        modules: &[
            "arch", "scan", "extract", "gcc", "table", "source", "evaluate", "write", "generate", "read",
            "checked", "book", "check",
        ],
    },
    Order {
        sources: "xtask/src/test",
        modules: &[
            "tally",
            "libtest",
            "live_tests",
            "payload",
            "live",
            "machine",
            "newcomer",
            "rust",
            "sources",
            "processes",
            "soak",
        ],
    },
];

/// Finds imports against the order, and modules that it does not name.
pub(super) fn check(root: &Path) -> Result<Check> {
    let mut paths = Vec::new();
    let is_rust = |path: &Path| path.extension() == Some("rs".as_ref());
    for order in ORDERS.iter().filter(|order| order.room().is_empty()) {
        workspace::files_below(&root.join(order.sources), &[], &is_rust, &mut paths)?;
    }
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(File::new(path.strip_prefix(root)?, &text))
    };
    let files = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    let violations = violations(&files);
    Ok(Check { invariant: "the modules of each crate and room import only those before them", violations })
}

fn violations(files: &[File]) -> Vec<Violation> {
    let exported: Vec<Exports<'_>> = ORDERS.iter().map(|order| order.exports(files)).collect();
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !file.is_test()) {
        let imports = file.imports();
        for (order, exported) in ORDERS.iter().zip(&exported) {
            if let Some(own) = order.module_of(file) {
                violations.extend(order.violations(file, own, &imports, exported));
            }
        }
    }
    violations
}

/// The module of each name that the root of a crate or room imports or exports.
type Exports<'f> = BTreeMap<&'f str, &'f str>;

impl Order {
    /// Returns the names of its room from the root of the crate; none for the crate itself.
    fn room(&self) -> Vec<&'static str> {
        self.sources.split('/').skip_while(|name| *name != SOURCES).skip(1).collect()
    }

    fn rank(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|other| *other == module)
    }

    /// Returns `load`, in the order of the compiler, for compiler/src/load/mod.rs; `None` for the root.
    fn module_of<'f>(&self, file: &'f File) -> Option<&'f str> {
        let below = file.path.strip_prefix(self.sources).ok()?.to_str()?;
        let name = below.split(['/', '.']).next()?;
        (!ROOTS.contains(&name)).then_some(name)
    }

    fn exports<'f>(&self, files: &'f [File]) -> Exports<'f> {
        let (room, directory) = (self.room(), Path::new(self.sources));
        let is_root = |file: &&File| {
            let path = &file.path;
            path.parent() == Some(directory) && self.module_of(file).is_none()
                || !room.is_empty() && path.with_extension("") == directory
        };
        let mut exported = BTreeMap::new();
        for file in files.iter().filter(is_root) {
            for Import { path, name, .. } in file.uses(self.modules) {
                if let [module, _, ..] = path.strip_prefix(room.as_slice()).unwrap_or_default() {
                    exported.insert(name, *module);
                }
            }
        }
        exported
    }

    /// Returns the imports of a file of the module `own` that break the order.
    fn violations(
        &self,
        file: &File,
        own: &str,
        imports: &[Import<'_>],
        exported: &Exports<'_>,
    ) -> Vec<Violation> {
        let violation = |line, what| Violation { file: file.path.clone(), line, what };
        let Some(rank) = self.rank(own) else {
            let what = format!("the module `{own}` is not in the order of xtask/src/layering/modules.rs");
            return vec![violation(0, what)];
        };
        let room = self.room();
        // A group imports several names from one module.
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for Import { line, path, .. } in imports {
            let [name, ..] = path.strip_prefix(room.as_slice()).unwrap_or_default() else { continue };
            if !seen.insert((*line, *name)) {
                continue;
            }
            // A name that the root exports has the rank of the module that defines it.
            let other = self.rank(name).or_else(|| self.rank(exported.get(name)?));
            let what = match other {
                _ if matches!(*name, "*" | "self") => {
                    format!("`{own}` imports the root, which has names of every module")
                }
                Some(other) if other > rank => {
                    format!("`{own}` imports from `{name}`, which comes behind it")
                }
                // The modules of a room may use what its root has for all of them.
                None if room.is_empty() => {
                    format!("`{own}` imports `{name}` from the root, which has to export it from a module")
                }
                _ => continue,
            };
            found.push(violation(*line, what));
        }
        found
    }
}

/// The files that are not modules of their directory but its root.
const ROOTS: [&str; 3] = ["lib", "main", "mod"];

/// A source file.
struct File {
    path: PathBuf,
    /// Its text without comments, and without the tests at its end, which may use the modules that make its input.
    code: String,
}

/// A path that a file uses.
struct Import<'t> {
    line: usize,
    /// Its names from the root of the crate.
    path: Vec<&'t str>,
    /// The name that it has in the file.
    name: &'t str,
}

impl File {
    fn new(path: &Path, text: &str) -> File {
        let lines: Vec<&str> =
            without_tests(text).lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
        File { path: path.to_owned(), code: lines.join("\n") }
    }

    fn is_test(&self) -> bool {
        let mut names = self.path.iter().filter_map(|name| name.to_str());
        names.any(|name| matches!(name, "tests" | "tests.rs" | "fixture.rs" | "testing.rs"))
    }

    /// Returns its module, as names from the root of the crate.
    fn module(&self) -> Vec<&str> {
        let names = self.path.iter().filter_map(|name| name.to_str());
        let names = names.skip_while(|name| *name != SOURCES).skip(1);
        names.map(|name| name.trim_end_matches(".rs")).filter(|name| !ROOTS.contains(name)).collect()
    }

    /// Returns the paths that begin at the root of the crate, or at a module around this one.
    fn imports(&self) -> Vec<Import<'_>> {
        let mut found = Vec::new();
        for (at, root) in self.code.match_indices("crate::").chain(self.code.match_indices("super::")) {
            let before = &self.code[..at];
            if before.ends_with(|c: char| c == '_' || c == ':' || c.is_alphanumeric()) {
                continue;
            }
            let (mut around, mut rest) = (self.module(), &self.code[at + root.len()..]);
            match root {
                "crate::" => around.clear(),
                _ => _ = around.pop(),
            }
            while let Some(inner) = rest.strip_prefix("super::") {
                around.pop();
                rest = inner;
            }
            let line = before.matches('\n').count() + 1;
            tree(rest, &mut around, &mut |path, name| found.push(Import { line, path: path.to_vec(), name }));
        }
        found
    }

    /// Returns the paths of its `use` declarations into its crate. `modules` are declared in it.
    fn uses<'f>(&'f self, modules: &[&str]) -> Vec<Import<'f>> {
        let mut found = self.imports();
        for (at, word) in self.code.match_indices("use ") {
            tree(&self.code[at + word.len()..], &mut Vec::new(), &mut |path, name| {
                if let [first, ..] = path
                    && modules.contains(first)
                {
                    found.push(Import { line: 0, path: [&self.module(), path].concat(), name });
                }
            });
        }
        found
    }
}

/// Returns a text up to the tests at its end. Other attributes may stand between `#[cfg(test)]` and the module.
fn without_tests(text: &str) -> &str {
    const TEST: &str = "#[cfg(test)]";
    let is_of_tests = |(at, _): &(usize, &str)| {
        let mut rest = text[at + TEST.len()..].trim_start();
        while let Some((_, behind)) = rest.strip_prefix("#[").and_then(|rest| rest.split_once("]\n")) {
            rest = behind.trim_start();
        }
        rest.starts_with("mod tests {")
    };
    let tests = text.match_indices(TEST).find(is_of_tests);
    tests.map_or(text, |(at, _)| &text[..at])
}

/// Finds the paths of a tree of imports that begins here, each with the name that it has in the file. `around` are the
/// names before the tree. Returns the text behind the tree.
fn tree<'t>(text: &'t str, around: &mut Vec<&'t str>, found: &mut dyn FnMut(&[&'t str], &'t str)) -> &'t str {
    let is_of_name = |c: char| c == '_' || c.is_alphanumeric();
    if let Some(inside) = text.strip_prefix('{') {
        let mut rest = inside.trim_start();
        while !rest.is_empty() && !rest.starts_with('}') {
            rest = tree(rest, around, found).trim_start_matches(|c| c != ',' && c != '}');
            rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        }
        return rest.strip_prefix('}').unwrap_or(rest);
    }
    let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    let (name, rest) = if text.starts_with('*') { text.split_at(1) } else { text.split_at(end) };
    if name.is_empty() {
        return rest;
    }
    around.push(name);
    let inner =
        rest.strip_prefix("::").filter(|inner| inner.starts_with(|c| c == '{' || c == '*' || is_of_name(c)));
    let rest = match inner {
        Some(inner) => tree(inner, around, found),
        None => {
            let alias = rest.strip_prefix(" as ").and_then(|alias| alias.split(|c| !is_of_name(c)).next());
            found(around, alias.unwrap_or(name));
            rest
        }
    };
    around.pop();
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| File::new(Path::new(path), text)).collect();
        super::violations(&files).iter().map(ToString::to_string).collect()
    }

    fn violations(path: &str, text: &str) -> Vec<String> {
        found(&[(path, text)])
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
        assert!(violations("compiler/src/source/module.rs", "use super::check;").is_empty());
        for hidden in ["use super::super::{check};", "use crate::{self as root};", "use super::super::*;"] {
            assert_eq!(violations("compiler/src/source/module.rs", hidden).len(), 1, "{hidden}");
        }
        let unknown = violations("compiler/src/new.rs", "");
        assert!(unknown[0].contains("the module `new` is not in the order"), "{unknown:?}");
    }

    #[test]
    fn name_that_the_root_exports_lies_in_its_module() {
        let root = "pub use analyse::{Analysis, Choice as Chosen};\npub use ir::Module;\n";
        let files =
            [("compiler/src/lib.rs", root), ("compiler/src/load/mod.rs", "use crate::{Chosen, Module};")];
        let expected = "compiler/src/load/mod.rs:1: `load` imports from `Chosen`, which comes behind it";
        assert_eq!(found(&files), [expected]);
    }

    #[test]
    fn tests_and_the_root_import_what_they_like() {
        assert_eq!(violations("runtime/src/record/ring.rs", "use crate::session::Failure;").len(), 1);
        for path in ["compiler/src/lib.rs", "compiler/src/load/tests.rs"] {
            assert!(violations(path, "use crate::check;").is_empty(), "{path}");
        }
        for before in [
            "",
            "#[expect(clippy::unwrap_used)]\n",
            "#[expect(\n    dead_code,\n    reason = \"a\"\n)]\n#[rustfmt::skip]\n",
        ] {
            let tests = format!("#[cfg(test)]\n{before}mod tests {{\n    use crate::check;");
            assert!(violations("compiler/src/load/mod.rs", &tests).is_empty(), "{tests}");
            let function = format!("#[cfg(test)]\n{before}fn one() {{}}\nuse crate::check;\n{tests}");
            assert_eq!(violations("compiler/src/load/mod.rs", &function).len(), 1, "{function}");
        }
        assert!(
            violations("compiler/src/check/mod.rs", "use crate::load;\nuse super::constant::Tables;")
                .is_empty()
        );
    }

    #[test]
    fn root_of_a_crate_defines_nothing_that_its_modules_use() {
        let files = [
            ("grammar/src/lib.rs", "pub const MAX: u32 = 1;\npub use limits::LEAST;"),
            ("grammar/src/lexer/mod.rs", "use crate::LEAST;\nuse crate::MAX;"),
        ];
        let expected = "grammar/src/lexer/mod.rs:2: `lexer` imports `MAX` from the root, which has to export it \
                        from a module";
        assert_eq!(found(&files), [expected]);
    }

    #[test]
    fn modules_of_a_room_have_an_order_of_their_own() {
        let ranges = "kernel/src/condition/ranges.rs";
        let expected =
            "kernel/src/condition/ranges.rs:1: `ranges` imports from `serial`, which comes behind it";
        for import in ["use super::serial::Nodes;", "use crate::condition::{glob, serial::{A, B}};"] {
            assert_eq!(violations(ranges, import), [expected], "{import}");
        }
        let nested = "kernel/src/condition/lower/glob.rs";
        assert!(
            violations(nested, "use super::{operand, limit};\nuse crate::condition::glob::Glob;").is_empty()
        );
        assert_eq!(violations(nested, "use super::text::lower;").len(), 1);
        assert_eq!(violations(nested, "use super::super::realisation;").len(), 1);
        // The root of this room is the file beside its directory.
        let files = [
            ("kernel/src/condition/lower.rs", "use crate::filter::other;\nuse text::{Text as Named};"),
            (nested, "use super::Named;\nuse super::other;"),
        ];
        let expected =
            "kernel/src/condition/lower/glob.rs:1: `glob` imports from `Named`, which comes behind it";
        assert_eq!(found(&files), [expected]);
        let unknown = violations("kernel/src/profile/new.rs", "");
        assert!(unknown[0].contains("the module `new` is not in the order"), "{unknown:?}");
    }
}

//! No modules of one directory import each other in a circle. Those of each crate, and of the rooms with modules of
//! different purpose, import only those before them in one order. No lint knows this rule, so the sources are searched
//! for paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Check, Violation};
use crate::workspace;

/// The order of the modules of a crate or of a room, each after those that it may import. Modules that are kinds of one
/// thing, as the codes of diagnostics, have none.
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
const ORDERS: [Order; 28] = [
    Order {
        sources: "src",
        modules: &[
            "kernel",
            "machine_code",
            "predicate",
            "out",
            "print",
            "progress",
            "diff",
            "replace",
            "read",
            "lints",
            "moment",
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
        modules: &["formats", "shipped", "profile", "library", "evidence", "attempt", "save", "tried"],
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
            "tokens",
            "foreign",
            "trace_event",
            "direction",
            "outline",
            "layout",
            "report",
            "builder",
            "parse",
            "shift",
            "reparse",
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
            "append",
            "bytes",
            "btf",
            "nearest",
            "grouped",
            "escaped",
            "tables",
            "c",
            "format",
            "page",
            "shown",
            "value",
            "record",
            "text",
            "filter",
            "profile",
            "condition",
            "selection",
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
            "c",
            "constant",
            "load",
            "resolve",
            "check",
            "simplify",
            "tracefs",
            "place",
            "validate",
            "plan",
            "bpf",
            "decoder",
            "target",
            "input",
            "explain",
            "dump",
            "recheck",
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
            "tried",
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
    Order {
        sources: "compiler/src/check",
        modules: &["scoped", "clauses", "condition", "definition", "shown", "events", "snapshots", "watches"],
    },
    Order {
        sources: "compiler/src/check/definition",
        modules: &[
            "signed_char",
            "context",
            "names",
            "made",
            "types",
            "fetch",
            "members",
            "layout",
            "format",
            "expression",
            "total",
            "template",
            "shown",
            "parts",
            "statements",
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
        modules: &[
            "errno",
            "tracefs",
            "modules",
            "journal",
            "failure",
            "roll_call",
            "sink",
            "record",
            "load",
            "control",
            "session",
        ],
    },
    Order {
        sources: "runtime/src/record",
        modules: &[
            "layouts",
            "stats",
            "names",
            "symbols",
            "late",
            "environment",
            "texts",
            "period",
            "host",
            "children",
            "merge",
            "pass",
            "ring",
            "losses",
            "pipeline",
            "trace_dat",
            "recording",
            "lanes",
            "shown",
            "facts",
            "recorder",
            "stages",
            "renderer",
            "dumper",
            "report",
            "filtered",
        ],
    },
    Order {
        sources: "runtime/src/session",
        modules: &[
            "dispositions",
            "signals",
            "timer",
            "pace",
            "wakeups",
            "own_name",
            "scope",
            "processes",
            "own_tasks",
            "priority",
            "error",
            "error_log",
            "undo",
            "apply",
            "switch",
            "watches",
            "user",
            "command",
            "program",
            "recover",
            "clean",
            "collect",
            "source",
            "live",
            "dumps",
            "newest",
            "switch",
            "drift",
            "rounded",
            "supervise",
        ],
    },
    Order {
        sources: "runtime/src/sink",
        modules: &[
            "lines",
            "text",
            "json",
            "json_line",
            "layout",
            "trace_dat",
            "new_file",
            "progress",
            "outlet",
            "open_file",
            "rotation",
            "output",
            "status",
        ],
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
            "kbuild",
            "trace_names",
            "profiles",
            "setup",
            "test",
            "demo",
            "bare",
        ],
    },
    Order { sources: "xtask/src/trace_names", modules: &["tokens", "probe", "derive"] },
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
            "modules",
            "kernel_tree",
            "newcomer",
            "rust",
            "editors",
            "sources",
            "processes",
            "soak",
        ],
    },
];

/// The rooms whose modules import each other because they are of one purpose: a token of `logos` names the functions
/// that read it, and they return it.
const ONE_PURPOSE: [&str; 1] = ["grammar/src/lexer"];

/// Finds imports against an order, modules that it does not name, and circles between modules without an order.
pub(super) fn check(root: &Path) -> Result<Check> {
    let mut paths = Vec::new();
    let is_rust = |path: &Path| path.extension() == Some("rs".as_ref());
    for order in ORDERS.iter().filter(|order| Path::new(order.sources).ends_with(SOURCES)) {
        workspace::files_below(&root.join(order.sources), &[], &is_rust, &mut paths)?;
    }
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(File::new(path.strip_prefix(root)?, &text))
    };
    let files = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    let violations = violations(&files);
    Ok(Check { invariant: "no circle between modules, and each imports only those before it", violations })
}

fn violations(files: &[File]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for room in rooms(files) {
        let imports = room.imports(files);
        match ORDERS.iter().find(|order| room.is(order.sources)) {
            Some(order) => violations.extend(order.violations(&room, &imports)),
            None => {
                violations.extend(circle(&imports).filter(|_| !ONE_PURPOSE.iter().any(|one| room.is(one))))
            }
        }
    }
    violations
}

/// A directory, with the modules in it.
struct Room<'f> {
    directory: &'f Path,
    modules: BTreeMap<&'f str, &'f Path>,
}

/// Returns every directory with modules, the crates' own ones included. Those of an order are in its room.
fn rooms(files: &[File]) -> Vec<Room<'_>> {
    let mut rooms: BTreeMap<&Path, BTreeMap<&str, &Path>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.is_test()) {
        // A file is of each room around it.
        for path in file.path.ancestors() {
            let (Some(directory), Some(name)) =
                (path.parent(), path.file_stem().and_then(|name| name.to_str()))
            else {
                break;
            };
            if !directory.iter().any(|name| name == SOURCES) {
                break;
            }
            if !ROOTS.contains(&name) {
                rooms.entry(directory).or_default().insert(name, &file.path);
            }
        }
    }
    for order in &ORDERS {
        if let Some(modules) = rooms.get_mut(Path::new(order.sources)) {
            order
                .modules
                .iter()
                .for_each(|module| _ = modules.entry(module).or_insert(Path::new(order.sources)));
        }
    }
    rooms.into_iter().map(|(directory, modules)| Room { directory, modules }).collect()
}

/// An import of a module of a room by another one of it.
struct Between<'f> {
    file: &'f Path,
    line: usize,
    own: &'f str,
    /// The first name of the path below the room, as it is written.
    name: &'f str,
    /// The module that it leads to; none for a name that the root of the room defines.
    other: Option<&'f str>,
}

impl<'f> Room<'f> {
    fn is(&self, directory: &str) -> bool {
        self.directory == Path::new(directory)
    }

    /// Returns the names of the room from the root of the crate; none for the crate itself.
    fn path(&self) -> Vec<&'f str> {
        let names = self.directory.iter().filter_map(|name| name.to_str());
        names.skip_while(|name| *name != SOURCES).skip(1).collect()
    }

    /// Returns `load`, in the crate of the compiler, for compiler/src/load/mod.rs; `None` for the root.
    fn module_of(&self, file: &'f File) -> Option<&'f str> {
        let below = file.path.strip_prefix(self.directory).ok()?.to_str()?;
        let name = below.split(['/', '.']).next()?;
        (!ROOTS.contains(&name)).then_some(name)
    }

    /// Returns the module of each name that the root of the room imports or exports.
    fn exports(&self, files: &'f [File]) -> BTreeMap<&'f str, &'f str> {
        let path = self.path();
        let is_root = |file: &&File| {
            file.path.parent() == Some(self.directory) && self.module_of(file).is_none()
                || !path.is_empty() && file.path.with_extension("") == self.directory
        };
        let mut exported = BTreeMap::new();
        for file in files.iter().filter(is_root) {
            for Import { path: of, name, .. } in file.uses(&self.modules) {
                if let [module, _, ..] = of.strip_prefix(path.as_slice()).unwrap_or_default() {
                    exported.insert(name, *module);
                }
            }
        }
        exported
    }

    /// Returns what the modules import from the room, once for each line and name.
    fn imports(&self, files: &'f [File]) -> Vec<Between<'f>> {
        let (path, exported) = (self.path(), self.exports(files));
        let module = |name: &str| self.modules.get_key_value(name).map(|(module, _)| *module);
        let mut found = Vec::new();
        for file in files.iter().filter(|file| !file.is_test()) {
            let Some(own) = self.module_of(file) else { continue };
            // A group imports several names from one module.
            let mut seen = BTreeSet::new();
            for Import { line, path: of, .. } in file.imports() {
                let [name, ..] = of.strip_prefix(path.as_slice()).unwrap_or_default() else { continue };
                if seen.insert((line, *name)) {
                    let other = module(name).or_else(|| exported.get(name).and_then(|name| module(name)));
                    found.push(Between { file: &file.path, line, own, name, other });
                }
            }
        }
        found
    }
}

/// Returns the first circle between modules of a room that has no order.
fn circle(imports: &[Between<'_>]) -> Option<Violation> {
    let mut open: Vec<&Between<'_>> =
        imports.iter().filter(|import| import.other.is_some_and(|other| other != import.own)).collect();
    // A module that imports none of the rest is in no circle, and what imports it is not because of it.
    loop {
        let importing: BTreeSet<&str> = open.iter().map(|import| import.own).collect();
        let before = open.len();
        open.retain(|import| import.other.is_some_and(|other| importing.contains(other)));
        if open.len() == before {
            break;
        }
    }
    let mut way = vec![*open.first()?];
    // Each of the rest is imported on from, so that the way comes back to a module that it has passed.
    while let Some(next) =
        way.last().and_then(|last| open.iter().find(|import| Some(import.own) == last.other))
    {
        if let Some(start) = way.iter().position(|import| import.own == next.own) {
            way.drain(..start);
            break;
        }
        way.push(next);
    }
    let names: Vec<&str> = way.iter().map(|import| import.own).collect();
    let Between { file, line, own, .. } = way.first()?;
    let what = format!(
        "the modules `{}` import each other in a circle",
        [&names[..], &[*own]].concat().join("` > `")
    );
    Some(Violation { file: file.to_path_buf(), line: *line, what })
}

impl Order {
    fn rank(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|other| *other == module)
    }

    /// Returns the modules of a room that the order does not name, and the imports that break it.
    fn violations(&self, room: &Room<'_>, imports: &[Between<'_>]) -> Vec<Violation> {
        let unknown = room.modules.iter().filter(|(module, _)| self.rank(module).is_none());
        let unknown = unknown.map(|(module, file)| Violation {
            file: file.to_path_buf(),
            line: 0,
            what: format!("the module `{module}` is not in the order of xtask/src/layering/modules.rs"),
        });
        let is_crate = room.path().is_empty();
        let against = imports.iter().filter_map(|import| {
            let Between { file, line, own, name, other } = import;
            let what = match (other.and_then(|other| self.rank(other)), self.rank(own)?) {
                _ if matches!(*name, "*" | "self") => {
                    format!("`{own}` imports the root, which has names of every module")
                }
                (Some(other), rank) if other > rank => {
                    format!("`{own}` imports from `{name}`, which comes behind it")
                }
                // The modules of a room may use what its root has for all of them.
                (None, _) if is_crate => {
                    format!("`{own}` imports `{name}` from the root, which has to export it from a module")
                }
                _ => return None,
            };
            Some(Violation { file: file.to_path_buf(), line: *line, what })
        });
        unknown.chain(against).collect()
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
    fn uses<'f>(&'f self, modules: &BTreeMap<&str, &Path>) -> Vec<Import<'f>> {
        let mut found = self.imports();
        for (at, word) in self.code.match_indices("use ") {
            tree(&self.code[at + word.len()..], &mut Vec::new(), &mut |path, name| {
                if let [first, ..] = path
                    && modules.contains_key(first)
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
    fn circle_is_found_in_a_room_without_an_order() {
        let files = [
            ("compiler/src/ir/mod.rs", "pub use c::C;\nuse a::A;"),
            ("compiler/src/ir/a.rs", "use super::b;"),
            ("compiler/src/ir/b/mod.rs", "use super::a;"),
            ("compiler/src/ir/b/inner.rs", "\nuse super::super::C;"),
            ("compiler/src/ir/c.rs", "use crate::ir::b::inner;\nuse super::d::D;"),
            ("compiler/src/ir/d.rs", "use super::e;"),
        ];
        let expected = "compiler/src/ir/a.rs:1: the modules `a` > `b` > `a` import each other in a circle";
        assert_eq!(found(&files), [expected]);
        let expected =
            "compiler/src/ir/b/inner.rs:2: the modules `b` > `c` > `b` import each other in a circle";
        assert_eq!(found(&[files[0], files[1], files[3], files[4], files[5]]), [expected]);
        assert!(found(&[files[0], files[1], files[3], files[5]]).is_empty());
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

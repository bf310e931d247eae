//! ARCHITECTURE.md, compared with the tree: its map names only existing paths, every directory of sources is in it, and
//! every module of a crate that is one file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Check, Violation};

/// The document that the checks of this directory read.
pub(super) const DOCUMENT: &str = "ARCHITECTURE.md";

/// The directory of build output, which is ignored.
const OUTPUT: &str = "target";

/// A row of a table of the document.
pub(super) struct Row<'a> {
    /// The number of its line, from 1.
    pub(super) line: usize,
    /// The text of each cell.
    pub(super) cells: Vec<&'a str>,
}

/// Returns the rows of the table below a heading of the second level, without the head of the table.
pub(super) fn rows<'a>(document: &'a str, heading: &str) -> Vec<Row<'a>> {
    let numbered = (1..).zip(document.lines());
    let section = numbered.skip_while(|(_, line)| line.strip_prefix("## ") != Some(heading)).skip(1);
    let table = section.take_while(|(_, line)| !line.starts_with("## ")).filter_map(|(number, line)| {
        let inner = line.strip_prefix('|')?.strip_suffix('|')?;
        Some(Row { line: number, cells: inner.split('|').map(str::trim).collect() })
    });
    // The names of the columns, and the line below them.
    table.skip(2).collect()
}

/// Checks that each path of the map exists, and that each directory of sources has its place in the map.
pub(super) fn check(root: &Path, document: &str) -> Result<Vec<Check>> {
    let mut named = BTreeSet::new();
    let mut absent = Vec::new();
    let (rooms, single) = (rows(document, "The map"), rows(document, SINGLE));
    let wrong = |columns| move |row: &&Row<'_>| row.cells.len() != columns;
    let torn = rooms.iter().filter(wrong(3)).chain(single.iter().filter(wrong(2))).map(|row| {
        let what = format!("the row has {} cells", row.cells.len());
        Violation { file: DOCUMENT.into(), line: row.line, what }
    });
    let torn = torn.collect();
    for Row { line, cells } in rooms.into_iter().chain(single) {
        let rooms = quoted(cells.first().copied().unwrap_or_default());
        let inside = rooms.iter().map(Path::new).flat_map(|room| [room.join("src"), room.to_path_buf()]);
        let bases: Vec<PathBuf> = inside.chain([PathBuf::new()]).collect();
        for (column, cell) in cells.iter().enumerate() {
            // The description of a room may name paths inside it; the other columns name paths from the root.
            let bases = if column == 1 { bases.as_slice() } else { &bases[bases.len() - 1..] };
            for path in quoted(cell).into_iter().filter(|word| is_path(word)) {
                // A pattern of files stands for the directory that holds them.
                let path = path.split_once('*').map_or(path, |(directory, _)| directory);
                match bases.iter().map(|base| base.join(path)).find(|path| root.join(path).exists()) {
                    Some(found) => _ = named.insert(found),
                    None => {
                        let what = format!("the map names `{path}`, which does not exist");
                        absent.push(Violation { file: DOCUMENT.into(), line, what });
                    }
                }
            }
        }
    }
    let files = modules(root)?.into_iter().filter(|file| !named.contains(file));
    let files = files.map(|file| {
        let what = format!("no table names the module {}", file.display());
        Violation { file: DOCUMENT.into(), line: 0, what }
    });
    let files =
        Check { invariant: "the tables name every module that is one file", violations: files.collect() };
    let unnamed = directories(root)?.into_iter().filter(|directory| !named.contains(directory));
    let violation = |directory: PathBuf| {
        let what = format!("the map does not name the directory {}/", directory.display());
        Violation { file: DOCUMENT.into(), line: 0, what }
    };
    Ok(vec![
        Check { invariant: "each row of the map has a cell for each column", violations: torn },
        Check { invariant: "the map names only what exists", violations: absent },
        Check {
            invariant: "the map names every directory of sources",
            violations: unnamed.map(violation).collect(),
        },
        files,
    ])
}

/// Returns the words in backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn is_path(word: &str) -> bool {
    word.contains('/') || word.ends_with(".rs")
}

/// The directory with one room per target; the row of the directory names them.
const TARGETS: &str = "compiler/src/target";

/// Returns the directories of the root, those in a `src` directory of the root or of one of them, and the targets.
fn directories(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = below(root, Path::new(""))?;
    let mut sources = vec![PathBuf::from("src")];
    sources.extend(found.iter().map(|directory| directory.join("src")));
    sources.push(PathBuf::from(TARGETS));
    for source in sources.iter().filter(|source| root.join(source).is_dir()) {
        found.extend(below(root, source)?);
    }
    Ok(found)
}

/// The heading of the modules that are one file.
const SINGLE: &str = "Modules of one file";

/// Returns the modules of each crate that are one file: those at its root without a directory.
fn modules(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let crates = below(root, Path::new(""))?.into_iter().map(|directory| directory.join("src"));
    for source in crates.chain([PathBuf::from("src")]).filter(|source| root.join(source).is_dir()) {
        for entry in std::fs::read_dir(root.join(&source)).with_context(|| source.display().to_string())? {
            let path = source.join(entry?.file_name());
            let is_module = path.extension().is_some_and(|end| end == "rs")
                && !matches!(path.file_stem().and_then(|name| name.to_str()), Some("lib" | "main"));
            if is_module && !root.join(path.with_extension("")).is_dir() {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn below(root: &Path, directory: &Path) -> Result<Vec<PathBuf>> {
    let path = root.join(directory);
    let entries = std::fs::read_dir(&path).with_context(|| path.display().to_string())?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let ours = !name.to_string_lossy().starts_with('.') && name != OUTPUT;
        // A target directory of another name has the tag file of cargo.
        if ours && entry.path().is_dir() && !entry.path().join("CACHEDIR.TAG").exists() {
            found.push(directory.join(name));
        }
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# A\n\n## The map\n\n| room | what | begin |\n|---|---|---|\n";

    /// Returns the violations of a map of these rows while the tree has `a/src/{b,c}/`, `a/src/lib.rs` and `d/`.
    fn violations(rows: &str) -> Vec<String> {
        with_file("a/src/lib.rs", rows)
    }

    /// The same with one more file.
    fn with_file(file: &str, rows: &str) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for directory in ["a/src/b", "a/src/c", "d", ".hidden", "target/src/debug"] {
            std::fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        std::fs::write(root.path().join("a/src/lib.rs"), "").unwrap();
        std::fs::write(root.path().join(file), "").unwrap();
        let document = format!("{HEAD}{rows}\n## Another\n\n| `e/` |\n");
        let checks = check(root.path(), &document).unwrap();
        checks.into_iter().flat_map(|check| check.violations).map(|violation| violation.to_string()).collect()
    }

    #[test]
    fn complete_map_has_no_violation() {
        let rows = "| `a/` | `b/` reads `.x` files | `a/src/lib.rs` |\n| `a/src/c/` | `lib` | |\n| `d/` | `d/*.y` | |\n";
        assert!(violations(rows).is_empty(), "{:?}", violations(rows));
    }

    #[test]
    fn module_of_one_file_is_in_a_table() {
        let rows = "| `a/` | `b/` | |\n| `a/src/c/` | | |\n| `d/` | | |\n";
        let found = with_file("a/src/e.rs", rows);
        assert_eq!(found, ["ARCHITECTURE.md: no table names the module a/src/e.rs"]);
        let table = "\n## Modules of one file\n\n| a | b |\n|---|---|\n| `a/src/e.rs` | e |\n";
        assert!(with_file("a/src/e.rs", &format!("{rows}{table}")).is_empty());
        assert!(with_file("a/src/b.rs", rows).is_empty());
    }

    #[test]
    fn path_that_does_not_exist_is_named_with_its_line() {
        let rows = "| `a/`, `d/` | `b/` `c/` `e/` | `a/src/lib.rs` |\n| `f/` | | `src/lib.rs` |\n";
        let expected = [
            "ARCHITECTURE.md:7: the map names `e/`, which does not exist",
            "ARCHITECTURE.md:8: the map names `f/`, which does not exist",
            "ARCHITECTURE.md:8: the map names `src/lib.rs`, which does not exist",
        ];
        assert_eq!(violations(rows), expected);
    }

    #[test]
    fn directory_that_is_not_in_the_map_is_named() {
        let expected = [
            "ARCHITECTURE.md: the map does not name the directory d/",
            "ARCHITECTURE.md: the map does not name the directory a/src/c/",
        ];
        assert_eq!(violations("| `a/` | `b/` | |\n"), expected);
    }
}

//! The wrong texts of the tree: the strings in the tests of the grammar and of the compiler, and in the tables of what
//! newcomers write. Which codes offer a fix is found by checking all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tracec_compiler::{Choice, Imports, Input, SourceText, analyse, analyse_untried};
use tracec_lsp::World;

use crate::common::{Shipped, TestWorld};

/// Where they are.
const DIRECTORIES: [&str; 3] = ["grammar/tests", "compiler/tests", "tests/newcomer/table"];

/// The length in bytes of the longest that is tried: longer ones are files for other purposes.
const LONGEST: usize = 400;

/// Returns the shortest text for each code that offers a fix in any of them.
pub(crate) fn with_fixes(world: &TestWorld) -> BTreeMap<&'static str, String> {
    let kernel = Shipped::with("6.12", world.added.clone());
    let imports = world.imports("/project/a.trc");
    let mut texts: Vec<String> = all().into_iter().flat_map(|text| forms(&text)).collect();
    texts.sort_by_key(String::len);
    assert!(texts.len() > 1000, "{} texts", texts.len());
    let mut found = BTreeMap::new();
    for text in texts {
        let codes = codes_with_fixes(&text, &kernel, &*imports);
        let new: Vec<&'static str> = codes.into_iter().filter(|code| !found.contains_key(code)).collect();
        found.extend(new.into_iter().map(|code| (code, text.clone())));
    }
    found
}

/// Returns the codes of the diagnostics of a text that have a fix once fixes were tried.
fn codes_with_fixes(text: &str, kernel: &Shipped, imports: &dyn Imports) -> BTreeSet<&'static str> {
    let source = SourceText { name: "/project/a.trc".to_owned(), text: text.to_owned(), one_liner: false };
    let input = Input { imports, ..Input::new(&source, kernel) };
    // To try them takes an analysis each.
    let has_any = |found: &[tracec_compiler::Diagnostic]| found.iter().any(|said| !said.fixes.is_empty());
    if !has_any(&analyse_untried(input, Choice::All).diagnostics) {
        return BTreeSet::new();
    }
    let found = analyse(input, Choice::All).diagnostics;
    found.iter().filter(|said| !said.fixes.is_empty()).map(|said| said.code.id).collect()
}

/// Returns the files that a text stands for: itself, and a session of its clauses.
fn forms(text: &str) -> [String; 2] {
    let session = format!("session s {{\n{text}\non sched:sched_process_wait {{ trigger traceoff; }}\n}}\n");
    [format!("{text}\n"), session]
}

/// Returns the strings of all files.
fn all() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut directories: Vec<_> = DIRECTORIES.iter().map(|directory| root.join(directory)).collect();
    let mut texts = BTreeSet::new();
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of the tree") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let source = std::fs::read_to_string(&path).expect("a source of the tree");
                texts.extend(strings(&source).into_iter().filter(|text| text.len() <= LONGEST));
            }
        }
    }
    texts
}

/// Returns what the string literals of a source in Rust say.
fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let here = &rest[at..];
        rest = match here.as_bytes() {
            [b'"', ..] => {
                let (text, length) = string(&here[1..]);
                found.push(text);
                &here[1 + length..]
            }
            [b'/', b'/', ..] => here.find('\n').map_or("", |end| &here[end..]),
            // A character, which may be a quote.
            [b'\'', b'"', b'\'', ..] => &here[3..],
            [b'\'', b'\\', _, b'\'', ..] => &here[4..],
            _ => &here[1..],
        };
    }
    found
}

/// Returns what a string says up to its quote, and its length with that.
fn string(body: &str) -> (String, usize) {
    let mut text = String::new();
    let mut chars = body.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match (char, chars.peek().map(|(_, next)| *next)) {
            ('"', _) => return (text, at + 1),
            ('\\', Some('\n')) => while chars.next_if(|(_, next)| next.is_whitespace()).is_some() {},
            ('\\', Some(escaped)) => {
                chars.next();
                text.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
            }
            _ => text.push(char),
        }
    }
    (text, body.len())
}

#[test]
fn strings_of_a_source_are_found() {
    let source = "// \"no\"\nf(\"a \\\"b\\\" \\n\", '\"', \"c \\\n   d\"); 'x: loop { g('\\'', \"e\") }";
    assert_eq!(strings(source), ["a \"b\" \n", "c d", "e"]);
}

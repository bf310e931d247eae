//! Laws of formatting for every text: the result has the same meaning, comments and empty lines, and formatting it
//! again changes nothing. They are tested with every text of the repository and with generated texts.

mod common;
mod generate;

use std::collections::BTreeMap;
use std::path::Path;

use common::{files, meaning, read, sessions};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner, contextualize_config};
use tracec_grammar::span::Span;
use tracec_grammar::syntax::{Clause, ClauseKind};
use tracec_grammar::{CommentKind, Parsed, format, parse};

/// The number of generated texts, unless `PROPTEST_CASES` sets another.
const CASES: u32 = 10_000;

/// The seed of the generated texts: the same in every run, unless `TRACEC_FORMAT_SEED` is another number.
const SEED: [u8; 32] = *b"the layout of a text is a law  1";

/// Returns the seed of this run.
fn seed() -> [u8; 32] {
    let mut seed = SEED;
    if let Ok(text) = std::env::var("TRACEC_FORMAT_SEED") {
        let number: u64 = text.parse().unwrap_or_else(|error| panic!("TRACEC_FORMAT_SEED={text}: {error}"));
        seed[..8].copy_from_slice(&number.to_le_bytes());
    }
    seed
}

/// Returns the comments of a text, without blanks before line ends, and line ends, which formatting may change.
fn comments(text: &str, parsed: &Parsed) -> Vec<(CommentKind, String)> {
    let comments = parsed.comments.iter();
    comments
        .map(|comment| (comment.kind, text[comment.span.range()].trim_end().replace("\r\n", "\n")))
        .collect()
}

/// Returns the law that the formatting of a text breaks, if any.
fn broken_law(text: &str) -> Option<String> {
    let before = parse(text);
    if !before.errors.is_empty() {
        return Some(format!("not a correct text: {:?}", before.errors));
    }
    let formatted = match format(text) {
        Ok(formatted) => formatted,
        Err(errors) => return Some(format!("refused: {errors:?}")),
    };
    let after = parse(&formatted);
    if !after.errors.is_empty() {
        return Some(format!("{:?} in\n{formatted}", after.errors));
    }
    let (old, new) = (meaning(&before), meaning(&after));
    if old != new {
        return Some(format!("another meaning:\n{old}\n{new}\n{formatted}"));
    }
    let (old, new) = (comments(text, &before), comments(&formatted, &after));
    if old != new {
        return Some(format!("other comments:\n{old:?}\n{new:?}\n{formatted}"));
    }
    let (old, new) = (empty_lines(text, &before), empty_lines(&formatted, &after));
    if !same_empty_lines(&old, &new) {
        return Some(format!("other empty lines:\n{old:?}\n{new:?}\n{formatted}"));
    }
    let again = format(&formatted);
    if again.as_ref() != Ok(&formatted) {
        return Some(format!("not stable:\n{formatted}\n{}", again.unwrap_or_default()));
    }
    untidy(&formatted)
}

/// Returns the lists of rows of a text: declarations, clauses, items; each row by its span.
fn rows(parsed: &Parsed) -> Vec<Vec<Span>> {
    let mut rows = vec![parsed.file.declarations.iter().map(|declaration| declaration.span).collect()];
    let mut blocks: Vec<&[Clause]> =
        parsed.file.sessions().map(|session| session.clauses.as_slice()).collect();
    while let Some(clauses) = blocks.pop() {
        rows.push(clauses.iter().map(|clause| clause.span).collect());
        for clause in clauses {
            match &clause.kind {
                ClauseKind::Trace(events) | ClauseKind::On(events) => {
                    rows.push(events.items.iter().map(|item| item.span).collect());
                }
                ClauseKind::Global { clauses, .. } => blocks.push(clauses),
                ClauseKind::When(when) => {
                    blocks.push(&when.then);
                    blocks.extend(when.otherwise.as_deref());
                }
                _ => {}
            }
        }
    }
    rows
}

/// Returns for each gap between two rows how many comments are in it, and between which of them empty lines are.
fn empty_lines(text: &str, parsed: &Parsed) -> Vec<(usize, Vec<bool>)> {
    let mut gaps = Vec::new();
    for rows in rows(parsed) {
        for pair in rows.windows(2) {
            let gap = pair[0].range().end..pair[1].range().start;
            let inside = parsed.comments.iter().map(|comment| comment.span.range());
            let comments: Vec<_> =
                inside.filter(|comment| gap.start <= comment.start && comment.end <= gap.end).collect();
            let ends = comments.iter().map(|comment| comment.start).chain([gap.end]);
            let starts = [gap.start].into_iter().chain(comments.iter().map(|comment| comment.end));
            let empty = starts.zip(ends).map(|(start, end)| {
                let lines: Vec<&str> = text[start..end].split('\n').map(str::trim).collect();
                lines.len() > 2 && lines[1..lines.len() - 1].contains(&"")
            });
            gaps.push((comments.len(), empty.collect()));
        }
    }
    gaps
}

/// Returns whether two texts have their empty lines at the same places. A comment that was moved from inside a row to
/// behind it has no empty line to compare.
fn same_empty_lines(old: &[(usize, Vec<bool>)], new: &[(usize, Vec<bool>)]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.0 != new.0 || old.1 == new.1)
}

/// Returns what a formatted text must not have: blanks before a line end, two empty lines, an empty line at its end.
fn untidy(formatted: &str) -> Option<String> {
    let text = formatted.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let end = text.is_empty() || (text.ends_with('\n') && !text.ends_with("\n\n"));
    // Comments and C keep the blanks inside them.
    let copied = text.contains("/*") || text.contains('`');
    let blanks = !copied && (text.contains(" \n") || text.contains("\n\n\n"));
    let wrong = !end || blanks || text.starts_with('\n');
    wrong.then(|| format!("blanks or line ends too many or few:\n{formatted}"))
}

#[test]
fn files_of_the_repository_are_formatted() {
    let files = sessions();
    assert!(files.len() >= 20, "only {} files were found", files.len());
    for file in &files {
        let text = read(file);
        assert_eq!(broken_law(&text), None, "{}", file.display());
        let formatted = format(&text).unwrap_or_default();
        assert!(formatted == text, "{} is not formatted; run `tracec fmt` on it", file.display());
    }
}

/// Returns the blocks of a Markdown text, fenced or indented.
fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            blocks.push(block.join("\n"));
        } else if let Some(first) = line.strip_prefix("    ") {
            let mut block = vec![first];
            while let Some(line) = lines.next_if(|line| line.starts_with("    ") || line.is_empty()) {
                block.push(line.trim_start_matches("    "));
            }
            blocks.push(block.join("\n"));
        }
    }
    blocks
}

/// Every correct text of the book and of the pages of diagnostics, be it a file or clauses of a session.
#[test]
fn laws_hold_for_the_texts_of_book_and_pages() {
    let mut checked = 0;
    for file in files("md") {
        for block in blocks(&read(&file)) {
            let clauses = format!("session s {{\n{block}\n}}");
            if let Some(text) = [block, clauses].iter().find(|text| parse(text).errors.is_empty()) {
                assert_eq!(broken_law(text), None, "{}:\n{text}", file.display());
                checked += 1;
            }
        }
    }
    println!("{checked} texts");
    assert!(checked >= 100, "only {checked} texts were found");
}

/// Counts every variant and structure in the syntax of a text, by its name in Rust.
fn kinds(printed: &str, seen: &mut BTreeMap<String, u64>) {
    let mut quoted = false;
    let mut escaped = false;
    let mut word = String::new();
    for character in printed.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            _ if character.is_alphanumeric() || character == '_' => {
                word.push(character);
                continue;
            }
            _ if word.starts_with(|first: char| first.is_ascii_uppercase()) => {
                *seen.entry(std::mem::take(&mut word)).or_default() += 1;
            }
            _ => {}
        }
        word.clear();
    }
}

/// Returns the names of all variants and structures of the syntax, from its source.
fn all_kinds() -> Vec<String> {
    let source = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/syntax.rs"));
    let mut kinds = Vec::new();
    let mut within = false;
    for line in source.lines() {
        if line.starts_with("pub enum ") {
            within = true;
        } else if line.starts_with('}') {
            within = false;
        } else if let Some(line) = line.strip_prefix("    ").filter(|_| within) {
            let name: String = line.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
            if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                kinds.push(name);
            }
        } else if let Some(line) = line.strip_prefix("pub struct ") {
            kinds.push(line.chars().take_while(|c| c.is_ascii_alphanumeric()).collect());
        }
    }
    // The variants that the syntax of a correct text does not have.
    kinds.retain(|kind| kind != "Error");
    kinds
}

#[test]
fn laws_hold_for_made_up_texts() {
    let config =
        contextualize_config(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let (cases, seed) = (config.cases, seed());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let seen = std::cell::RefCell::new((0u64, 0u64, BTreeMap::new()));
    let numbers = proptest::collection::vec(proptest::num::u32::ANY, 0..400);
    let result = runner.run(&numbers, |numbers| {
        let text = generate::file(&numbers);
        if let Some(law) = broken_law(&text) {
            return Err(proptest::test_runner::TestCaseError::fail(format!("{law}\nof\n{text}")));
        }
        let parsed = parse(&text);
        let (bytes, comments, found) = &mut *seen.borrow_mut();
        *bytes += text.len() as u64;
        *comments += parsed.comments.len() as u64;
        kinds(&format!("{:?}", parsed.file), found);
        Ok(())
    });
    let (bytes, comments, found) = seen.into_inner();
    println!("seed {}", seed.escape_ascii());
    println!("{cases} texts, {bytes} bytes, {comments} comments");
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, numbers)) => panic!("{reason}\nmade of {numbers:?}"),
        Err(abort) => panic!("{abort}"),
    }
    for kind in all_kinds() {
        let count = found.get(&kind).copied().unwrap_or_default();
        println!("{count:8} {kind}");
        assert!(count > 0, "no text has a `{kind}`");
    }
}

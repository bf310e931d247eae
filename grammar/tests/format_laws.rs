//! What holds for the layout of every text: it means the same, has the same comments and empty lines, and formatting it
//! again changes nothing. Tried on every text of the repository.

use std::path::{Path, PathBuf};

use tracec_grammar::{CommentKind, Parsed, format, parse};

/// A text's syntax without the places.
fn meaning(parsed: &Parsed) -> String {
    let printed = format!("{:?}", parsed.file);
    let mut pieces = printed.split("Span { start: ");
    let mut meaning = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (place, rest) = piece.split_once(" }").expect("the end of a span");
        assert!(place.split(", end: ").all(|number| number.parse::<u32>().is_ok()), "{place}");
        meaning.push('_');
        meaning.push_str(rest);
    }
    meaning
}

/// The comments of a text, without what formatting may change: blanks before line ends, and line ends.
fn comments(text: &str, parsed: &Parsed) -> Vec<(CommentKind, String)> {
    let comments = parsed.comments.iter();
    comments
        .map(|comment| (comment.kind, text[comment.span.range()].trim_end().replace("\r\n", "\n")))
        .collect()
}

/// What is wrong with the layout of a text, if anything is.
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
    let again = format(&formatted);
    if again.as_ref() != Ok(&formatted) {
        return Some(format!("not stable:\n{formatted}\n{}", again.unwrap_or_default()));
    }
    untidy(&formatted)
}

/// What no text has that is formatted: blanks before a line end, two empty lines, an empty line at its end.
fn untidy(formatted: &str) -> Option<String> {
    let text = formatted.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let end = text.is_empty() || (text.ends_with('\n') && !text.ends_with("\n\n"));
    // Comments and C keep the blanks that they have inside.
    let copied = text.contains("/*") || text.contains('`');
    let blanks = !copied && (text.contains(" \n") || text.contains("\n\n\n"));
    let wrong = !end || blanks || text.starts_with('\n');
    wrong.then(|| format!("blanks or line ends too many or few:\n{formatted}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file of the repository with this ending.
fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root()];
    while let Some(directory) = directories.pop() {
        let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{directory:?}: {error}"));
        for path in entries.map(|entry| entry.expect("a readable directory").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() && !name.starts_with('.') && name != "target" {
                directories.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn files_of_the_repository_are_formatted() {
    let files = files("trc");
    assert!(files.len() >= 20, "only {} files were found", files.len());
    for file in &files {
        let text = read(file);
        assert_eq!(broken_law(&text), None, "{}", file.display());
        let formatted = format(&text).unwrap_or_default();
        assert!(formatted == text, "{} is not formatted; run `tracec fmt` on it", file.display());
    }
}

/// The blocks of a Markdown text, fenced or indented.
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

/// Every text of the book and of the pages of diagnostics that has no mistakes, be it a file or clauses of a session.
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

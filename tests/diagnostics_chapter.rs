//! The chapter on diagnostics shows the output of tracec: a block whose info string has `check OPTIONS` after its
//! language is the output of `tracec check a.trc OPTIONS` for the ```` ```trc ```` block above it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A fenced block: its info string and its content.
struct Block {
    info: String,
    content: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let content = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n"));
        blocks.push(Block { info: info.to_owned(), content: content.collect() });
    }
    blocks
}

/// Returns the output of `tracec check a.trc OPTIONS` for a text, from the stream of its form.
fn said(text: &str, options: &[&str]) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("a.trc"), text).expect("written");
    let kernel = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernel");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(dir.path()).args(["check", "a.trc", "--kernel"]).arg(kernel).args(options);
    let output = command.output().expect("tracec starts");
    let stream = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    String::from_utf8(stream).expect("UTF-8")
}

#[test]
fn the_chapter_shows_what_is_printed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("book/src/diagnostics.md");
    let markdown = std::fs::read_to_string(path).expect("the chapter");
    let mut text = String::new();
    let mut shown = 0;
    for Block { info, content } in blocks(&markdown) {
        if info.starts_with("trc") {
            text = content;
            continue;
        }
        let (language, options) = info.split_once(" check").expect("an output");
        let said = said(&text, &options.split_whitespace().collect::<Vec<_>>());
        if language == "json" {
            let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
            assert_eq!(parse(&said), parse(&content), "{info}");
        } else {
            assert_eq!(said.trim_end(), content.trim_end(), "{info}");
        }
        shown += 1;
    }
    assert_eq!(shown, 5, "outputs in the chapter");
}

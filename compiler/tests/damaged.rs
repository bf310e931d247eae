//! Texts that nobody would write: whatever is found in them can be shown in every form and mended without end or panic.

mod common;

use common::{Copy, check, text};
use tracec_compiler::diagnostic::fix::{Applicability, mend};
use tracec_compiler::diagnostic::{codes, render};
use tracec_compiler::{Diagnostic, Severity, SourceMap, SourceText};

/// What is put into a text: characters of every width, ends of lines, openings without an end.
const INSERTED: [&str; 12] =
    ["\u{1f980}", "\u{e4}", "\u{20ac}", "\r\n", "\r", "\t", "\0", "\u{202e}", "\"", "/*", "///", "{"];

/// A linear congruential generator: the same texts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A text with a few characters put in or taken out.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<String> = text.chars().map(String::from).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len());
        match random.below(2) {
            0 => characters.insert(at, INSERTED[random.below(INSERTED.len())].to_owned()),
            _ if characters.len() > 1 => drop(characters.remove(at)),
            _ => {}
        }
    }
    characters.concat()
}

fn shown(source: &SourceText) -> usize {
    let said = check(source, &Copy);
    let sources = SourceMap::new(source.clone());
    let text = render::text::render(&sources, &said, false);
    assert_eq!(text.matches("[T0").count(), said.len(), "{source:?}\n{text}");
    assert!(!text.contains(['\0', '\u{202e}']), "{source:?}");
    assert_eq!(render::short::render(&sources, &said).lines().count(), said.len(), "{source:?}");
    for line in render::json::render(&sources, &said).expect("JSON").lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let (start, end) = (&object["place"]["start"], &object["place"]["end"]);
        assert!(start["offset"].as_u64() <= end["offset"].as_u64(), "{line}");
    }
    said.len()
}

#[test]
fn whatever_is_found_can_be_shown_and_mended() {
    let mut random = Random(1);
    let (mut found, mut mended) = (0, 0);
    for code in codes::ALL {
        let page: Vec<&str> = code.page.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        for clauses in page {
            for _ in 0..8 {
                let source = text(&damaged(&format!("session s {{\n{clauses}\n}}\n"), &mut random));
                found += shown(&source);
                let result = mend(&source, Applicability::Maybe, |source| check(source, &Copy));
                mended += result.mended.len();
                let left = check(&SourceText { text: result.text, ..source.clone() }, &Copy);
                assert_eq!(left, result.remaining);
                // A fix that is left would mean that fixes call for one another without end. Beside errors, guesses for
                // warnings are not made.
                let had_errors = check(&source, &Copy).iter().any(|said| said.severity == Severity::Error);
                let is_done = |said: &Diagnostic| {
                    said.fixes.is_empty() || (had_errors && said.severity == Severity::Warning)
                };
                assert!(left.iter().all(is_done), "{}\n{left:#?}", source.text);
            }
        }
    }
    println!("{found} diagnostics shown, {mended} fixes made");
    assert!(found > 1000 && mended > 200, "{found} {mended}");
}

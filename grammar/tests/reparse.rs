//! The law of edits: the syntax of an edited text, made from that of the text before, is that of the text.

mod common;
mod generate;

use common::{read, sessions};
use proptest::prelude::*;
use tracec_grammar::{Parsed, parse, reparse};

/// What is written into a text: what opens and closes, words that begin statements, and parts of names.
const WRITTEN: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "\"",
    "/*",
    "*/",
    "//",
    "/// a\n",
    "//! a\n",
    "\n",
    " ",
    "1",
    "x",
    "if ",
    "&& ",
    "== ",
    "= ",
    "session ",
    "session x {\n",
    "}\nsession y {\n",
    "trace ",
    "    trace sched:sched_switch if pid == 1;\n",
    "    clock mono;\n",
    "const A = 1;\n",
    "event e {\n",
    "print \"{a}\"",
    "when ",
    "else",
    "include ",
    "é",
    "#",
    "'",
    "enum E { A = 1 }\n",
    "in {1, 2} ",
    "not ",
    "0x",
    "on signal",
    ": ",
    "::",
    "lint allow unused;\n",
    "\u{202e}",
];

/// What is typed letter by letter, each into a session or between two: the sessions are not closed until the end.
const TYPED: &[&str] = &[
    "session typed {\n    clock mono;\n    trace sched:sched_waking if (pid > 1 || prio in {1, 2}) && comm == \"a\";\n}\n",
    "/// Typed.\nsession typed(level: u32 = 1) {\n    when level > 1 {\n        clock mono;\n    } else { stream; }\n",
    "session typed {\n    /// One.\n    on sched:sched_switch if pid == 1 {\n        trigger traceoff;\n    }\n    buffer 4MiB",
    "const TYPED: u32 = 1;\nsession typed { stop after 1s; output \"x.dat\" }\nsession",
];

/// An edit: where it begins, as a part of the text; how many bytes it removes; what it writes.
fn edit() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let removed = prop_oneof![4 => Just(0_usize), 4 => 1..4_usize, 2 => 4..40_usize, 1 => 40..400_usize];
    let written = prop_oneof![
        6 => prop::sample::select(WRITTEN).prop_map(str::to_owned),
        2 => Just(String::new()),
        1 => "[ -~\n]{0,20}",
    ];
    (any::<prop::sample::Index>(), removed, written)
}

/// Returns the text after an edit, at boundaries of characters.
fn edited(text: &str, (at, removed, written): &(prop::sample::Index, usize, String)) -> String {
    let boundary = |at: usize| (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let start = boundary(at.index(text.len() + 1));
    let end = boundary((start + removed).min(text.len()));
    format!("{}{written}{}", &text[..start], &text[end..])
}

/// Returns constants and sessions in turn. The text is long enough that it is not simply parsed again.
fn alternating(count: usize) -> String {
    let clauses = "    clock mono;\n    trace sched:sched_switch if pid in {1, 2} && next_pid == 1 {\n        drop pid;\n    }\n";
    let session = |at: usize| format!("const C{at} = {at};\n\nsession s{at} {{\n{clauses}}}\n\n");
    let text: String = (0..count).map(session).collect();
    assert!(text.len() > 4096, "{}", text.len());
    text
}

/// Fails unless each edit, and its undoing, leads to the syntax that the text has.
fn check(text: String, edits: &[(prop::sample::Index, usize, String)]) {
    let mut before = text;
    let mut known = parse(&before);
    for (number, edit) in edits.iter().enumerate() {
        let after = edited(&before, edit);
        known = same(known, &before, &after);
        if number % 3 == 0 {
            known = same(known, &after, &before);
        } else {
            before = after;
        }
    }
}

fn same(known: Parsed, before: &str, after: &str) -> Parsed {
    let found = reparse(known, before, after);
    let expected = parse(after);
    if found != expected {
        let at = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let around = |text: &str| {
            let from = (0..=at.saturating_sub(300)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let to = (at + 300..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
            text[from..to].to_owned()
        };
        assert_eq!(
            found.errors,
            expected.errors,
            "mistakes after\n{}\n---\nbefore\n{}",
            around(after),
            around(before)
        );
        for (found, expected) in found.file.declarations.iter().zip(&expected.file.declarations) {
            assert_eq!(found, expected, "{}", around(after));
        }
        assert_eq!(found.comments, expected.comments);
        assert_eq!(found, expected, "{}", around(after));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("PROPTEST_CASES").map_or(300, |cases| cases.parse().expect("a number")), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_generated_texts(numbers in prop::collection::vec(any::<u32>(), 400..2000), edits in prop::collection::vec(edit(), 1..12)) {
        check(generate::file(&numbers), &edits);
    }

    #[test]
    fn edits_of_many_sessions(count in 3..40_usize, lines in 1..30_usize, edits in prop::collection::vec(edit(), 1..12)) {
        let clause = |line: usize| format!("    trace sched:sched_switch if prev_prio < {line} && next_comm == \"bash\"; // {line}\n");
        let session = |at: usize| format!("/// Doc {at}.\nsession s{at} {{\n{}}}\n", (0..lines).map(clause).collect::<String>());
        check(format!("const A = 1;\n{}", (0..count).map(session).collect::<String>()), &edits);
    }

    #[test]
    fn typing_of_a_session(at in any::<prop::sample::Index>(), typed in prop::sample::select(TYPED), count in 32..64_usize) {
        let text = alternating(count);
        let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let at = lines[at.index(lines.len())];
        let mut known = parse(&text);
        let mut before = text.clone();
        for end in typed.char_indices().map(|(at, letter)| at + letter.len_utf8()) {
            let after = format!("{}{}{}", &text[..at], &typed[..end], &text[at..]);
            known = same(known, &before, &after);
            before = after;
        }
    }

    #[test]
    fn edits_of_sessions_that_are_not_closed(
        lost in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&["}", "{", ";", "{\n", "\n"][..])), 1..6),
        edits in prop::collection::vec(edit(), 1..12),
    ) {
        let mut text = alternating(32);
        for (at, bracket) in lost {
            let all: Vec<usize> = text.match_indices(bracket).map(|(at, _)| at).collect();
            if !all.is_empty() {
                let at = all[at.index(all.len())];
                text.replace_range(at..at + bracket.len(), "");
            }
        }
        check(text, &edits);
    }

    #[test]
    fn edits_of_the_examples(first in any::<prop::sample::Index>(), edits in prop::collection::vec(edit(), 1..12)) {
        let all = sessions();
        let first = first.index(all.len());
        let text: String = all.iter().cycle().skip(first).take(6).map(|path| read(path)).collect();
        check(text, &edits);
    }
}

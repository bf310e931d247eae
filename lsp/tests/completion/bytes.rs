//! The law of completion: what is offered at a byte of an example leads to a text without another mistake.

use std::collections::BTreeSet;
use std::ops::Range;

use tracec_compiler::{Choice, Input, Severity, SourceText, analyse_untried};

use crate::URI;
use crate::common::{Client, Shipped, TestWorld, examples, offset, position};

/// A session with a mistake, which others cannot include as it is.
const WRONG: &str = "session wrong(n: u32) { trace sched:sched_switch if prev_prio < 1 && zzzz == 2; }\n";

/// A mistake: its code, and the bytes that it marks.
type Mistake = (&'static str, Range<usize>);

fn errors(text: &str, kernel: &Shipped) -> Vec<Mistake> {
    let source = SourceText { name: "/project/a.trc".to_owned(), text: text.to_owned(), one_liner: false };
    let found = analyse_untried(Input::new(&source, kernel), Choice::All).diagnostics;
    let errors = found.into_iter().filter(|said| said.severity == Severity::Error);
    errors.map(|said| (said.code.id, said.primary.map_or(0..0, |label| label.span.range()))).collect()
}

/// Returns the mistakes that an edit adds: those that were not there before with the same code, at the place that the edit
/// has moved them to.
fn added(before: &[Mistake], after: &[Mistake], replaced: &Range<usize>, length: usize) -> Vec<Mistake> {
    let moved = |at: usize| match at {
        at if at <= replaced.start => Some(at),
        at if at >= replaced.end => Some(at - replaced.len() + length),
        _ => None,
    };
    let mut known: Vec<Mistake> = before
        .iter()
        .filter_map(|(code, range)| Some((*code, moved(range.start)?..moved(range.end)?)))
        .collect();
    let is_new = |found: &&Mistake| match known.iter().position(|known| known == *found) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    };
    after.iter().filter(is_new).cloned().collect()
}

#[test]
fn a_mistake_in_place_of_another_is_seen() {
    let before = [("T0101", 10..14), ("T0102", 30..33)];
    let edit = 20..22;
    assert_eq!(added(&before, &[("T0101", 10..14), ("T0102", 33..36)], &edit, 5), []);
    assert_eq!(added(&before, &[("T0102", 33..36)], &edit, 5), []);
    assert_eq!(added(&before, &[("T0101", 10..14), ("T0103", 33..36)], &edit, 5), [("T0103", 33..36)]);
    assert_eq!(added(&before, &[("T0101", 10..14), ("T0102", 20..23)], &edit, 5), [("T0102", 20..23)]);
    let twice = [("T0101", 10..14), ("T0101", 10..14)];
    assert_eq!(added(&before, &twice, &edit, 5), [("T0101", 10..14)]);
}

/// What can follow an item where nothing stands behind it: the words of the language that need more to be a statement.
const CONTINUED: &[&str] = &[
    " 1s after;",
    ";",
    " mono;",
    " sched:sched_switch;",
    " == 0;",
    " == \"a\";",
    " in CPUS{0};",
    " 1 == 0;",
    " u64 == 0;",
    " u64;",
    " s64;",
    " 1;",
    ".ustring == \"a\";",
    " == 127.0.0.1;",
    " 127.0.0.1;",
    " common_pid;",
    " cpu == 0;",
    " 0;",
    " \"a\";",
    " 1MiB;",
    " 16KiB;",
    " every 1GiB;",
    " 30s;",
    " 100;",
    " stacktrace;",
    " traceoff;",
    " signal USR1;",
    " with command;",
    " after 1s;",
    " paused;",
    " last 10s;",
    " command;",
    " tracefs;",
    " sym-offset;",
    // Fields, for `drop` and `redact`.
    " dev;",
    " pid;",
    " prev_comm;",
    " old_pid;",
    " bytes_alloc;",
    " sport;",
    " allow constant-condition;",
    " has clock mono {}",
    " {}",
    " \"/tmp/a.txt\";",
    " x = 1;",
    " x { trace sched:sched_process_wait; }",
    " x: u32 { A = 1 }",
    " x { proto (a: u32) entry { a: u32; } print \"{a}\" }",
    " x { proto (a: u32) entry { a: u32; } print \"{a}\" }\nsubsystem y;",
    " x at event sched:sched_switch { prev_pid }",
    " sched:sched_process_wait { trigger traceoff; }",
    " on sched:sched_process_wait to \"d-{n}.dat\";",
    " on sched:sched_process_wait to \"d-{n}.dat\"; ring;",
    " x;",
    " (a: u32)",
    " { a: u32; }",
    " `x`",
    " \"a\"",
    " std::signal;",
    " std::errno;",
    " <linux/types.h>;",
];

/// At every byte of ten examples, each item leads to a text that checks, where nothing stands behind it with what can
/// follow it. `TRACEC_COMPLETION_STEP` tries every so many bytes, `TRACEC_COMPLETION_ITEMS` so many items of each.
#[test]
fn what_is_offered_at_a_byte_of_an_example_checks() {
    let variable =
        |name: &str, default| std::env::var(name).map_or(default, |count| count.parse().expect("a number"));
    let step = variable("TRACEC_COMPLETION_STEP", 7);
    let most = variable("TRACEC_COMPLETION_ITEMS", 8);
    let kernel = Shipped::open("6.12");
    let mut client = Client::utf8(TestWorld::default());
    let (mut bytes, mut places, mut items) = (0, 0, 0);
    let mut wrong = Vec::new();
    let all = examples();
    assert!(all.len() >= 10, "{}", all.len());
    for (version, (path, example)) in (1..).zip(&all) {
        // Some have a mistake behind them, which is not to be taken for that of an item.
        let text = &if version % 2 == 0 { format!("{example}\n{WRONG}") } else { example.clone() };
        client.open(URI, version, text);
        let before = errors(text, &kernel);
        for at in
            (0..=example.len()).filter(|at| text.is_char_boundary(*at)).skip(version as usize).step_by(step)
        {
            bytes += 1;
            let found = client.at("textDocument/completion", URI, position(text, at, true));
            let found = found["items"].as_array().cloned().unwrap_or_default();
            places += usize::from(!found.is_empty());
            for item in found.iter().step_by((found.len() / most).max(1)) {
                let label = item["label"].as_str().expect("a label");
                // The names of another module are used elsewhere.
                if label.starts_with("std::") {
                    continue;
                }
                items += 1;
                let edit = &item["textEdit"];
                let end = |end: &str| offset(text, &edit["range"][end], true);
                let replaced = end("start")..end("end");
                let checks = |continued: &str| {
                    let new = format!("{label}{continued}");
                    let mut edited = text.clone();
                    edited.replace_range(replaced.clone(), &new);
                    added(&before, &errors(&edited, &kernel), &replaced, new.len()).is_empty()
                };
                // An end may be there already; what takes the place of `ring;` leaves the dumps without one, and a session
                // with dumps cannot stream.
                let is_ring = text.get(replaced.clone()) == Some("ring");
                let continues = |continued: &&str| {
                    checks(continued)
                        || checks(continued.trim_end_matches(';'))
                        || (is_ring && (label == "stream" || checks(&format!("{continued} ring"))))
                };
                if !checks("") && !CONTINUED.iter().any(continues) {
                    let line = text[..at].matches('\n').count() + 1;
                    wrong.push(format!("{path}:{line}: `{label}` at byte {at}"));
                }
            }
        }
    }
    println!("{bytes} bytes, {places} places, {items} items");
    assert!(wrong.is_empty(), "{} of {items}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(places > 100 && items > 250, "{places} places, {items} items");
    client.end();
}

/// At every byte of the examples, what is offered where the rest of the text is cut off is offered before a semicolon too.
#[test]
fn what_is_offered_without_an_end_is_offered_before_a_semicolon() {
    let step = std::env::var("TRACEC_COMPLETION_STEP").map_or(29, |step| step.parse().expect("a number"));
    let mut client = Client::utf8(TestWorld::default());
    let (mut version, mut places, mut items) = (0, 0, 0);
    let mut missing = Vec::new();
    for (number, (path, text)) in examples().iter().enumerate() {
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)).skip(number).step_by(step) {
            let line = text[..at].rsplit('\n').next().unwrap_or_default();
            if line.matches('"').count() % 2 == 1 {
                // In a template the semicolon would be text.
                continue;
            }
            let mut offered = |end: &str| {
                version += 1;
                let cut = format!("{}{end}", &text[..at]);
                client.open(URI, version, &cut);
                let found = client.at("textDocument/completion", URI, position(&cut, at, true));
                let items = found["items"].as_array().cloned().unwrap_or_default();
                let labels = items.iter().map(|item| item["label"].as_str().expect("a label").to_owned());
                (labels.collect::<BTreeSet<_>>(), found["isIncomplete"] == true)
            };
            let (without, _) = offered(" }");
            let (with, is_incomplete) = offered("; }");
            places += usize::from(!without.is_empty());
            items += without.len();
            // What there was no time to try does not count as lacking.
            let lacking: Vec<&String> = without.difference(&with).collect();
            if !lacking.is_empty() && !is_incomplete {
                let line = text[..at].matches('\n').count() + 1;
                missing.push(format!("{path}:{line}: byte {at}: {lacking:?}"));
            }
        }
    }
    println!("{places} places, {items} items");
    assert!(missing.is_empty(), "{}:\n{}", missing.len(), missing.join("\n"));
    assert!(places > 60 && items > 800, "{places} places, {items} items");
    client.end();
}

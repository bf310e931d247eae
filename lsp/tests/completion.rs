//! Completion: at every word of the examples, what is offered in its place checks.

mod common;

use std::collections::BTreeSet;

use common::{Client, Shipped, TestWorld, apply, position};
use tracec_compiler::{Choice, Input, Severity, SourceText, analyse_untried};
use tracec_grammar::{TokenClass, tokens};

const URI: &str = "file:///project/a.trc";

/// Returns the labels that are offered at the `|` of a text.
fn offered(marked: &str) -> Vec<String> {
    let at = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    let mut client = Client::utf8(TestWorld::default());
    client.open(URI, 1, &text);
    let found = client.at("textDocument/completion", URI, position(&text, at, true));
    let items = found["items"].as_array().cloned().unwrap_or_default();
    client.end();
    items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
}

fn offers(marked: &str, expected: &[&str], not: &[&str]) {
    let found: BTreeSet<String> = offered(marked).into_iter().collect();
    for label in expected {
        assert!(found.contains(*label), "{marked}: no `{label}` in {found:?}");
    }
    for label in not {
        assert!(!found.contains(*label), "{marked}: `{label}` in {found:?}");
    }
}

#[test]
fn each_kind_of_thing_is_offered_at_its_places() {
    offers("|", &["session", "use", "const"], &["trace"]);
    offers("session a { | }", &["trace", "on", "buffer", "clock"], &["session", "filter"]);
    offers("session a { cl|", &["clock"], &["buffer"]);
    offers("session a { trace sched:sched_switch { | } }", &["filter", "trigger"], &["clock"]);
    offers("session a { clock | }", &["mono", "boot", "x86-tsc"], &[]);
    offers("session a { option | }", &["sym-offset", "stacktrace"], &[]);
    offers("session a { option sym-o| }", &["sym-offset"], &["stacktrace"]);
    offers("session a { option stacktrace | }", &["on", "off"], &[]);
    offers("session a { recorder | }", &["tracefs", "bpf"], &[]);
    offers("session a { stop | }", &["after", "on", "with"], &[]);
    offers("session a { stop on signal | }", &["USR1"], &["KILL"]);
    offers(
        "session a { trace sched:sched_switch { trigger | } }",
        &["stacktrace", "traceoff", "enable_event"],
        &[],
    );
    offers("session a { trace sched:sched_switch { trigger stacktrace | } }", &["if", "count", "once"], &[]);
    offers("use |", &["std::errno"], &[]);
    offers("use std::|", &["std::errno"], &[]);
    offers("session a { when | }", &["has"], &[]);
    offers("session a { when has clock | {} }", &["mono"], &[]);
    offers("session a { lint | }", &["allow", "deny"], &[]);
    offers("session b { stream; }\nsession a { include | }", &["b"], &["a"]);
}

#[test]
fn events_are_offered_by_any_part_of_their_name() {
    offers("session a { trace sched:sched_sw| }", &["sched:sched_switch"], &["sched:sched_waking"]);
    offers("session a { trace sched_switch| }", &["sched:sched_switch"], &[]);
    offers(
        "session a { trace {sched:sched_switch, block:| } }",
        &["block:block_rq_issue"],
        &["sched:sched_switch"],
    );
    offers(
        "session a { trace sched:sched_switch { trigger enable_event block:| } }",
        &["block:block_rq_issue"],
        &[],
    );
    offers("session a { stop on sched:| }", &["sched:sched_switch"], &[]);
    offers("session a { trace sched:sched_switch | }", &["if", "having"], &[]);
}

#[test]
fn conditions_have_fields_operators_and_values() {
    offers("session a { trace sched:sched_switch if | }", &["prev_prio", "next_comm", "comm", "cpu"], &[]);
    offers(
        "session a { trace sched:sched_switch if prev_prio > 1 && ne| }",
        &["next_comm", "next_pid"],
        &["prev_prio"],
    );
    // `filter` in a block is about the events of its clause.
    offers("session a { trace sched:sched_switch { filter | } }", &["prev_prio"], &[]);
    offers("session a { trace sched:sched_switch having | }", &["prev_prio"], &[]);
    offers("session a { trace sched:sched_switch if current.| }", &["current.comm", "current.pid"], &[]);
    // Strings are not compared by size, and numbers have no patterns.
    offers("session a { trace sched:sched_switch if next_comm | }", &["==", "~"], &["<"]);
    offers("session a { trace sched:sched_switch if prev_prio | }", &["==", "<", "in", "&"], &["~"]);
    offers("session a { trace sched:sched_switch if prev_prio == 1 | }", &["&&", "||"], &["=="]);
    offers("session a(min: int = 3) { trace sched:sched_switch if prev_prio > | }", &["min"], &[]);
    offers("const LOW = 3;\nsession a { trace sched:sched_switch if prev_prio > | }", &["LOW"], &[]);
    offers(
        "enum E: u32 { A = 1 }\nsession a { trace sched:sched_switch if prev_prio as E == | }",
        &["E::A"],
        &[],
    );
    offers("session a { trace irq:softirq_entry if vec == | }", &["NET_RX", "TIMER"], &[]);
    offers("session a { trace irq:softirq_entry if vec in {NET_RX, | } }", &["TIMER"], &[]);
    offers(
        "use std::errno;\nsession a { trace block:block_rq_complete if error == -errno::EI| }",
        &["errno::EIO"],
        &["errno::ENOSPC"],
    );
}

#[test]
fn nothing_is_offered_in_comments_and_strings() {
    for text in ["// |", "session a { output \"|\"; }", "session a { trace a:b if comm == \"|"] {
        assert_eq!(offered(text), Vec::<String>::new(), "{text}");
    }
}

fn errors(text: &str, kernel: &Shipped) -> usize {
    let source = SourceText { name: "/project/a.trc".to_owned(), text: text.to_owned(), one_liner: false };
    let found = analyse_untried(Input::new(&source, kernel), Choice::All).diagnostics;
    found.iter().filter(|said| said.severity == Severity::Error).count()
}

/// Returns the examples of the project.
fn examples() -> Vec<(String, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut all = Vec::new();
    for directory in [root.to_owned(), format!("{root}/tasks")] {
        for entry in std::fs::read_dir(directory).expect("the examples") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "trc") {
                all.push((path.display().to_string(), std::fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    all.sort();
    all
}

/// At the start of every word of the examples, each item in the place of the word leads to a text that checks. All
/// words are asked for; of the items, `TRACEC_COMPLETION_ITEMS` are tried per place.
#[test]
fn what_is_offered_in_place_of_a_word_checks() {
    let most = std::env::var("TRACEC_COMPLETION_ITEMS").map_or(12, |count| count.parse().expect("a number"));
    let kernel = Shipped::open("6.12");
    let mut client = Client::utf8(TestWorld::default());
    let (mut places, mut items) = (0, 0);
    let mut wrong = Vec::new();
    let all = examples();
    assert!(all.len() >= 10, "{}", all.len());
    for (version, (path, text)) in (1..).zip(&all) {
        client.open(URI, version, text);
        let before = errors(text, &kernel);
        for token in tokens(text).iter().filter(|token| token.class == TokenClass::Word) {
            let at = token.span.range().start;
            let found = client.at("textDocument/completion", URI, position(text, at, true));
            let found = found["items"].as_array().cloned().unwrap_or_default();
            places += usize::from(!found.is_empty());
            let step = (found.len() / most).max(1);
            for item in found.iter().step_by(step) {
                let edited = apply(text, std::slice::from_ref(&item["textEdit"]), true);
                // The names of another module are used elsewhere.
                if item["label"].as_str().is_some_and(|label| label.starts_with("std::")) {
                    continue;
                }
                items += 1;
                if errors(&edited, &kernel) > before {
                    let word = &text[token.span.range()];
                    wrong.push(format!("{path}: `{}` in the place of `{word}` at {at}", item["label"]));
                }
            }
        }
    }
    println!("{places} places, {items} items");
    assert!(wrong.is_empty(), "{} of {items}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(places > 100 && items > 250, "{places} places, {items} items");
    client.end();
}

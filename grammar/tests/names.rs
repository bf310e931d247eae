//! Clause words are soft: they are names wherever a name is valid.

mod common;

use common::{show, show_errors};
use tracec_grammar::parse;

const WORDS: &[&str] = &[
    "session",
    "trace",
    "on",
    "buffer",
    "queue",
    "subbuffer",
    "cmdlines",
    "rotate",
    "every",
    "keep",
    "dump",
    "clock",
    "recorder",
    "option",
    "stop",
    "output",
    "filter",
    "trigger",
    "after",
    "count",
    "cpu",
    "except",
    "off",
    "once",
    "per",
    "total",
    "name",
    "size",
    "event",
    "flags",
    "hist",
    "system",
    "and",
    "r",
    "_",
    "B",
    "ms",
];

fn accepts(text: &str, shown: &str) {
    let parsed = parse(text);
    assert_eq!(show_errors(text, &parsed), "", "{text}");
    assert_eq!(show(&parsed), shown, "{text}");
}

#[test]
fn every_word_is_a_name_where_names_are_valid() {
    for word in WORDS {
        accepts(&format!("session {word} {{}}"), &format!("session {word}\n"));
        for (clause, shown) in [
            (format!("clock {word};"), format!("clock {word}")),
            (format!("clock {word}-{word};"), format!("clock {word}-{word}")),
            (format!("option {word};"), format!("option {word} None")),
            (format!("option {word} on;"), format!("option {word} Some(true)")),
            (format!("option x-{word} off;"), format!("option x-{word} Some(false)")),
            (format!("buffer {word};"), format!("buffer {word} None")),
            (format!("buffer {word} per cpu;"), format!("buffer {word} Some(PerCpu)")),
            (format!("buffer {word} total;"), format!("buffer {word} Some(Total)")),
            (format!("stop after {word};"), format!("stop after {word}")),
            (format!("trace {word};"), format!("trace [{word}]")),
            (format!("trace {word}:{word};"), format!("trace [{word}:{word}]")),
            (format!("trace {word}:*;"), format!("trace [{word}:*]")),
            (format!("on *:{word} {{}}"), format!("on [*:{word}]")),
            (format!("trace {{{word}, {word}:{word}}};"), format!("trace [{word}, {word}:{word}]")),
            (format!("trace a:b except {word};"), format!("trace [a:b] except [{word}]")),
            (format!("trace {word}:except except {word}:b;"), {
                format!("trace [{word}:except] except [{word}:b]")
            }),
            (format!("trace {word} if {word};"), format!("trace [{word}] if {word}")),
            (format!("trace a if {word} == {word};"), format!("trace [a] if ({word} == {word})")),
            (format!("trace a if {word}.{word}.x;"), format!("trace [a] if {word}.{word}.x")),
            (format!("trace a if {word}::{word};"), format!("trace [a] if {word}::{word}")),
            (format!("trace a if !{word} && ({word});"), format!("trace [a] if ((!{word}) && {word})")),
            (format!("trace a {{ filter {word}; }}"), format!("trace [a]\n    filter {word}")),
            (format!("on a {{ trigger {word}; }}"), format!("on [a]\n    trigger {word}")),
            (format!("on a {{ trigger {word} count 3; }}"), format!("on [a]\n    trigger {word} count 3")),
            (format!("on a {{ trigger {word} once if {word}; }}"), {
                format!("on [a]\n    trigger {word} count 1 if {word}")
            }),
        ] {
            accepts(&format!("session s {{ {clause} }}"), &format!("session s\n  {shown}\n"));
        }
    }
}

#[test]
fn words_stay_soft_at_the_start_of_a_line() {
    for word in WORDS {
        for (clause, shown) in [
            (format!("trace a if x ==\n{word}\n&& y;"), format!("trace [a] if ((x == {word}) && y)")),
            (format!("trace {{a,\n{word},\n{word}:{word}\n}};"), format!("trace [a, {word}, {word}:{word}]")),
            (format!("option\n{word}\non;"), format!("option {word} Some(true)")),
            (format!("buffer\n{word}\nper cpu;"), format!("buffer {word} Some(PerCpu)")),
            (format!("on a {{ trigger\n{word}\ncount 3; }}"), format!("on [a]\n    trigger {word} count 3")),
            (format!("trace\n{word}\nif\n{word}\n{{ }}"), format!("trace [{word}] if {word}")),
            (format!("trace a\nexcept\n{word}\nif x;"), format!("trace [a] except [{word}] if x")),
        ] {
            accepts(&format!("session s {{ {clause} }}"), &format!("session s\n  {shown}\n"));
        }
    }
}

#[test]
fn reserved_words_are_not_names() {
    for word in ["struct", "user"] {
        for text in [
            format!("session {word} {{}}"),
            format!("session s {{ clock {word}; }}"),
            format!("session s {{ trace sched:{word}; }}"),
            format!("session s {{ trace a if {word} == 1; }}"),
        ] {
            let parsed = parse(&text);
            let [error] = parsed.errors.as_slice() else { panic!("{text}: {:?}", parsed.errors) };
            assert_eq!(&text[error.span.range()], word);
            assert_eq!(error.to_string(), format!("`{word}` is a reserved word"));
        }
    }
    let text = "session s { clock if; trace if:a; }";
    assert_eq!(parse(text).errors.len(), 2);
}

//! Mistakes that break much of the text around them and are still one error each, with nothing else lost.

mod common;

use common::{kinds, show, show_errors};
use expect_test::{Expect, expect};
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::{Parsed, parse, parse_one_liner};

/// Returns the one error of a text, then its syntax.
fn report(text: &str, parsed: &Parsed) -> String {
    let errors = show_errors(text, parsed);
    assert_eq!(parsed.errors.len(), 1, "{text}\n{errors}");
    errors + &show(parsed)
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&report(text, &parse(text)));
}

fn check_one_liner(text: &str, expected: Expect) {
    expected.assert_eq(&report(text, &parse_one_liner(text)));
}

#[test]
fn items_without_braces() {
    check(
        "session s { on a:b trigger stacktrace; clock mono; }",
        expect![[r#"
            1:20 [trigger] `trigger` stands between `{` and `}` (write `on E { trigger stacktrace; }`)
            session s
              on [a:b]
                trigger stacktrace
              clock mono
        "#]],
    );
    check(
        "session s { trace a:b if c trigger stacktrace count 5 if d clock mono; }",
        expect![[r#"
            1:28 [trigger] `trigger` stands between `{` and `}` (write `trace E { trigger stacktrace; }`)
            session s
              trace [a:b] if c
                trigger stacktrace count 5 if d
              clock mono
        "#]],
    );
    check(
        "session s {\n  trace {a:b, c:d}\n    /// why\n    filter x;\n    trigger traceon;\n  clock mono;\n}",
        expect![[r#"
            4:5 [filter] `filter` stands between `{` and `}` (write `trace E { filter C; }`)
            session s
              trace [a:b, c:d]
                doc "why"
                filter x
                trigger traceon
              clock mono
        "#]],
    );
    for condition in ["c", "c == 1", "!c", "(c)", "\"c\" == c"] {
        let text = format!("session s {{ trace a:b filter {condition}; }}");
        let parsed = parse(&text);
        let missing = SyntaxErrorKind::MissingBraces { clause: "trace", word: "filter" };
        assert_eq!(kinds(&parsed), [&missing], "{text}");
    }
}

#[test]
fn items_without_the_opening_brace() {
    check(
        "session s { trace a:b filter c; trigger stacktrace; } clock mono; }",
        expect![[r#"
            1:23 [filter] `filter` stands between `{` and `}` (write `trace E { filter C; }`)
            session s
              trace [a:b]
                filter c
                trigger stacktrace
              clock mono
        "#]],
    );
}

#[test]
fn items_without_braces_in_a_one_liner() {
    check_one_liner(
        "a:b filter c; trigger stacktrace",
        expect![[r#"
            1:5 [filter] `filter` stands between `{` and `}` (write `trace E { filter C; }`)
            session -
              trace [a:b]
                filter c
                trigger stacktrace
        "#]],
    );
}

#[test]
fn a_session_without_its_opening_brace() {
    for text in [
        "session s  trace a:b; }",
        "session s\n  trace a:b; }",
        "session s trace a:b;",
        "session s; trace a:b; }",
    ] {
        let parsed = parse(text);
        assert!(report(text, &parsed).ends_with("session s\n  trace [a:b]\n"), "{text}");
        assert_eq!(parsed.errors[0].span.range(), 9..9, "{text}");
    }
    check(
        "session s\n  /// doc\n  on a:b { trigger x; }\n  clock mono;\n}\nsession t { clock boot; }",
        expect![[r#"
            1:10 [] expected `{`, found `on`
            session s
              doc "doc"
              on [a:b]
                trigger x
              clock mono
            session t
              clock boot
        "#]],
    );
    check(
        "session s\n  clock mono;\nsession t { clock boot; }",
        expect![[r#"
            1:10 [] expected `{`, found `clock`
            session s
              clock mono
            session t
              clock boot
        "#]],
    );
}

#[test]
fn sets_between_other_brackets() {
    check(
        "session s { trace a:b if (y && x in [1, c, (2)]) || z { filter c; } clock mono; }",
        expect![[r#"
            1:37 [[] the set behind `in` stands between `{` and `}`, not `[` (put the set in braces, as in `x in {1, 2}`)
            session s
              trace [a:b] if ((y && (x in {1, c, 2})) || z)
                filter c
              clock mono
        "#]],
    );
    check(
        "session s { trace a:b { filter x in ((1), 2); trigger traceon; } clock mono; }",
        expect![[r#"
            1:37 [(] the set behind `in` stands between `{` and `}`, not `(` (put the set in braces, as in `x in {1, 2}`)
            session s
              trace [a:b]
                filter (x in {1, 2})
                trigger traceon
              clock mono
        "#]],
    );
    check(
        "session s { trace a:b { filter x not in {1, 2}; trigger traceon; } clock mono; }",
        expect![[r#"
            1:34 [not in] `not in` does not take a set (negate the whole, as in `!(x in {1, 2})`)
            session s
              trace [a:b]
                filter (x in {1, 2})
                trigger traceon
              clock mono
        "#]],
    );
    check_one_liner(
        "a:b if x in [1, 2]",
        expect![[r#"
            1:13 [[] the set behind `in` stands between `{` and `}`, not `[` (put the set in braces, as in `x in {1, 2}`)
            session -
              trace [a:b] if (x in {1, 2})
        "#]],
    );
}

#[test]
fn sets_that_nothing_closes() {
    for list in ["{1, 2", "{1, y in {2"] {
        let text = format!("session s {{ trace a:b if x in {list}; clock mono; }}");
        let parsed = parse(&text);
        assert_eq!(kinds(&parsed), [&SyntaxErrorKind::UnclosedDelimiter { open: '{' }], "{list}");
        let report = report(&text, &parsed);
        assert!(report.contains("trace [a:b] if (x in {1, "), "{report}");
        assert!(report.ends_with("\n  clock mono\n"), "{report}");
    }
    for (list, open) in [("[1, 2", '['), ("(1, 2", '(')] {
        let text = format!("session s {{ trace a:b if x in {list}; clock mono; }}");
        let parsed = parse(&text);
        assert_eq!(kinds(&parsed), [&SyntaxErrorKind::WrongSetBrackets { open, set: None }], "{list}");
        assert!(show(&parsed).ends_with("\n  clock mono\n"), "{list}");
    }
}

#[test]
fn in_is_a_name_elsewhere() {
    let text =
        "session s { trace in { filter in; } trace a:in if x == in { trigger in; } trace a:b if in {} }";
    assert_eq!(show_errors(text, &parse(text)), "");
    check(
        "session s { trace a:b if x in { filter c; } }",
        expect![[r#"
            1:31 [{] expected a set such as `{1, 2}`, found `{`
            session s
              trace [a:b] if <error>
                filter c
        "#]],
    );
}

#[test]
fn an_action_without_trigger() {
    check(
        "session s { trace a:b { stacktrace; filter c; } }",
        expect![[r#"
            1:25 [stacktrace] expected an item, found `stacktrace` (did you mean `trigger stacktrace;`?)
            session s
              trace [a:b]
                filter c
        "#]],
    );
}

/// The kinds and spans of one-liners' only mistakes, and their repairs.
#[test]
fn habits_of_other_tools() {
    for (text, place, message, fix) in [
        ("on a:b { trigger stacktrace:5; }", ":5", "a count is written `count 5`", Some(" count 5")),
        (
            "on a:b { trigger enable_event:c:d; }",
            ":c:d",
            "the event of an action is written `c:d`",
            Some(" c:d"),
        ),
        ("on a:b { trigger stacktrace count -1; }", "-1", "a count must not be negative", None),
        (
            "on a:b { trigger stacktrace x < 100; }",
            "x",
            "`if` is missing before this condition",
            Some("if x"),
        ),
        (
            "on a:b { trigger stacktrace count 3 x < 1; }",
            "x",
            "`if` is missing before this condition",
            Some("if x"),
        ),
        ("a:b (x < 100)", "(", "`if` is missing before this condition", Some("if (")),
        ("a:b !x", "!", "`if` is missing before this condition", Some("if !")),
        ("a:b x < 100", "x", "`if` is missing before this condition", Some("if x")),
        ("stop on a:b x == 1; trace c:d", "x", "`if` is missing before this condition", Some("if x")),
        ("a:b if x < 1 y < 2", "y", "two conditions are joined by `&&` or `||`", Some("&& y")),
        ("a:b if x == \"s\" y ~ \"t\"", "y", "two conditions are joined by `&&` or `||`", Some("&& y")),
        ("a:b:u", ":u", "events have no modifiers", Some("")),
        ("a/b", "a/b", "an event is written `a:b`", Some("a:b")),
        ("trace a:b; trace tracepoint:a:b", "tracepoint:a:b", "this is written for bpftrace", None),
        (
            "tracepoint:a:b /pid == $1/ { @[comm] = count(); }",
            "tracepoint:a:b /pid == $1/ { @[comm] = count(); }",
            "this is written for bpftrace",
            None,
        ),
        ("echo 'traceoff:5' > trigger", "echo 'traceoff:5' > trigger", "this is written for a shell", None),
        ("-e a:b -f 'x < 1'", "-e a:b -f 'x < 1'", "this is written for trace-cmd", None),
        ("a:b if x == $pid", "$pid", "`$pid` is for a shell, which has not replaced it", None),
        (
            "a:b if x == \\\"bash\\\"",
            "\\\"bash\\\"",
            "strings stand between `\"`, not `\\`",
            Some("\"bash\""),
        ),
        ("a:b if x && && y", "&&", "expected a condition behind `&&`, found `&&`", None),
        ("a:b if x ||", "", "expected a condition behind `||`, found the end of the text", None),
    ] {
        let parsed = parse_one_liner(text);
        let [error] = parsed.errors.as_slice() else { panic!("{text}: {:?}", parsed.errors) };
        let found = (&text[error.span.range()], error.to_string(), error.fix());
        assert_eq!(found, (place, message.to_owned(), fix.map(str::to_owned)), "{text}");
    }
}

#[test]
fn a_condition_that_ends_too_early_shows_its_connector() {
    let parsed = parse_one_liner("a:b if x && && y");
    let SyntaxErrorKind::DanglingConnector { at, .. } = &parsed.errors[0].kind else {
        panic!("{:?}", parsed.errors);
    };
    assert_eq!((at.range(), parsed.errors[0].span.range()), (9..11, 12..14));
}

/// Names of events that are words of another tool.
#[test]
fn words_of_other_tools_are_names() {
    for text in ["echo:b", "tracepoint:b", "echo if x == 1", "trace echo; trace tracepoint"] {
        assert_eq!(show_errors(text, &parse_one_liner(text)), "", "{text}");
    }
}

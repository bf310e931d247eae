//! What holds for every text.

mod common;

use proptest::prelude::*;
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::span::Span;
use tracec_grammar::syntax::*;
use tracec_grammar::{MAX_DEPTH, Parsed, parse, parse_one_liner};

const TOKENS: &[&str] = &[
    "session", "trace", "on", "buffer", "clock", "option", "stop", "after", "output", "filter", "trigger",
    "count", "once", "per", "cpu", "total", "off", "except", "if", "struct", "user", "x", "sched", "and",
    "not", "1", "64KiB", "3s", "4MB", "0x", "9p", "1.5", "\"s\"", "\"", "'c'", "'", "r#\"x\"#", "{", "}",
    "(", ")", ";", ",", ":", "::", ".", "*", "-", "!", "&", "&&", "||", "==", "!=", "<", "<=", ">", "~",
    "!~", "=", "<>", "@", "?", "\u{e4}", "\u{201c}", "// c\n", "/* c */", "/*", "/// d\n", "//! d\n", "\n",
    "\r\n", "in", "[", "]",
];

fn soup() -> impl Strategy<Value = String> {
    let token = (prop::sample::select(TOKENS), prop::sample::select(&["", " ", " ", "\n"][..]));
    prop::collection::vec(token, 0..60)
        .prop_map(|tokens| tokens.iter().map(|(a, b)| format!("{a}{b}")).collect())
}

fn name() -> impl Strategy<Value = String> {
    let words = &TOKENS[..19];
    prop_oneof![
        prop::sample::select(words).prop_map(str::to_owned),
        "[a-z_]{1,3}".prop_filter("reserved", |w| w != "if")
    ]
    .prop_filter("reserved", |word| word != "if")
}

fn literal() -> impl Strategy<Value = String> {
    prop::sample::select(&["1", "0x1f", "64KiB", "3s", "\"s\"", "r#\"*\"#"][..]).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        name(),
        literal(),
        (name(), name()).prop_map(|(a, b)| format!("{a} . {b}")),
        (name(), name()).prop_map(|(a, b)| format!("{a} :: {b}")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let op = prop::sample::select(&["&&", "||", "&"][..]);
        let compare = prop::sample::select(&["==", "!=", "<", "<=", ">", ">=", "~", "!~"][..]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("( {a} ) {op} ( {b} )")),
            (inner.clone(), compare, inner.clone()).prop_map(|(a, op, b)| format!("( {a} ) {op} ( {b} )")),
            (name(), name()).prop_map(|(a, b)| format!("{a} == {b}")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            inner.prop_map(|a| format!("! ( {a} )")),
        ]
    })
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        name(),
        (name(), name()).prop_map(|(a, b)| format!("{a} : {b}")),
        name().prop_map(|a| format!("* : {a}")),
        name().prop_map(|a| format!("{a} : *")),
        Just("\"a*\"".to_owned()),
    ]
}

fn events() -> impl Strategy<Value = String> {
    let paths = prop_oneof![
        path(),
        prop::collection::vec(path(), 1..4).prop_map(|list| format!("{{ {} }}", list.join(" , ")))
    ]
    .boxed();
    (paths.clone(), prop::option::of(paths)).prop_map(|(include, except)| match except {
        Some(except) => format!("{include} except {except}"),
        None => include,
    })
}

fn item() -> impl Strategy<Value = String> {
    let count = prop_oneof![Just(""), Just("once"), Just("count 5")];
    prop_oneof![
        expression().prop_map(|condition| format!("filter {condition} ;")),
        (name(), count, prop::option::of(expression())).prop_map(|(action, count, condition)| {
            let condition = condition.map(|condition| format!("if {condition}")).unwrap_or_default();
            format!("trigger {action} {count} {condition} ;")
        }),
        Just("/// doc\n trigger x ;".to_owned()),
    ]
}

fn clause() -> impl Strategy<Value = String> {
    let dashed = prop_oneof![name(), (name(), name()).prop_map(|(a, b)| format!("{a}-{b}"))].boxed();
    let scope = prop_oneof![Just(""), Just("per cpu"), Just("total")];
    let switch = prop_oneof![Just(""), Just("on"), Just("off")];
    let word = prop_oneof![Just("trace"), Just("on")];
    let body = prop_oneof![
        Just(";".to_owned()),
        prop::collection::vec(item(), 0..4).prop_map(|items| format!("{{ {} }}", items.join(" "))),
    ];
    prop_oneof![
        (expression(), scope).prop_map(|(size, scope)| format!("buffer {size} {scope} ;")),
        dashed.clone().prop_map(|name| format!("clock {name} ;")),
        (dashed, switch).prop_map(|(name, switch)| format!("option {name} {switch} ;")),
        expression().prop_map(|duration| format!("stop after {duration} ;")),
        Just("output \"f\" ;".to_owned()),
        (word, events(), prop::option::of(expression()), body).prop_map(|(word, events, condition, body)| {
            let condition = condition.map(|condition| format!("if {condition}")).unwrap_or_default();
            format!("{word} {events} {condition} {body}")
        }),
    ]
}

/// Every span of the result lies in the text and between characters.
fn check(text: &str, parsed: &Parsed) {
    let inside = |span: Span| {
        assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
    };
    assert!(parsed.errors.is_sorted_by_key(|error| error.span.start), "{:?}", parsed.errors);
    for error in &parsed.errors {
        inside(error.span);
        assert!(!error.to_string().is_empty());
        let _ = (error.hint(), error.fix());
        if let SyntaxErrorKind::Unexpected { expected, .. } = &error.kind {
            assert!(!expected.is_empty(), "{text:?}");
        }
    }
    parsed.comments.iter().for_each(|comment| inside(comment.span));
    for (_, expr) in parsed.file.exprs.iter() {
        inside(expr.span);
        assert!((1..=MAX_DEPTH).contains(&expr.depth));
    }
    for session in parsed.file.sessions() {
        inside(session.span);
        for clause in &session.clauses {
            inside(clause.span);
            assert!(session.span.to(clause.span) == session.span, "{text:?}");
            if let ClauseKind::Trace(events) | ClauseKind::On(events) = &clause.kind {
                inside(events.events.span);
                assert!(!events.events.include.is_empty());
                events.items.iter().for_each(|item| inside(item.span));
            }
        }
    }
    let has_error = parsed.file.exprs.iter().any(|(_, expr)| expr.kind == ExprKind::Error);
    assert!(!has_error || !parsed.errors.is_empty(), "silent error in {text:?}");
}

fn check_both(text: &str) {
    check(text, &parse(text));
    check(text, &parse_one_liner(text));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check_both(&text);
    }

    #[test]
    fn any_ascii_is_read(text in "[ -~\n]{0,200}") {
        check_both(&text);
    }

    #[test]
    fn any_tokens_are_read(text in soup()) {
        check_both(&text);
        check_both(&format!("session a {{ {text} }}"));
        check_both(&format!("session a {{ trace b:c if {text}; clock mono; }}"));
    }

    /// Nothing that looks like the start of a statement is taken for one where the grammar has another reading.
    #[test]
    fn correct_texts_are_never_repaired(
        session in name(),
        clauses in prop::collection::vec(clause(), 1..5),
        breaks in prop::collection::vec(any::<bool>(), 64),
    ) {
        let spaced = format!("session {session} {{ {} }}", clauses.join(" "));
        let mut broken = String::new();
        for (piece, is_break) in spaced.split_inclusive(' ').zip(breaks.iter().cycle()) {
            broken.push_str(piece);
            broken.push_str(if *is_break && !piece.starts_with("///") { "\n" } else { "" });
        }
        for text in [&spaced, &broken] {
            let parsed = parse(text);
            prop_assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
            prop_assert_eq!(parsed.file.sessions().next().unwrap().clauses.len(), clauses.len(), "{}", text);
        }
    }

    #[test]
    fn a_cut_text_is_read(cut in 0usize..400) {
        let whole = "//! d\nsession a { buffer 4MiB per cpu; trace {a:b, c:*} except \"d*\" if (x == 1 && !y.z) || \
                     e::f & 3 != 0 { filter comm ~ \"k*\"; trigger stacktrace count 5 if z; } /* c */ stop after 3s; \
                     /// doc\n output r#\"f\"#; option sym-offset off; clock x86-tsc; }";
        let text = &whole[..cut.min(whole.len())];
        check_both(text);
        // Whatever is cut off, at most the statement, the string and the brackets around the cut are mistakes.
        prop_assert!(parse(text).errors.len() <= 3, "{:?}", parse(text).errors);
    }
}

//! Properties that hold for every text.

mod common;

use common::all_spans;
use proptest::prelude::*;
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::span::Span;
use tracec_grammar::syntax::*;
use tracec_grammar::{MAX_DEPTH, Parsed, parse, parse_one_liner, words};

const TOKENS: &[&str] = &[
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
    "to",
    "max",
    "clock",
    "recorder",
    "option",
    "stop",
    "after",
    "output",
    "filter",
    "trigger",
    "drop",
    "redact",
    "count",
    "once",
    "per",
    "cpu",
    "total",
    "off",
    "except",
    "if",
    "struct",
    "user",
    "x",
    "sched",
    "and",
    "not",
    "1",
    "64KiB",
    "3s",
    "4MB",
    "0x",
    "9p",
    "1.5",
    "\"s\"",
    "\"",
    "'c'",
    "'",
    "r#\"x\"#",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    ":",
    "::",
    ".",
    "*",
    "-",
    "!",
    "&",
    "&&",
    "||",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    "~",
    "!~",
    "=",
    "<>",
    "@",
    "?",
    "\u{e4}",
    "\u{201c}",
    "// c\n",
    "/* c */",
    "/*",
    "/// d\n",
    "//! d\n",
    "\n",
    "\r\n",
    "in",
    "[",
    "]",
    "use",
    "const",
    "enum",
    "flags",
    "subsystem",
    "include",
    "class",
    "event",
    "proto",
    "entry",
    "assign",
    "print",
    "lint",
    "scope",
    "process",
    "command",
    "cgroup",
    "cpus",
    "children",
    "instance",
    "global",
    "discarding",
    "ring",
    "last",
    "start",
    "paused",
    "including",
    "tracec",
    "marker",
    "when",
    "has",
    "field",
    "else",
    "having",
    "with",
    "at",
    "as",
    "kernel",
    "string",
    "unsigned",
    "long",
    "allow",
    "`c;`",
    "`",
    "<a/b.h>",
    "..",
    "..=",
    "->",
    "?",
    "/",
    "%",
    "+",
    "<<",
    ">>",
    "^",
    "|",
    "$",
    "\\",
    "10.0.0.1",
    "10.0.0.0/8",
    "10.0.0.256",
    "2001:db8::1",
    "::",
    "fe80::/10",
    "CPUS{0-3}",
    "CPUS{",
    "CPUS 1",
    "print \"",
    "print \"a{b:x}{c ? \"d\" : e}\"",
    "print \"{",
    "{x",
    "%di",
    "{{",
    "}}",
    "struct a *b",
    "char c[4]",
    "/// e\n",
];

fn soup() -> impl Strategy<Value = String> {
    let token = (prop::sample::select(TOKENS), prop::sample::select(&["", " ", " ", "\n"][..]));
    prop::collection::vec(token, 0..60)
        .prop_map(|tokens| tokens.iter().map(|(a, b)| format!("{a}{b}")).collect())
}

fn name() -> impl Strategy<Value = String> {
    let words = words::CLAUSES.iter().map(|entry| entry.word).chain(TOKENS[..18].iter().copied());
    let words: Vec<&str> =
        words.chain(["in", "as", "at", "has", "having", "with", "else", "string", "long"]).collect();
    prop_oneof![prop::sample::select(words).prop_map(str::to_owned), "[a-z_]{1,3}"]
        .prop_filter("a reserved or special word", |word| {
            !["if", "not", "or", "and"].contains(&word.as_str())
        })
}

fn literal() -> impl Strategy<Value = String> {
    let literals = ["1", "0x1f", "64KiB", "3s", "\"s\"", "r#\"*\"#", "10.0.0.0/8", "fe80::1", "CPUS{0-3,8}"];
    prop::sample::select(literals.to_vec()).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        name(),
        literal(),
        (name(), name()).prop_map(|(a, b)| format!("{a} . {b}")),
        (name(), name()).prop_map(|(a, b)| format!("{a} :: {b}")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let op = prop::sample::select(&["&&", "||", "&", "|", "^", "<<", ">>", "+", "-", "*", "/", "%"][..]);
        let prefix = prop::sample::select(&["!", "-", "&", "*"][..]);
        let compare = prop::sample::select(&["==", "!=", "<", "<=", ">", ">=", "~", "!~"][..]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("( {a} ) {op} ( {b} )")),
            (inner.clone(), compare, inner.clone()).prop_map(|(a, op, b)| format!("( {a} ) {op} ( {b} )")),
            (name(), name()).prop_map(|(a, b)| format!("{a} == {b}")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            (inner.clone(), name()).prop_map(|(a, b)| format!("( {a} ) as u32 == {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("( {a} ) in {{ {b} , 1 ..= 2 }}")),
            (name(), name()).prop_map(|(a, b)| format!("{a} in {{ {b} , }}")),
            (name(), inner.clone()).prop_map(|(a, b)| format!("{a} -> {a} [ {b} ] ( {b} , {b} )")),
            (prefix, inner).prop_map(|(op, a)| format!("{op} ( {a} )")),
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
        expression().prop_map(|condition| format!("filter in kernel {condition} ;")),
        (prop::sample::select(&["enable_event", "hist", "count", "on", "stream"][..]), path())
            .prop_map(|(action, target)| format!("trigger {action} {target} count 3 ;"))
            .prop_filter("an event called like a count", |text| !text.contains(" once count")
                && !text.contains(" count count")),
        (name(), name()).prop_map(|(field, other)| format!("drop {field} ; redact {other} , {field} ;")),
        name().prop_map(|field| format!("print \"a{{{{{{{field}:x}}\" ;")),
        name().prop_map(|lint| format!("lint allow {lint}-{lint} , {lint} ;")),
        Just("/// doc\n trigger x ;".to_owned()),
    ]
}

fn life() -> impl Strategy<Value = String> {
    let arguments = prop::collection::vec((name(), expression()), 0..3).prop_map(|list| {
        let list: Vec<String> = list.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("( {} )", list.join(" , "))
    });
    prop_oneof![
        expression().prop_map(|e| format!("scope process {e} , command , cpus 0-3 and children ;")),
        Just("instance ;".to_owned()),
        Just("stream ;".to_owned()),
        expression().prop_map(|e| format!("ring last {e} ;")),
        (events(), expression()).prop_map(|(events, e)| format!("stop on {events} if {e} count 3 ;")),
        name().prop_map(|signal| format!("stop on signal {signal} ;")),
        expression().prop_map(|e| format!("stop with process {e} ;")),
        Just("start paused ;".to_owned()),
        Just("marker \"m\" ;".to_owned()),
        (name(), name(), arguments).prop_map(|(a, b, arguments)| format!("include {a} :: {b} {arguments} ;")),
        Just("global discarding { clock mono ; }".to_owned()),
        (path(), name()).prop_map(|(event, field)| {
            format!("when has event {event} {{ stream ; }} else when has field {event} . {field} {{ }} else {{ ring ; }}")
        }),
    ]
}

fn clause() -> impl Strategy<Value = String> {
    prop_oneof![settings(), life()]
}

fn settings() -> impl Strategy<Value = String> {
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
        (word, events(), prop::option::of(name()), prop::option::of(expression()), any::<bool>(), body)
            .prop_map(|(word, events, having, condition, turned, body)| {
                let having = having.map(|field| format!("having {field} , {field}")).unwrap_or_default();
                let condition = condition.map(|condition| format!("if {condition}")).unwrap_or_default();
                let (first, second) = if turned { (condition, having) } else { (having, condition) };
                format!("{word} {events} {first} {second} {body}")
            }),
    ]
}

fn type_() -> impl Strategy<Value = String> {
    prop::sample::select(
        &[
            "u32",
            "string",
            "user string",
            "* user char",
            "* const struct a",
            "u8 [ ]",
            "char [ 16 ]",
            "unsigned long",
        ][..],
    )
    .prop_map(str::to_owned)
}

fn declaration() -> impl Strategy<Value = String> {
    let member = (name(), prop::option::of(expression()))
        .prop_map(|(name, value)| value.map_or(name.clone(), |value| format!("{name} = {value} \"text\"")));
    let members = prop::collection::vec(member, 0..4).prop_map(|list| list.join(" , "));
    let field = (name(), type_(), prop::option::of(expression())).prop_map(|(name, ty, value)| {
        let value = value.map(|value| format!("= {value}")).unwrap_or_default();
        format!("{name} : {ty} {value} ;")
    });
    let fields = prop::collection::vec(field, 0..4).prop_map(|list| list.join(" "));
    let param = (name(), type_()).prop_map(|(name, ty)| format!("{name} : {ty}"));
    let params = prop::collection::vec(param, 0..3).prop_map(|list| list.join(" , ")).boxed();
    let word = prop_oneof![Just("enum"), Just("flags")];
    prop_oneof![
        (name(), name()).prop_map(|(a, b)| format!("use {a} :: {b} as {b} ;")),
        (name(), type_(), expression())
            .prop_map(|(name, ty, value)| format!("const {name} : {ty} = {value} ;")),
        (word, name(), members)
            .prop_map(|(word, name, members)| format!("{word} {name} : u8 {{ {members} }}")),
        name().prop_map(|name| format!("subsystem {name} ;")),
        Just("include <linux/blkdev.h> ;".to_owned()),
        (name(), params.clone(), fields).prop_map(|(name, params, fields)| {
            format!(
                "class {name} {{ proto ( {params} ) entry {{ {fields} }} assign `c` print \"{{{name}}}\" }}"
            )
        }),
        (name(), name(), expression())
            .prop_map(|(a, b, e)| format!("event {a} : {b} if {e} with ( {a} , {b} ) ;")),
        (name(), name(), params).prop_map(|(a, b, params)| {
            format!(
                "event {a} at kprobe {b}+8 ( {params} ) -> ( {b} : u8 ) {{ {a} = %di : u64 ; {b} ; @x : u8 }}"
            )
        }),
        name().prop_map(|name| format!("lint deny {name} ;")),
    ]
}

/// Checks that every span of the result is in the text and between characters.
fn check(text: &str, parsed: &Parsed) {
    let inside = |span: Span| {
        assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
    };
    all_spans(parsed).into_iter().for_each(inside);
    assert!(parsed.errors.is_sorted_by_key(|error| error.span.start), "{:?}", parsed.errors);
    for error in &parsed.errors {
        inside(error.span);
        assert!(!error.to_string().is_empty());
        let _ = (error.hint(), error.fix());
        if let SyntaxErrorKind::Unexpected { expected, .. } = &error.kind {
            assert!(!expected.is_empty(), "{text:?} {error}");
        }
    }
    for (_, expr) in parsed.file.exprs.iter() {
        assert!((1..=MAX_DEPTH).contains(&expr.depth));
    }
    for session in parsed.file.sessions() {
        for clause in &session.clauses {
            assert!(session.span.to(clause.span) == session.span, "{text:?}");
            if let ClauseKind::Trace(events) | ClauseKind::On(events) = &clause.kind {
                assert!(!events.events.include.is_empty());
                for item in &events.items {
                    assert!(clause.span.to(item.span) == clause.span, "{text:?}");
                }
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
        check_both(&format!("class a {{ {text} }}"));
        check_both(&format!("class a {{ entry {{ {text} }} print \"{{{text}}}\" }}"));
        check_both(&format!("enum a {{ {text} }}"));
        check_both(&format!("event a at kprobe b({text}) {{ {text} }}"));
    }

    /// A token sequence that resembles the start of a statement is not taken for one where the grammar can parse it
    /// otherwise.
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
    fn correct_declarations_are_never_repaired(
        declarations in prop::collection::vec(declaration(), 1..5),
        breaks in prop::collection::vec(any::<bool>(), 64),
    ) {
        let spaced = declarations.join(" ");
        let mut broken = String::new();
        for (piece, is_break) in spaced.split_inclusive(' ').zip(breaks.iter().cycle()) {
            broken.push_str(piece);
            broken.push_str(if *is_break && !piece.starts_with("<") { "\n" } else { "" });
        }
        for text in [&spaced, &broken] {
            let parsed = parse(text);
            prop_assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
            prop_assert_eq!(parsed.file.declarations.len(), declarations.len(), "{}", text);
        }
    }

    #[test]
    fn a_cut_definition_is_read(cut in 0usize..600) {
        let whole = "use a::b; enum E: u8 { A = 1 \"x\", B } class c { proto (a: *struct b, d: u8) entry { \
                     e: u8[] = (a->f, d); g: string = d > 1 ? \"h\" : \"i\"; } assign `j` print \"k={e:x} {d ? \"l\" : \"m\"}\" } \
                     event n: c if d in {1, 2..=3} with (o, p) { print \"{q}\" } event r at kprobe s+8(t: u8) -> (u: u8) { \
                     v = +4(%di): u8; @w } session x(y: u8 = CPUS{0-3}) { when has event z:z { ring last 3s; } else { } }";
        let text = &whole[..cut.min(whole.len())];
        check_both(text);
        prop_assert!(parse(text).errors.len() <= 4, "{text}\n{:?}", parse(text).errors);
    }

    #[test]
    fn a_cut_text_is_read(cut in 0usize..400) {
        let whole = "//! d\nsession a { buffer 4MiB per cpu; trace {a:b, c:*} except \"d*\" if (x == 1 && !y.z) || \
                     e::f & 3 != 0 { filter comm ~ \"k*\"; trigger stacktrace count 5 if z; } /* c */ stop after 3s; \
                     /// doc\n output r#\"f\"#; option sym-offset off; clock x86-tsc; }";
        let text = &whole[..cut.min(whole.len())];
        check_both(text);
        // For every cut, at most the statement, the string and the brackets around the cut are mistakes.
        prop_assert!(parse(text).errors.len() <= 3, "{:?}", parse(text).errors);
    }
}

//! Texts made to exhaust a parser: they end in an error, quickly, and on a small stack.

mod common;

use common::{condition, kinds};
use tracec_grammar::error::SyntaxErrorKind;
use tracec_grammar::syntax::*;
use tracec_grammar::{MAX_DEPTH, MAX_ERRORS, MAX_SOURCE, Parsed, parse, parse_one_liner};

/// Parses a condition on a stack of 256 KiB, less than any thread has.
fn parsed(expression: String) -> Parsed {
    let read = move || parse_one_liner(&format!("a:b if {expression}"));
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(read);
    thread.expect("a thread can be started").join().expect("the parser does not panic")
}

fn assert_too_deep_once(expression: String, at: usize) {
    let name: String = expression.chars().take(20).collect();
    let parsed = parsed(expression);
    assert_eq!(kinds(&parsed), [&SyntaxErrorKind::TooDeep], "{name}");
    assert_eq!(parsed.errors[0].span.range().start, "a:b if ".len() + at, "{name}");
    assert!(parsed.file.exprs.iter().all(|(_, expr)| expr.depth <= MAX_DEPTH), "{name}");
    assert!(parsed.file.exprs.iter().any(|(_, expr)| expr.kind == ExprKind::Error), "{name}");
}

fn nested(open: &str, close: &str, times: usize) -> String {
    format!("{}x{}", open.repeat(times), close.repeat(times))
}

#[test]
fn expression_of_the_maximum_depth_is_accepted() {
    let limit = MAX_DEPTH as usize;
    for expression in [
        nested("(", ")", limit),
        nested("!", "", limit - 1),
        nested("-", "", limit - 1),
        nested("", ".y", limit - 1),
        nested("", " & y", limit - 1),
        nested("!(", ")", limit / 2),
        nested("(a || b && ", ")", limit / 2 - 1),
        nested("f(", ")", limit - 1),
        nested("a[", "]", limit - 1),
        nested("*", "", limit - 1),
        nested("", " - y", limit - 1),
        nested("", " as u8", limit - 1),
    ] {
        let parsed = parsed(expression.clone());
        assert_eq!(kinds(&parsed), Vec::<&SyntaxErrorKind>::new(), "{expression}");
        assert!(parsed.file.exprs[condition(&parsed)].depth <= MAX_DEPTH);
    }
}

#[test]
fn deeper_is_one_error_at_its_place() {
    let limit = MAX_DEPTH as usize;
    assert_too_deep_once(nested("(", ")", limit + 1), limit);
    assert_too_deep_once(nested("(", ")", 10_000), limit);
    assert_too_deep_once(nested("!", "", limit), limit - 1);
    assert_too_deep_once(nested("!", "", 10_000), limit - 1);
    assert_too_deep_once(nested("-", "", 10_000), limit - 1);
    assert_too_deep_once(nested("!(", ")", 10_000), limit);
    assert_too_deep_once(nested("", ".y", 100_000), 2 * limit);
    assert_too_deep_once(nested("", "&y", 100_000), 2 * limit - 1);
    assert_too_deep_once(nested("f(", ")", 10_000), 2 * limit + 1);
    assert_too_deep_once(nested("a[", "]", 10_000), 2 * limit + 1);
    assert_too_deep_once(nested("x in {", "}", 10_000), "x in {".len() * limit + 5);
    assert_too_deep_once(nested("& ", "", 10_000), 2 * (limit - 1));
    assert_too_deep_once(nested("", " as u8", 10_000), " as u8".len() * (limit - 1) + 2);
    assert_too_deep_once(nested("a ? b : ", "", 10_000), "a ? b : ".len() * limit + 2);
    assert_too_deep_once(nested("a ? ", " : b", 10_000), "a ? ".len() * limit + 2);
}

#[test]
fn what_follows_a_deep_expression_is_read() {
    let text = format!("session a {{ trace a:b if {} && y; clock ; }}", nested("(", ")", 1000));
    let parsed = parse(&text);
    assert!(
        matches!(kinds(&parsed).as_slice(), [SyntaxErrorKind::TooDeep, SyntaxErrorKind::Unexpected { .. }]),
        "{:?}",
        parsed.errors
    );
}

#[test]
fn long_chains_are_flat() {
    for (op, depth) in [(" && ", 2), (" || ", 2)] {
        let parsed = parsed(vec!["x"; 100_000].join(op));
        assert_eq!(kinds(&parsed), Vec::<&SyntaxErrorKind>::new());
        let root = &parsed.file.exprs[condition(&parsed)];
        assert_eq!(root.depth, depth);
        let (ExprKind::And(operands) | ExprKind::Or(operands)) = &root.kind else {
            panic!("{op} is not a list")
        };
        assert_eq!(operands.len(), 100_000);
    }
    let parsed = parsed(vec!["x"; 100_000].join(" < "));
    assert!(matches!(kinds(&parsed)[..], [SyntaxErrorKind::ChainedComparison { joined: Some(_) }]));
}

#[test]
fn long_texts_are_refused_before_they_are_read() {
    let text = format!("session a {{}}{}", " ".repeat(MAX_SOURCE));
    let parsed = parse(&text);
    assert_eq!(kinds(&parsed), [&SyntaxErrorKind::SourceTooLarge]);
    assert_eq!(parsed.errors[0].to_string(), "the text has more than 8388608 bytes; that is not read");
    assert!(parsed.file.declarations.is_empty());
    assert!(parse(&text[..MAX_SOURCE]).errors.is_empty());
}

/// A parser that goes over a text more than a few times would take minutes here.
#[test]
fn garbage_is_parsed_in_linear_time() {
    let megabyte = 1 << 20;
    for unit in [
        "x ] ",
        "; ",
        "{",
        "}",
        "(",
        ")",
        "{}",
        "()",
        "\"",
        "'",
        "/*",
        "r#\"",
        "r\"",
        "\u{201c}x ",
        "\u{201c}x\u{201d} ",
        "#",
        "\u{e4}",
        "\u{201c}",
        "\0",
        "//! x\n",
        "/// x\n",
        "trace ",
        "trace\n",
        "clock;",
        "session a {",
        "session a {\ntrace b {\n",
        "session a {}",
        "a.b ",
        "1.2 ",
        "*:",
        "9p-",
        "&& ",
        "! ",
        "x in {",
        "x in [1; ",
        "filter x ",
        "filter x in kernel ",
        "TRACE_EVENT(a\nsession s {}\n",
        "x in {y ",
        "a in {1} in ",
        "? ",
        "a ? b : ",
        "a ? ",
        "a[",
        "a->b ",
        "1:2:3:",
        "a:a:a:",
        "a::",
        "CPUS{0,",
        "CPUS 0-",
        "`",
        "print \"{",
        "print \"{a:",
        "print \"a",
        "print \"{{",
        "print \"x\" ",
        "print \"{f(\"",
        "use a\n",
        "enum a {",
        "enum a { b\n",
        "lint a b\n",
        "class a {",
        "class a { entry {",
        "event a at kprobe ",
        "event a at kprobe b { c = %",
        "struct a *b, ",
        "proto (",
        "a a ",
        "a.",
        "$a.",
        "include <",
        "when has a b {",
        "when has a b {} else ",
        "global {",
        "else ",
        "stop on {",
        "trigger a {",
    ] {
        let short = unit.repeat((64 << 10) / unit.len());
        for text in [
            unit.repeat(megabyte / unit.len()),
            format!("session a {{{short}}}"),
            format!("session a {{ trace {short} }}"),
            format!("session a {{ trace a:b if (({short})); }}"),
            format!("class a {{ {short} }}"),
            format!("class a {{ entry {{ {short} }} print \"{{{short}}}\" }}"),
            format!("enum a {{ {short} }}"),
            format!("event a at kprobe b({short}) {{ {short} }}"),
        ] {
            for parsed in [parse(&text), parse_one_liner(&text)] {
                assert!(parsed.errors.len() <= MAX_ERRORS + 1, "{unit:?}");
                let many = SyntaxErrorKind::TooManyErrors;
                let many = kinds(&parsed).iter().position(|kind| **kind == many);
                assert!(many.is_none_or(|at| at + 1 == parsed.errors.len()), "{unit:?}");
            }
        }
    }
}

/// The texts are correct and nearly of the maximum length: lists, blocks and templates take linear time.
#[test]
fn long_correct_texts_are_read() {
    let long = 5 << 20;
    for (start, unit, end) in [
        ("", "const A = b as u8 in {1, 2..=3};\n", ""),
        ("enum a {", "b = 1 \"c\",\n", "}"),
        ("class a { entry {", "b: u8 = c->d[e];\n", "} }"),
        ("class a { print \"", "x={b:#x} {c ? \"d\" : e}", "\" }"),
        ("event a at kprobe b {", "c = +4(%di): u8;\n", "}"),
        ("class a { proto (", "b: *struct c, ", ") }"),
        ("session a {", "when has event b:c { ring; } else { stream; }\n", "}"),
        ("session a { trace b if c in {", "10.0.0.0/8, fe80::1, ", "}; }"),
        ("session a { on b {", "trigger c d:e once;\n", "} }"),
        ("class a { assign `", "b = c;\n", "` }"),
    ] {
        let text = format!("{start}{}{end}", unit.repeat(long / unit.len()));
        assert_eq!(kinds(&parse(&text)), Vec::<&SyntaxErrorKind>::new(), "{unit}");
    }
}

//! Tests of the parsing of expressions.

mod common;

use common::{condition, show_errors, show_expr};
use tracec_grammar::syntax::*;
use tracec_grammar::{MAX_DEPTH, Parsed, parse_one_liner};

fn parsed(expression: &str) -> Parsed {
    parse_one_liner(&format!("a:b if {expression}"))
}

#[test]
fn precedence() {
    for (text, shown) in [
        ("a || b && c || d", "(a || (b && c) || d)"),
        ("a && b || c && d", "((a && b) || (c && d))"),
        ("a && b && c && d", "(a && b && c && d)"),
        ("(a && b) && c", "((a && b) && c)"),
        ("a || b || c", "(a || b || c)"),
        ("a == 1 && b != 2", "((a == 1) && (b != 2))"),
        ("a < 1 || b <= 2 || c > 3 || d >= 4", "((a < 1) || (b <= 2) || (c > 3) || (d >= 4))"),
        ("a ~ \"x*\" && b !~ \"y\"", "((a ~ \"x*\") && (b !~ \"y\"))"),
        ("a & 6 == 6", "((a & 6) == 6)"),
        ("6 == a & b & c", "(6 == ((a & b) & c))"),
        ("!a == b", "((!a) == b)"),
        ("!a & b", "((!a) & b)"),
        ("!(a == b)", "(!(a == b))"),
        ("!!a", "(!(!a))"),
        ("-1 == --a", "((-1) == (-(-a)))"),
        ("!-a.b", "(!(-a.b))"),
        ("-a.b.c", "(-a.b.c)"),
        ("(a.b).c", "a.b.c"),
        ("errno::EIO.x", "errno::EIO.x"),
        ("a::b::c == -errno::EIO", "(a::b::c == (-errno::EIO))"),
        ("((a))", "a"),
        ("a!=!b", "(a != (!b))"),
        ("a~\"b\"", "(a ~ \"b\")"),
        ("\"x\" == r\"\\d\" && r##\"a\"#b\"## == y", "((\"x\" == \"\\\\d\") && (\"a\\\"#b\" == y))"),
        ("t > 10ms && s == 0x10 && z < 4KiB", "((t > 10000000ns) && (s == 16) && (z < 4096B))"),
        ("a | b ^ c & d << e + f * g as u8", "(a | (b ^ (c & (d << (e + (f * (g as u8)))))))"),
        ("a * b + c >> d & e ^ f | g == h", "(((((((a * b) + c) >> d) & e) ^ f) | g) == h)"),
        ("a - b - c / d % e", "((a - b) - ((c / d) % e))"),
        ("a << b >> c", "((a << b) >> c)"),
        ("-a as s64 as u8 * 2", "((((-a) as s64) as u8) * 2)"),
        ("!a as u8", "((!a) as u8)"),
        ("10ms as us < a", "((10000000ns as us) < a)"),
        ("a as unsigned long in {1}", "((a as unsigned_long) in {1})"),
        ("a as *user char == b", "((a as *user char) == b)"),
        ("a ~ {\"b*\", C::d, e,} && f !~ {\"g\"}", "((a ~ {\"b*\", C::d, e}) && (f !~ {\"g\"}))"),
        ("a as b::C == b::D", "((a as b::C) == b::D)"),
        ("a | b in {1, 2..=3, -4..=c + 1,} && d", "(((a | b) in {1, 2..=3, (-4)..=(c + 1)}) && d)"),
        ("a in {b in {1}, (c)} || d in {}", "((a in {(b in {1}), c}) || (d in {}))"),
        ("!(a in {\"x\"})", "(!(a in {\"x\"}))"),
        ("a.b(64).c[1](x, y,)->d", "a.b(64).c[1](x, y)->d"),
        ("-a.b(1) & *c->d[&e]", "((-a.b(1)) & (*c->d[(&e)]))"),
        ("a == 10.0.0.1 || a in {10.0.0.0/8}", "((a == <10.0.0.1>) || (a in {<10.0.0.0/8>}))"),
        ("a == 2001:db8::1 && b == ::", "((a == <2001:db8::1>) && (b == <::>))"),
        ("a in {fe80::/10, ::1/128, ::ffff:1.2.3.4}", "(a in {<fe80::/10>, <::1/128>, <::ffff:1.2.3.4>})"),
        ("a == 1:2:3:4:5:6:7:8", "(a == <1:2:3:4:5:6:7:8>)"),
        (
            "a == fe80::1 && b == a::b && c == fe80:0::abcd",
            "((a == <fe80::1>) && (b == a::b) && (c == <fe80::abcd>))",
        ),
        ("cpus & CPUS{0-3,8, 10 - 11}", "(cpus & CPUS[(0, 3), (8, 8), (10, 11)])"),
        ("CPUS == CPUS.x", "(CPUS == CPUS.x)"),
    ] {
        let parsed = parsed(text);
        assert_eq!(show_errors(&format!("a:b if {text}"), &parsed), "");
        assert_eq!(show_expr(&parsed.file.exprs, condition(&parsed)), shown, "{text}");
    }
}

#[test]
fn depth_is_the_longest_path() {
    for (text, depth) in
        [("a", 1), ("(((a)))", 1), ("!a", 2), ("a && b && c", 2), ("a.b.c", 3), ("a == (b & !c)", 4)]
    {
        let parsed = parsed(text);
        assert_eq!(parsed.file.exprs[condition(&parsed)].depth, depth, "{text}");
    }
}

#[test]
fn spans_include_parentheses() {
    let text = "a:b if  ( a.b == (-1) ) ";
    let parsed = parse_one_liner(text);
    let exprs = &parsed.file.exprs;
    let root = condition(&parsed);
    assert_eq!(&text[exprs[root].span.range()], "( a.b == (-1) )");
    let ExprKind::Binary { op, left, right } = &exprs[root].kind else { panic!("{:?}", exprs[root]) };
    assert_eq!(&text[op.span.range()], "==");
    assert_eq!(&text[exprs[*left].span.range()], "a.b");
    assert_eq!(&text[exprs[*right].span.range()], "(-1)");
}

#[test]
fn operands_come_before_what_uses_them() {
    let parsed = parsed("!(a.b == 1 && x::y) || -c & 3 != 0");
    for (id, expr) in parsed.file.exprs.iter() {
        let operands = match &expr.kind {
            ExprKind::Member { base, .. } => vec![*base],
            ExprKind::Unary { operand, .. } => vec![*operand],
            ExprKind::Binary { left, right, .. } => vec![*left, *right],
            ExprKind::And(list) | ExprKind::Or(list) => list.clone(),
            _ => vec![],
        };
        assert!(operands.iter().all(|operand| *operand < id), "{expr:?}");
        assert!(expr.depth <= MAX_DEPTH);
    }
}

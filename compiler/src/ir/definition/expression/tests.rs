//! Tests of how definitions print their expressions.

use tracec_grammar::span::Spanned;

use super::*;
use crate::ir::definition::CType;

/// Adds an expression of an unknown type.
fn add(exprs: &mut Exprs, kind: ExprKind) -> ExprId {
    exprs.push(Expr { kind, ty: None, span: Span::default() })
}

fn name(text: &str) -> Name {
    Spanned::new(text.to_owned(), Span::default())
}

#[test]
fn each_kind_prints_as_c_has_it() {
    let exprs = &mut Exprs::default();
    let (a, b) = (add(exprs, ExprKind::Argument(0)), add(exprs, ExprKind::Field(1)));
    let (one, many) = (add(exprs, ExprKind::Int(1)), add(exprs, ExprKind::Int(u64::MAX)));
    let current = add(exprs, ExprKind::C("current".to_owned()));
    let function = add(exprs, ExprKind::Arrow { base: a, member: name("ops") });
    let value = Value::Text("a\"b\n".to_owned());
    let sum = add(exprs, ExprKind::Binary { op: BinaryOp::Add, left: a, right: one });
    let u8_type = CType { kind: TypeKind::Char { signed: false }, c: "u8".to_owned(), span: Span::default() };
    for (kind, expected) in [
        (ExprKind::Int(42), "42"),
        (ExprKind::Str("tab\t\"".to_owned()), r#""tab\t\"""#),
        (ExprKind::Argument(1), "b"),
        (ExprKind::Field(7), "#7"),
        (ExprKind::Constant { name: "BIG".to_owned(), value: Value::Size(4096) }, "BIG /* 4096 */"),
        (ExprKind::Constant { name: "m::E".to_owned(), value: Value::int(-5) }, "m::E /* -5 */"),
        (ExprKind::Constant { name: "T".to_owned(), value }, r#"T /* "a\"b\n" */"#),
        (ExprKind::C("HZ".to_owned()), "HZ"),
        (ExprKind::Member { base: a, member: name("x") }, "a.x"),
        (ExprKind::Arrow { base: current, member: name("comm") }, "current->comm"),
        (ExprKind::Arrow { base: sum, member: name("x") }, "(a + 1)->x"),
        (ExprKind::Index { base: b, index: sum }, "b[a + 1]"),
        (ExprKind::Call { function: current, args: Vec::new() }, "current()"),
        (ExprKind::Call { function, args: vec![a, sum] }, "a->ops(a, a + 1)"),
        (ExprKind::Cast { operand: sum, ty: u8_type }, "(u8)(a + 1)"),
        (ExprKind::Choose { condition: sum, then: a, otherwise: b }, "(a + 1) ? a : b"),
        (ExprKind::Unary { op: UnaryOp::Not, operand: sum }, "!(a + 1)"),
        (ExprKind::Unary { op: UnaryOp::Deref, operand: a }, "*a"),
        (ExprKind::Unary { op: UnaryOp::AddressOf, operand: a }, "&a"),
        (ExprKind::Unary { op: UnaryOp::Neg, operand: many }, "-18446744073709551615"),
        (ExprKind::Binary { op: BinaryOp::Mul, left: sum, right: b }, "(a + 1) * b"),
        (ExprKind::And(vec![a, sum, b]), "a && (a + 1) && b"),
        (ExprKind::Or(vec![a, b]), "a || b"),
        (
            ExprKind::In {
                operand: sum,
                members: vec![SetMember::One(one), SetMember::Range { first: one, last: many }],
            },
            "(a + 1) in {1, 1..=18446744073709551615}",
        ),
    ] {
        let id = add(exprs, kind);
        assert_eq!(exprs.print(id, &["a", "b"]).to_string(), expected);
    }
}

/// Operands with operators are in parentheses, so that two different trees never print alike.
#[test]
fn trees_of_the_same_operators_print_differently() {
    let exprs = &mut Exprs::default();
    let a = add(exprs, ExprKind::Argument(0));
    for outer in [BinaryOp::Sub, BinaryOp::Shl, BinaryOp::Lt, BinaryOp::BitAnd] {
        let inner = add(exprs, ExprKind::Binary { op: BinaryOp::Sub, left: a, right: a });
        let left = add(exprs, ExprKind::Binary { op: outer, left: inner, right: a });
        let right = add(exprs, ExprKind::Binary { op: outer, left: a, right: inner });
        let op = outer.symbol();
        assert_eq!(exprs.print(left, &["a"]).to_string(), format!("(a - a) {op} a"));
        assert_eq!(exprs.print(right, &["a"]).to_string(), format!("a {op} (a - a)"));
    }
}

#[test]
fn an_arena_counts_lists_and_forgets() {
    let mut exprs = Exprs::default();
    assert!(exprs.is_empty());
    let (a, b) = (add(&mut exprs, ExprKind::Int(1)), add(&mut exprs, ExprKind::Int(2)));
    assert_eq!(
        exprs.iter().map(|(id, expr)| (id, &expr.kind)).collect::<Vec<_>>(),
        [(a, &ExprKind::Int(1)), (b, &ExprKind::Int(2))]
    );
    exprs.truncate(1);
    assert_eq!(exprs.len(), 1);
    assert_eq!(exprs[a].kind, ExprKind::Int(1));
}

//! Operators of expressions that become C.

use std::cmp::Ordering;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, SetMember, UnaryOp};
use tracec_kernel::format::IntegerType;

use crate::diagnostic::codes;
use crate::ir::definition::TypeKind;

use super::super::context::Context;
use super::{INT, Names, Typed, gone, is_raw_pointer, literal, not_in_c, pointed, text, truth, type_of};

pub(super) fn unary(
    expr: &Expr,
    op: UnaryOp,
    operand: ExprId,
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    let in_template = matches!(names, Names::Fields { .. });
    match op {
        UnaryOp::Not if truth(operand, names, context) => Typed::Known(INT),
        UnaryOp::Not => Typed::Mistake,
        UnaryOp::AddressOf | UnaryOp::Deref if in_template => gone(
            expr.span,
            if op == UnaryOp::Deref { "what a pointer leads to" } else { "an address" },
            context,
        ),
        UnaryOp::AddressOf => match type_of(operand, names, context) {
            Typed::Mistake => Typed::Mistake,
            _ => Typed::Known(TypeKind::Pointer { user: false, text: false, to: None }),
        },
        UnaryOp::Deref => match type_of(operand, names, context) {
            Typed::Known(TypeKind::Pointer { to: Some(to), .. }) => pointed(*to),
            Typed::Known(kind) if !is_raw_pointer(&kind) => {
                let span = context.exprs[operand].span;
                context.diagnostics.push(codes::bad_operand::bad_operand(span, "*", kind.describe()));
                Typed::Mistake
            }
            Typed::Mistake => Typed::Mistake,
            _ => Typed::Unknown,
        },
        UnaryOp::Neg => match type_of(operand, names, context) {
            Typed::Known(kind) if !kind.is_integer() => {
                let span = context.exprs[operand].span;
                context.diagnostics.push(codes::bad_operand::bad_operand(span, "-", kind.describe()));
                Typed::Mistake
            }
            Typed::Known(kind) => wider(&kind, &INT),
            other => other,
        },
    }
}

pub(super) fn binary(
    op: BinaryOp,
    op_span: Span,
    left: ExprId,
    right: ExprId,
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    use BinaryOp::{Add, Eq, Ge, Gt, Le, Lt, Match, Ne, NotMatch, Sub};
    if matches!(op, Match | NotMatch) {
        return not_in_c(op_span, "a pattern", "C compares text with `strcmp`", context);
    }
    let (a, b) = (type_of(left, names, context), type_of(right, names, context));
    if a == Typed::Mistake || b == Typed::Mistake {
        return Typed::Mistake;
    }
    let compares = matches!(op, Eq | Ne | Lt | Le | Gt | Ge);
    for (typed, id) in [(&a, left), (&b, right)] {
        let Typed::Known(kind) = typed else { continue };
        // Pointers compare and are counted on; text that is a pointer too compares as one, which nobody means.
        let fits = kind.is_integer()
            || (is_raw_pointer(kind) && !kind.is_text() && (compares || matches!(op, Add | Sub)));
        let null = kind.is_text() && compares && is_null(left, right, context);
        if !fits && !null {
            let span = context.exprs[id].span;
            context.diagnostics.push(codes::bad_operand::bad_operand(span, op.symbol(), kind.describe()));
            return Typed::Mistake;
        }
    }
    match (a, b) {
        _ if compares => Typed::Known(INT),
        (Typed::Known(a), Typed::Known(b)) if a.is_integer() && b.is_integer() => wider(&a, &b),
        _ => Typed::Unknown,
    }
}

/// Whether one side is `NULL` or 0.
fn is_null(left: ExprId, right: ExprId, context: &Context<'_, '_>) -> bool {
    [left, right].into_iter().any(|id| match &context.exprs[id].kind {
        ExprKind::Name(name) => name == "NULL",
        ExprKind::Int(value) => *value == 0,
        _ => false,
    })
}

pub(super) fn choose(
    expr: &Expr,
    parts: [ExprId; 3],
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    let [condition, then, otherwise] = parts;
    let holds = truth(condition, names, context);
    match (type_of(then, names, context), type_of(otherwise, names, context)) {
        (Typed::Mistake, _) | (_, Typed::Mistake) => Typed::Mistake,
        _ if !holds => Typed::Mistake,
        (Typed::Known(a), Typed::Known(b)) if a == b => Typed::Known(a),
        (Typed::Known(a), Typed::Known(b)) if a.is_integer() && b.is_integer() => wider(&a, &b),
        (Typed::Known(a), Typed::Known(b)) if a.is_text() && b.is_text() => {
            Typed::Known(if is_raw_pointer(&a) || is_raw_pointer(&b) { text() } else { literal() })
        }
        (Typed::Known(a), Typed::Known(b)) if is_raw_pointer(&a) && is_raw_pointer(&b) => {
            Typed::Known(TypeKind::Pointer { user: false, text: false, to: None })
        }
        (Typed::Known(a), Typed::Known(b)) => {
            let spans = (context.exprs[then].span, context.exprs[otherwise].span);
            let mistake =
                codes::bad_operand::branches(expr.span, (spans.0, a.describe()), (spans.1, b.describe()));
            context.diagnostics.push(mistake);
            Typed::Mistake
        }
        (Typed::Unknown, known) | (known, Typed::Unknown) => known,
    }
}

/// `x in {1, 3..=5}`: comparisons, as C writes them.
pub(super) fn is_in(
    operand: ExprId,
    members: &[SetMember],
    word: Span,
    names: Names<'_>,
    context: &mut Context<'_, '_>,
) -> Typed {
    let ends = members.iter().flat_map(|member| match *member {
        SetMember::One(value) => vec![value],
        SetMember::Range { first, last } => vec![first, last],
    });
    let mut right = true;
    for id in std::iter::once(operand).chain(ends) {
        match type_of(id, names, context) {
            Typed::Mistake => right = false,
            Typed::Known(kind) if !kind.is_integer() => {
                let span = context.exprs[id].span;
                let mistake = codes::bad_operand::bad_operand(span, "in", kind.describe())
                    .and_at(word, "compares integers");
                context.diagnostics.push(mistake);
                right = false;
            }
            Typed::Known(_) | Typed::Unknown => {}
        }
    }
    if right { Typed::Known(INT) } else { Typed::Mistake }
}

/// The type of an operation on two integers, as C has it: the wider, at least `int`.
fn wider(a: &TypeKind, b: &TypeKind) -> Typed {
    let (Some(a), Some(b)) = (a.integer(), b.integer()) else { return Typed::Unknown };
    let promoted = |ty: IntegerType| if ty.bytes < 4 { IntegerType { bytes: 4, signed: true } } else { ty };
    let (a, b) = (promoted(a), promoted(b));
    let signed = match a.bytes.cmp(&b.bytes) {
        Ordering::Equal => a.signed && b.signed,
        Ordering::Greater => a.signed,
        Ordering::Less => b.signed,
    };
    Typed::Known(TypeKind::Int(IntegerType { bytes: a.bytes.max(b.bytes), signed }))
}

//! Operators of expressions that become C.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{
    BinaryOp as SyntaxBinary, Expr as SyntaxExpr, ExprId as SyntaxId, ExprKind as Syntax,
    SetMember as Member, UnaryOp as SyntaxUnary,
};
use tracec_kernel::condition::ir::{Number, NumberOp, Sign};
use tracec_kernel::format::IntegerType;

use crate::check::condition::arithmetic::{Mix, mix};
use crate::check::condition::render::is_loose;
use crate::diagnostic::codes;
use crate::diagnostic::codes::mixed_signs::MixedSide;
use crate::ir::definition::{BinaryOp, Expr, ExprId, ExprKind, SetMember, TypeKind, UnaryOp, is_error_name};

use super::super::context::Context;
use super::{
    ADDRESS, INT, LITERAL, Typed, VisibleNames, expression, gone, is_raw_pointer, number, pointed, text,
    truth,
};

pub(super) fn unary(
    expr: &SyntaxExpr,
    op: SyntaxUnary,
    operand: SyntaxId,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let in_template = matches!(names, VisibleNames::Fields { .. });
    let wrong = |operand: ExprId, kind: &TypeKind, op: UnaryOp, context: &Context<'_, '_>| {
        codes::bad_operand::bad_operand(context.exprs[operand].span, op.symbol(), kind.describe())
    };
    let (op, operand, ty) = match op {
        SyntaxUnary::Not => (UnaryOp::Not, truth(operand, names, context)?, Some(INT)),
        SyntaxUnary::AddressOf if in_template => return gone(expr.span, "an address", context),
        SyntaxUnary::Deref if in_template => return gone(expr.span, "what a pointer leads to", context),
        SyntaxUnary::AddressOf => (UnaryOp::AddressOf, expression(operand, names, context)?, Some(ADDRESS)),
        SyntaxUnary::Deref => {
            let operand = expression(operand, names, context)?;
            match &context.exprs[operand].ty {
                Some(TypeKind::Pointer { to: Some(to), .. }) => (UnaryOp::Deref, operand, pointed(to)),
                None | Some(TypeKind::Pointer { to: None, .. }) => (UnaryOp::Deref, operand, None),
                Some(kind) => {
                    let mistake = wrong(operand, kind, UnaryOp::Deref, context);
                    return context.say(mistake);
                }
            }
        }
        SyntaxUnary::Neg => {
            let operand = expression(operand, names, context)?;
            match &context.exprs[operand].ty {
                Some(kind) if !kind.is_integer() => {
                    let mistake = wrong(operand, kind, UnaryOp::Neg, context);
                    return context.say(mistake);
                }
                ty => (UnaryOp::Neg, operand, negative(operand, ty.as_ref(), context)),
            }
        }
    };
    Some(Typed { kind: ExprKind::Unary { op, operand }, ty })
}

/// Returns the operator of C; `None` for a pattern match, which C does not have.
fn of_c(op: SyntaxBinary) -> Option<BinaryOp> {
    Some(match op {
        SyntaxBinary::Eq => BinaryOp::Eq,
        SyntaxBinary::Ne => BinaryOp::Ne,
        SyntaxBinary::Lt => BinaryOp::Lt,
        SyntaxBinary::Le => BinaryOp::Le,
        SyntaxBinary::Gt => BinaryOp::Gt,
        SyntaxBinary::Ge => BinaryOp::Ge,
        SyntaxBinary::BitAnd => BinaryOp::BitAnd,
        SyntaxBinary::BitOr => BinaryOp::BitOr,
        SyntaxBinary::BitXor => BinaryOp::BitXor,
        SyntaxBinary::Shl => BinaryOp::Shl,
        SyntaxBinary::Shr => BinaryOp::Shr,
        SyntaxBinary::Add => BinaryOp::Add,
        SyntaxBinary::Sub => BinaryOp::Sub,
        SyntaxBinary::Mul => BinaryOp::Mul,
        SyntaxBinary::Div => BinaryOp::Div,
        SyntaxBinary::Rem => BinaryOp::Rem,
        SyntaxBinary::Match | SyntaxBinary::NotMatch => return None,
    })
}

pub(super) fn binary(
    op: SyntaxBinary,
    op_span: Span,
    left: SyntaxId,
    right: SyntaxId,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let Some(op) = of_c(op) else {
        return context.say(codes::not_in_c::not_in_c(op_span, "a pattern", "C compares text with `strcmp`"));
    };
    let has_null = is_null(left, context) || is_null(right, context);
    let (left_syntax, right_syntax) = (left, right);
    let (left, right) = (expression(left, names, context), expression(right, names, context));
    let (left, right) = (left?, right?);
    let compares = op.compares();
    for id in [left, right] {
        let Some(kind) = &context.exprs[id].ty else { continue };
        // Pointers can be compared, and numbers added to them; a comparison of pointers to text is rarely meant.
        let counts = compares || matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let is_pointer = is_raw_pointer(kind) && !kind.is_text() && counts;
        let is_text = kind.is_text() && compares && has_null;
        if !kind.is_integer() && !is_pointer && !is_text {
            let span = context.exprs[id].span;
            let mistake = codes::bad_operand::bad_operand(span, op.symbol(), kind.describe());
            return context.say(mistake);
        }
    }
    // The count of a shift does not affect the sign.
    if !matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
        same_sign(op_span, (left_syntax, left), (right_syntax, right), context)?;
    }
    let ty = if compares { Some(INT) } else { computed(op, left, right, context) };
    Some(Typed { kind: ExprKind::Binary { op, left, right }, ty })
}

/// Returns the type of an operation on numbers: 64 bits with the sign that both have. Where only C knows an operand of a
/// sum, the sum can be an address.
fn computed(op: BinaryOp, left: ExprId, right: ExprId, context: &Context<'_, '_>) -> Option<TypeKind> {
    let exprs = &context.exprs;
    let is_address = |id: ExprId| exprs[id].ty.as_ref().is_some_and(is_raw_pointer);
    if is_address(left) || is_address(right) {
        return None;
    }
    match (op.number_op()?, exprs.number(left), exprs.number(right)) {
        (op, Some(left), Some(right)) => Some(sixty_four(Number::binary(op, left, right).sign())),
        (NumberOp::Add | NumberOp::Sub, ..) => None,
        (NumberOp::Shl | NumberOp::Shr, left, _) => Some(sixty_four(beside_unknown(left))),
        (_, left, right) => Some(sixty_four(beside_unknown(left.or(right)))),
    }
}

/// Returns the type of `-x`.
fn negative(operand: ExprId, ty: Option<&TypeKind>, context: &Context<'_, '_>) -> Option<TypeKind> {
    let exprs = &context.exprs;
    match (&exprs[operand].kind, exprs.number(operand)) {
        // The negative of an error is an `int` in C, too.
        (ExprKind::C(name), _) if is_error_name(name) => ty.cloned(),
        (_, Some(Number::Const(value))) => Some(number(-value)),
        (_, Some(of)) => Some(sixty_four(Number::binary(NumberOp::Sub, Number::Const(0), of).sign())),
        (_, None) => ty.map(|_| sixty_four(Sign::Signed)),
    }
}

/// Returns the sign that a number has whose other side only C knows: that side counts as `s64`, or as `u64` beside a number
/// that can be above the largest signed one.
fn beside_unknown(known: Option<Number>) -> Sign {
    match known {
        Some(known) if known.range().1 > i128::from(i64::MAX) => Sign::Unsigned,
        _ => Sign::Signed,
    }
}

fn sixty_four(sign: Sign) -> TypeKind {
    TypeKind::Int(IntegerType { bytes: 8, signed: sign == Sign::Signed })
}

/// Refuses two numbers that no 64-bit type represents both of. `None` if a mistake was reported.
fn same_sign(
    op: Span,
    left: (SyntaxId, ExprId),
    right: (SyntaxId, ExprId),
    context: &mut Context<'_, '_>,
) -> Option<()> {
    let numbers = (context.exprs.number(left.1), context.exprs.number(right.1));
    let (Some(a), Some(b)) = numbers else { return Some(()) };
    let side = |id: SyntaxId, number: &Number| MixedSide {
        span: context.syntax[id].span,
        castable: !matches!(number, Number::Const(_)),
        loose: is_loose(&context.syntax[id], context.syntax),
    };
    let (a_side, b_side) = (side(left.0, &a), side(right.0, &b));
    match mix(&a, &b) {
        None => Some(()),
        Some(Mix::SignedFirst) => context.say(codes::mixed_signs::mixed_signs(op, a_side, b_side)),
        Some(Mix::UnsignedFirst) => context.say(codes::mixed_signs::mixed_signs(op, b_side, a_side)),
    }
}

/// Returns whether an expression is written as `NULL` or 0.
fn is_null(id: SyntaxId, context: &Context<'_, '_>) -> bool {
    match &context.syntax[id].kind {
        Syntax::Name(name) => name == "NULL",
        Syntax::Int(value) => *value == 0,
        _ => false,
    }
}

pub(super) fn choose(
    expr: &SyntaxExpr,
    parts: [SyntaxId; 3],
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let condition = truth(parts[0], names, context);
    let (then, otherwise) = (expression(parts[1], names, context), expression(parts[2], names, context));
    let (condition, then, otherwise) = (condition?, then?, otherwise?);
    let [then, otherwise] = named_beside_text([then, otherwise], names, context);
    same_sign(expr.span, (parts[1], then), (parts[2], otherwise), context)?;
    let ty = match (&context.exprs[then].ty, &context.exprs[otherwise].ty) {
        (Some(a), Some(b)) if a == b => Some(a.clone()),
        (Some(a), Some(b)) if a.is_integer() && b.is_integer() => {
            let numbers = [then, otherwise].map(|id| context.exprs.number(id));
            let is_negative = |number: &Option<Number>| number.as_ref().is_none_or(|n| n.range().0 < 0);
            let is_signed = numbers.iter().any(is_negative);
            Some(sixty_four(if is_signed { Sign::Signed } else { Sign::Unsigned }))
        }
        (Some(a), Some(b)) if a.is_text() && b.is_text() => {
            Some(if is_raw_pointer(a) || is_raw_pointer(b) { text(context) } else { LITERAL })
        }
        (Some(a), Some(b)) if is_raw_pointer(a) && is_raw_pointer(b) => Some(ADDRESS),
        (Some(a), Some(b)) => {
            let spans = (context.exprs[then].span, context.exprs[otherwise].span);
            let mistake =
                codes::bad_operand::branches(expr.span, (spans.0, a.describe()), (spans.1, b.describe()));
            return context.say(mistake);
        }
        (known, None) | (None, known) => known.clone(),
    };
    Some(Typed { kind: ExprKind::Choose { condition, then, otherwise }, ty })
}

/// Returns the alternatives of a choice in a template. Where one is a text, the other one is shown by its names if it has
/// any, since a choice has one type.
fn named_beside_text(
    alternatives: [ExprId; 2],
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> [ExprId; 2] {
    let VisibleNames::Fields { delimiter, .. } = names else { return alternatives };
    let is_text = |id: ExprId| {
        let ty = context.exprs[id].ty.as_ref();
        ty.is_some_and(|kind| kind.is_text() && !is_raw_pointer(kind))
    };
    let [then, otherwise] = alternatives;
    let (then_is_text, otherwise_is_text) = (is_text(then), is_text(otherwise));
    let mut named = |operand: ExprId, beside_text: bool| {
        let Expr { span, ty, .. } = &context.exprs[operand];
        match (ty, *span) {
            (&Some(TypeKind::Enum { id: ty, flags, .. }), span) if beside_text => {
                let delimiter = flags.then(|| delimiter.to_owned());
                let kind = ExprKind::Named { operand, ty, delimiter };
                context.exprs.push(Expr { kind, ty: Some(LITERAL), span })
            }
            _ => operand,
        }
    };
    [named(then, otherwise_is_text), named(otherwise, then_is_text)]
}

/// Types `x in {1, 3..=5}` as comparisons in C.
pub(super) fn is_in(
    operand: SyntaxId,
    members: &[Member],
    word: Span,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<Typed> {
    let mut integer = |id: SyntaxId| {
        let expr = expression(id, names, context)?;
        match &context.exprs[expr].ty {
            Some(kind) if !kind.is_integer() => {
                let span = context.exprs[expr].span;
                let mistake = codes::bad_operand::bad_operand(span, "in", kind.describe())
                    .and_at(word, "compares integers");
                context.say(mistake)
            }
            _ => Some(expr),
        }
    };
    let of = operand;
    let operand = integer(operand);
    let member = |member: &Member| match *member {
        Member::One(value) => integer(value).map(SetMember::One),
        Member::Range { first, last } => {
            let (first, last) = (integer(first), integer(last));
            Some(SetMember::Range { first: first?, last: last? })
        }
    };
    let typed: Vec<Option<SetMember>> = members.iter().map(member).collect();
    let typed = typed.into_iter().collect::<Option<Vec<SetMember>>>();
    let (operand, typed) = (operand?, typed?);
    for (written, member) in members.iter().zip(&typed) {
        let ends = match (written, *member) {
            (Member::One(id), SetMember::One(value)) => vec![(*id, value)],
            (Member::Range { first: a, last: b }, SetMember::Range { first, last }) => {
                vec![(*a, first), (*b, last)]
            }
            _ => Vec::new(),
        };
        for end in ends {
            same_sign(word, (of, operand), end, context)?;
        }
    }
    Typed::known(ExprKind::In { operand, members: typed }, INT)
}

//! Which parentheses stay.
//!
//! None is ever added: where the meaning needs them, they are in the text. [`may_go`] lists the places where they
//! neither change the meaning nor help; everywhere else they stay as written.

use crate::syntax::{BinaryOp, ExprKind, UnaryOp};

/// What an expression stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing: it is a whole condition, value, argument or index.
    Whole,
    /// Parentheses that the construct asks for.
    Required,
    /// An operand of `&&` or `||`.
    Logic,
    /// An operand of a comparison, or what `in` looks for.
    Comparison,
    /// The left operand of an operator of this precedence.
    Left(u8),
    /// Any other operand.
    Operand,
    /// What `.`, `->`, `[..]` or `(..)` follows.
    Base,
}

/// What an expression is, as far as parentheses care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Name,
    Literal,
    Postfix,
    Not,
    Negative,
    Arithmetic,
    Comparison,
    Other,
}

/// Whether parentheses around an expression at a place can be left out.
pub(super) fn may_go(place: Place, kind: &ExprKind) -> bool {
    use Form::*;
    match (place, form(kind)) {
        (Place::Required, _) => false,
        (Place::Whole, _) => true,
        (_, Name | Postfix) => true,
        (Place::Base, _) => false,
        (_, Literal) => true,
        (Place::Logic, Not | Comparison) => true,
        (Place::Comparison, Negative | Arithmetic) => true,
        _ => false,
    }
}

fn form(kind: &ExprKind) -> Form {
    match kind {
        ExprKind::Name(_) | ExprKind::Path(_) => Form::Name,
        ExprKind::Int(_)
        | ExprKind::Size(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Address(_)
        | ExprKind::Cpus(_) => Form::Literal,
        ExprKind::Member { .. } | ExprKind::Arrow { .. } | ExprKind::Index { .. } | ExprKind::Call { .. } => {
            Form::Postfix
        }
        ExprKind::Unary { op, .. } => match op.value {
            UnaryOp::Not => Form::Not,
            UnaryOp::Neg => Form::Negative,
            UnaryOp::AddressOf | UnaryOp::Deref => Form::Other,
        },
        ExprKind::Binary { op, .. } if is_comparison(op.value) => Form::Comparison,
        ExprKind::Binary { op, .. } => match op.value {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Form::Arithmetic,
            _ => Form::Other,
        },
        ExprKind::In { .. } => Form::Comparison,
        ExprKind::Error
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Cast { .. }
        | ExprKind::Choose { .. } => Form::Other,
    }
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Match | NotMatch)
}

/// How tightly an operator binds; operators of one precedence may stand side by side.
pub(super) fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge | Match | NotMatch => 0,
        BitOr => 1,
        BitXor => 2,
        BitAnd => 3,
        Shl | Shr => 4,
        Add | Sub => 5,
        Mul | Div | Rem => 6,
    }
}

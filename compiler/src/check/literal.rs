//! Literals as constants of conditions and settings.

use tracec_grammar::syntax::{Expr, ExprKind, Exprs, UnaryOp};

/// A constant written in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// A number, its sign applied.
    Int(i128),
    /// Bytes.
    Size(u64),
    /// Nanoseconds.
    Duration(u64),
    /// A text.
    Text(String),
}

impl Literal {
    /// The literal that an expression is, if it is one.
    pub(super) fn of(expr: &Expr, exprs: &Exprs) -> Option<Literal> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Literal::Int(i128::from(*value))),
            ExprKind::Size(bytes) => Some(Literal::Size(*bytes)),
            ExprKind::Duration(ns) => Some(Literal::Duration(*ns)),
            ExprKind::Str(text) => Some(Literal::Text(text.clone())),
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Neg => {
                match Literal::of(&exprs[*operand], exprs)? {
                    Literal::Int(value) => Some(Literal::Int(-value)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number it stands for where a number is due: a size is a plain factor, a duration is none.
    pub(super) fn number(&self) -> Option<i128> {
        match self {
            Literal::Int(value) => Some(*value),
            Literal::Size(bytes) => Some(i128::from(*bytes)),
            Literal::Duration(_) | Literal::Text(_) => None,
        }
    }

    /// What a diagnostic calls it.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Literal::Int(_) => "a number",
            Literal::Size(_) => "a size",
            Literal::Duration(_) => "a duration",
            Literal::Text(_) => "a text",
        }
    }
}

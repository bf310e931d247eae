//! Expressions as text, for dumps.

use std::fmt::{self, Display, Formatter};

use super::{ExprId, ExprKind, Exprs, SetMember};
use crate::ir::definition::Value;

/// An expression as C would write it, except for sets. An operand that has an operator is in parentheses, so that the
/// text does not depend on precedence; a constant is followed by its value.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    exprs: &'a Exprs,
    id: ExprId,
    names: &'a [&'a str],
}

impl<'a> Printed<'a> {
    pub(super) fn new(exprs: &'a Exprs, id: ExprId, names: &'a [&'a str]) -> Self {
        Printed { exprs, id, names }
    }

    fn at(self, id: ExprId) -> Self {
        Printed { id, ..self }
    }

    /// Writes an operand.
    fn operand(self, id: ExprId, f: &mut Formatter<'_>) -> fmt::Result {
        let has_operator = matches!(
            self.exprs[id].kind,
            ExprKind::Cast { .. }
                | ExprKind::Choose { .. }
                | ExprKind::Unary { .. }
                | ExprKind::Binary { .. }
                | ExprKind::And(_)
                | ExprKind::Or(_)
                | ExprKind::In { .. }
        );
        if has_operator { write!(f, "({})", self.at(id)) } else { self.at(id).fmt(f) }
    }

    /// Writes operands with an operator between them.
    fn chain(self, operands: &[ExprId], operator: &str, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, &operand) in operands.iter().enumerate() {
            if index > 0 {
                write!(f, " {operator} ")?;
            }
            self.operand(operand, f)?;
        }
        Ok(())
    }

    /// Writes the name of an argument or field; without one its index.
    fn name(self, index: usize, f: &mut Formatter<'_>) -> fmt::Result {
        match self.names.get(index) {
            Some(name) => f.write_str(name),
            None => write!(f, "#{index}"),
        }
    }
}

/// Recursion follows the depth of expressions, which the grammar limits.
impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.exprs[self.id].kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Str(text) => write!(f, "{text:?}"),
            ExprKind::Argument(index) | ExprKind::Field(index) => self.name(*index, f),
            ExprKind::Constant { name, value } => match (value, value.number()) {
                (Value::Text(text), _) => write!(f, "{name} /* {text:?} */"),
                (_, Some(number)) => write!(f, "{name} /* {number} */"),
                (other, None) => write!(f, "{name} /* {} */", other.kind().describe()),
            },
            ExprKind::C(name) => f.write_str(name),
            ExprKind::Member { base, member } => {
                self.operand(*base, f)?;
                write!(f, ".{}", member.value)
            }
            ExprKind::Arrow { base, member } => {
                self.operand(*base, f)?;
                write!(f, "->{}", member.value)
            }
            ExprKind::Index { base, index } => {
                self.operand(*base, f)?;
                write!(f, "[{}]", self.at(*index))
            }
            ExprKind::Call { function, args } => {
                self.operand(*function, f)?;
                f.write_str("(")?;
                for (index, &arg) in args.iter().enumerate() {
                    let gap = if index > 0 { ", " } else { "" };
                    write!(f, "{gap}{}", self.at(arg))?;
                }
                f.write_str(")")
            }
            ExprKind::Cast { operand, ty } => {
                write!(f, "({})", ty.c)?;
                self.operand(*operand, f)
            }
            ExprKind::Choose { condition, then, otherwise } => {
                self.operand(*condition, f)?;
                f.write_str(" ? ")?;
                self.operand(*then, f)?;
                f.write_str(" : ")?;
                self.operand(*otherwise, f)
            }
            ExprKind::Named { operand, ty, delimiter } => match delimiter {
                Some(delimiter) => write!(f, "flags({}, {ty:?}, {delimiter:?})", self.at(*operand)),
                None => write!(f, "name({}, {ty:?})", self.at(*operand)),
            },
            ExprKind::Unary { op, operand } => {
                f.write_str(op.symbol())?;
                self.operand(*operand, f)
            }
            ExprKind::Binary { op, left, right } => self.chain(&[*left, *right], op.symbol(), f),
            ExprKind::And(parts) => self.chain(parts, "&&", f),
            ExprKind::Or(parts) => self.chain(parts, "||", f),
            ExprKind::In { operand, members } => {
                self.operand(*operand, f)?;
                f.write_str(" in {")?;
                for (index, member) in members.iter().enumerate() {
                    let gap = if index > 0 { ", " } else { "" };
                    match member {
                        SetMember::One(value) => write!(f, "{gap}{}", self.at(*value))?,
                        SetMember::Range { first, last } => {
                            write!(f, "{gap}{}..={}", self.at(*first), self.at(*last))?;
                        }
                    }
                }
                f.write_str("}")
            }
        }
    }
}

//! Expressions of definitions: what sets a field, the condition of an event, the values of a template.
//!
//! An expression is evaluated for one record at one moment. In a field's value and in a condition that moment is the
//! tracepoint: [`ExprKind::Argument`] names an argument of the tracepoint, and C names are in scope. In a template it
//! is the moment when the record is printed: only [`ExprKind::Field`] is available, which names a recorded field.
//!
//! Numbers have 64 bits, as in the conditions of sessions: [`Exprs::number`] says what an expression of a known type means.
//! One whose type only C knows counts as it does in C beside a number that cannot be negative, and otherwise as `s64`, or as
//! `u64` beside a number that can be above the largest signed one. Sums with a pointer are those of C.
//!
//! Every name is resolved: an [`ExprKind::C`] is left to the C compiler, or to another consumer that knows the kernel's
//! types.

mod print;
#[cfg(test)]
mod tests;

use std::ops::Index;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Name;

use super::types::{CType, TypeKind};
use super::value::{EnumId, Value};

pub use print::Printed;

/// The id of an expression in its [`Exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

/// The expressions of a file's definitions. Operands come before the expressions that use them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exprs {
    nodes: Vec<Expr>,
}

impl Exprs {
    /// Adds an expression behind its operands.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.nodes.push(expr);
        ExprId(self.nodes.len() as u32 - 1)
    }

    /// Returns the number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Removes all expressions except the first `len`, which do not refer to the others.
    pub fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    /// Returns every expression with its id, operands first.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.iter().enumerate().map(|(index, expr)| (ExprId(index as u32), expr))
    }

    /// Returns an expression in a form that prints. `names` are the names of the arguments or fields that its indices
    /// refer to, in their order.
    pub fn print<'a>(&'a self, id: ExprId, names: &'a [&'a str]) -> Printed<'a> {
        Printed::new(self, id, names)
    }
}

impl Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }
}

/// An expression with its type and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// The operation and its operands.
    pub kind: ExprKind,
    /// The type of its value; `None` if only the kernel's headers know it.
    pub ty: Option<TypeKind>,
    /// Where it is written, its parentheses included.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number: `42`, `4KiB`.
    Int(u64),
    /// A string literal.
    Str(String),
    /// The argument of this index: of the tracepoint's class.
    Argument(usize),
    /// The field of this index: of the class or probe whose record is printed.
    Field(usize),
    /// A constant.
    Constant {
        /// The name that it is written by: `BIG`, `Status::Ok`, `errno::EIO`.
        name: String,
        /// Its value: a number, a size or a text.
        value: Value,
    },
    /// A name of C: a macro, a global (`current`, `jiffies`), or the function of a call.
    C(String),
    /// `base.member`
    Member {
        /// The struct.
        base: ExprId,
        /// The member's name.
        member: Name,
    },
    /// `base->member`
    Arrow {
        /// The pointer to the struct.
        base: ExprId,
        /// The member's name.
        member: Name,
    },
    /// `base[index]`
    Index {
        /// The array or pointer.
        base: ExprId,
        /// The element's index.
        index: ExprId,
    },
    /// `function(args)`
    Call {
        /// The function: [`ExprKind::C`], or the [`ExprKind::Arrow`] of a function pointer.
        function: ExprId,
        /// The arguments of the call.
        args: Vec<ExprId>,
    },
    /// A conversion to a type, as C does it.
    Cast {
        /// The value.
        operand: ExprId,
        /// The type.
        ty: CType,
    },
    /// `condition ? then : otherwise`
    Choose {
        /// The condition.
        condition: ExprId,
        /// The value if it holds.
        then: ExprId,
        /// The value if it does not.
        otherwise: ExprId,
    },
    /// The name that an enum has for a value, or the names of the flags that are set in it: a string. Only in a template.
    Named {
        /// The value.
        operand: ExprId,
        /// The enum.
        ty: EnumId,
        /// The separator between the names of two flags; `None` for an enum.
        delimiter: Option<String>,
    },
    /// An operator with one operand.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// An operator with two operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Its left operand.
        left: ExprId,
        /// Its right operand.
        right: ExprId,
    },
    /// `a && b && c`: two or more operands, evaluated up to the first that does not hold.
    And(Vec<ExprId>),
    /// `a || b || c`: two or more operands, evaluated up to the first that holds.
    Or(Vec<ExprId>),
    /// Whether an integer is a member of a set.
    In {
        /// The integer.
        operand: ExprId,
        /// The members of the set.
        members: Vec<SetMember>,
    },
}

impl ExprKind {
    /// Returns the operands in the order they are written.
    pub fn operands(&self) -> Vec<ExprId> {
        match self {
            ExprKind::Int(_)
            | ExprKind::Str(_)
            | ExprKind::Argument(_)
            | ExprKind::Field(_)
            | ExprKind::Constant { .. }
            | ExprKind::C(_) => Vec::new(),
            ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => vec![*base],
            ExprKind::Index { base, index } => vec![*base, *index],
            ExprKind::Call { function, args } => [&[*function], args.as_slice()].concat(),
            ExprKind::Cast { operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Named { operand, .. } => vec![*operand],
            ExprKind::Choose { condition, then, otherwise } => vec![*condition, *then, *otherwise],
            ExprKind::Binary { left, right, .. } => vec![*left, *right],
            ExprKind::And(parts) | ExprKind::Or(parts) => parts.clone(),
            ExprKind::In { operand, members } => {
                let ends = members.iter().flat_map(|member| match *member {
                    SetMember::One(value) => vec![value],
                    SetMember::Range { first, last } => vec![first, last],
                });
                std::iter::once(*operand).chain(ends).collect()
            }
        }
    }
}

/// A member of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetMember {
    /// One value.
    One(ExprId),
    /// All values between two, both of them included.
    Range {
        /// The least value.
        first: ExprId,
        /// The greatest value.
        last: ExprId,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `&`
    AddressOf,
    /// `*`
    Deref,
}

impl UnaryOp {
    /// Returns the operator as C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::AddressOf => "&",
            UnaryOp::Deref => "*",
        }
    }
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`: keeps the sign of a signed operand.
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl BinaryOp {
    /// Returns the operator as C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }

    /// Returns whether it compares its operands, so that its result is an `int`.
    pub fn compares(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

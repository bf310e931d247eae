//! The numbers that expressions stand for, in the form that conditions compute with.
//!
//! A definition computes as a condition of a session does: [`Number`] says what an operation means, and how far its
//! values reach. What only C knows, such as a member of a struct, has no number here: who uses it says how it counts.

use tracec_kernel::condition::ir::{CompareOp, Number, NumberOp};
use tracec_kernel::condition::simplify::reach;
use tracec_kernel::format::{Field, FieldKind, IntegerType};
use tracec_kernel::tables::c_constants;

use super::expression::{BinaryOp, ExprId, ExprKind, Exprs, UnaryOp};

/// What an operator does with two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It computes a number.
    Compute(NumberOp),
    /// It compares them.
    Compare(CompareOp),
}

impl BinaryOp {
    /// Returns what the operator does.
    pub fn operation(self) -> Operation {
        use Operation::{Compare, Compute};
        match self {
            BinaryOp::Add => Compute(NumberOp::Add),
            BinaryOp::Sub => Compute(NumberOp::Sub),
            BinaryOp::Mul => Compute(NumberOp::Mul),
            BinaryOp::Div => Compute(NumberOp::Div),
            BinaryOp::Rem => Compute(NumberOp::Rem),
            BinaryOp::Shl => Compute(NumberOp::Shl),
            BinaryOp::Shr => Compute(NumberOp::Shr),
            BinaryOp::BitAnd => Compute(NumberOp::And),
            BinaryOp::BitOr => Compute(NumberOp::Or),
            BinaryOp::BitXor => Compute(NumberOp::Xor),
            BinaryOp::Eq => Compare(CompareOp::Eq),
            BinaryOp::Ne => Compare(CompareOp::Ne),
            BinaryOp::Lt => Compare(CompareOp::Lt),
            BinaryOp::Le => Compare(CompareOp::Le),
            BinaryOp::Gt => Compare(CompareOp::Gt),
            BinaryOp::Ge => Compare(CompareOp::Ge),
        }
    }

    /// Returns the operation of numbers; `None` for a comparison.
    pub fn number_op(self) -> Option<NumberOp> {
        match self.operation() {
            Operation::Compute(op) => Some(op),
            Operation::Compare(_) => None,
        }
    }

    /// Returns the comparison; `None` for an operation that computes a number.
    pub fn compare_op(self) -> Option<CompareOp> {
        match self.operation() {
            Operation::Compute(_) => None,
            Operation::Compare(op) => Some(op),
        }
    }

    /// Returns whether the low bytes of the result depend on nothing but the low bytes of the operands, apart from the
    /// count of a shift.
    pub fn keeps_low_bytes(self) -> bool {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Sub};
        matches!(self, Add | Sub | Mul | BitAnd | BitOr | BitXor | Shl)
    }
}

/// The functions that a template may call, since every reader of records knows them: MAJOR and MINOR of
/// include/linux/kdev_t.h, which compute and do nothing else.
pub const PRINT_FUNCTIONS: &[&str] = &["MAJOR", "MINOR"];

/// Returns whether a name of C is that of an error: an `int` (include/uapi/asm-generic/errno.h).
pub fn is_error_name(name: &str) -> bool {
    let rest = name.strip_prefix('E').unwrap_or_default();
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

impl Exprs {
    /// Returns the number that an expression stands for; `None` for what is not an integer, or has a type that only C knows.
    ///
    /// The recursion is as deep as the expression.
    pub fn number(&self, id: ExprId) -> Option<Number> {
        let expr = &self[id];
        match &expr.kind {
            ExprKind::Int(value) => Some(Number::Const(i128::from(*value))),
            ExprKind::Constant { value, .. } => value.number().map(Number::Const),
            ExprKind::C(name) => match name.as_str() {
                "true" => Some(Number::Const(1)),
                "false" => Some(Number::Const(0)),
                _ => match c_constants::find(name) {
                    Some(known) => Some(Number::Const(i128::from(known.value))),
                    None => self.leaf(id),
                },
            },
            ExprKind::Unary { op: UnaryOp::Neg, operand } => {
                match (self.number(*operand)?, &self[*operand].kind) {
                    (Number::Const(value), _) => Some(Number::Const(-value)),
                    // The negative of an error is an `int`, as the error is.
                    (_, ExprKind::C(name)) if is_error_name(name) => self.leaf(id),
                    (number, _) => Some(Number::binary(NumberOp::Sub, Number::Const(0), number)),
                }
            }
            ExprKind::Binary { op, left, right } => match op.number_op() {
                None => Some(truth(self.name(id))),
                Some(op) => Some(folded(op, self.number(*left)?, self.number(*right)?)),
            },
            ExprKind::Choose { then, otherwise, .. } => {
                self.number(*then)?;
                self.number(*otherwise)?;
                self.leaf(id)
            }
            ExprKind::Unary { op: UnaryOp::Not, .. }
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::In { .. } => Some(truth(self.name(id))),
            ExprKind::Cast { operand, ty } => match (ty.kind.integer(), self.number(*operand)) {
                // Anything but 0 becomes 1.
                (Some(_), Some(_)) if ty.is_bool() => Some(truth(self.name(id))),
                (Some(to), Some(of)) => Some(Number::Cast { to, of: Box::new(of) }),
                _ => self.leaf(id),
            },
            _ => self.leaf(id),
        }
    }

    /// Returns the number of an expression, as one of 64 bits where only C knows its type: two expressions have the same one
    /// only if they have the same value.
    pub fn number_by_name(&self, id: ExprId) -> Number {
        let whole = IntegerType { bytes: 8, signed: true };
        self.number(id).unwrap_or_else(|| integer(self.name(id), whole))
    }

    /// Returns the smallest and the largest value of an expression; `None` for one without a number.
    pub fn reach(&self, id: ExprId) -> Option<(i128, i128)> {
        reach(&self.number(id)?)
    }

    /// Returns an integer that is not computed.
    fn leaf(&self, id: ExprId) -> Option<Number> {
        let ty = self[id].ty.as_ref()?.integer()?;
        Some(integer(self.name(id), ty))
    }

    /// Returns a name that two expressions share if they are the same one. A call may return something else each time.
    fn name(&self, id: ExprId) -> String {
        let printed = self.print(id, &[]);
        if self.calls(id) { format!("{printed} {id:?}") } else { printed.to_string() }
    }

    /// Returns whether an expression has one value for as long as its arguments have: it reads no memory and calls nothing.
    pub fn is_fixed(&self, id: ExprId) -> bool {
        let kind = &self[id].kind;
        let is_fixed = match kind {
            ExprKind::C(name) => c_constants::find(name).is_some(),
            ExprKind::Member { .. }
            | ExprKind::Arrow { .. }
            | ExprKind::Index { .. }
            | ExprKind::Call { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => false,
            _ => true,
        };
        is_fixed && kind.operands().into_iter().all(|id| self.is_fixed(id))
    }

    /// Returns whether an expression calls a function that does more than compute its value.
    pub fn calls(&self, id: ExprId) -> bool {
        let kind = &self[id].kind;
        let is_call = match kind {
            ExprKind::Call { function, .. } => match &self[*function].kind {
                ExprKind::C(name) => !PRINT_FUNCTIONS.contains(&name.as_str()),
                _ => true,
            },
            _ => false,
        };
        is_call || kind.operands().into_iter().any(|id| self.calls(id))
    }
}

/// Returns `left OP right`; of two constants, the constant.
fn folded(op: NumberOp, left: Number, right: Number) -> Number {
    let value = match (op, &left, &right) {
        (NumberOp::Add, Number::Const(a), Number::Const(b)) => Some(a + b),
        (NumberOp::Sub, Number::Const(a), Number::Const(b)) => Some(a - b),
        (NumberOp::Mul, Number::Const(a), Number::Const(b)) => a.checked_mul(*b),
        (NumberOp::And, Number::Const(a), Number::Const(b)) => Some(a & b),
        (NumberOp::Or, Number::Const(a), Number::Const(b)) => Some(a | b),
        (NumberOp::Xor, Number::Const(a), Number::Const(b)) => Some(a ^ b),
        (NumberOp::Div, Number::Const(a), Number::Const(b)) => a.checked_div(*b),
        (NumberOp::Rem, Number::Const(a), Number::Const(b)) => a.checked_rem(*b),
        (NumberOp::Shl, Number::Const(a), Number::Const(0..64)) => match right {
            Number::Const(count) => a.checked_mul(1_i128 << count),
            _ => None,
        },
        (NumberOp::Shr, Number::Const(a), Number::Const(count @ 0..64)) => Some(a >> count),
        _ => None,
    };
    let (least, greatest) = Number::CONSTANTS;
    match value.filter(|value| (least..=greatest).contains(value)) {
        Some(value) => Number::Const(value),
        None => Number::binary(op, left, right),
    }
}

/// Returns an integer by its name.
fn integer(name: String, ty: IntegerType) -> Number {
    Number::Field(Field {
        name: name.into(),
        type_text: "".into(),
        kind: FieldKind::Int,
        offset: 0,
        size: ty.bytes,
        signed: ty.signed,
    })
}

/// Returns the number of something that holds or does not: 1 or 0.
fn truth(name: String) -> Number {
    let byte = integer(name, IntegerType { bytes: 1, signed: false });
    Number::binary(NumberOp::And, byte, Number::Const(1))
}

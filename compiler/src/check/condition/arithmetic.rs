//! Arithmetic on operands and constants: `bytes / 512`, `flags & 6`, `-x`, `x as u8`.
//!
//! In C, mixed signs are the usual mistake. An operand is extended by its own sign, so that only two kinds of 64-bit
//! numbers exist: one that can be negative, and one that can be above the largest signed number. No 64-bit type
//! represents both. They are not mixed without a cast that says which is meant.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, TypeRef};
use tracec_kernel::condition::ir::{Number, NumberOp};
use tracec_kernel::tables::{c_types, packed_flags};

use crate::constant::{ConstType, Failure, NoConstType, const_eval, const_type, is_constant};
use crate::diagnostic::codes;
use crate::diagnostic::codes::mixed_signs::MixedSide;
use crate::ir::definition::Value;

use super::Checker;
use super::compare::in_kernel;
use super::operand::{Class, Computed, NamedOperand, Operand, Side, ValueNames};
use super::render::{is_loose, render};

/// One operand of an operation.
struct Term {
    number: Number,
    id: ExprId,
}

impl Checker<'_> {
    /// Types `left OP right`, with an operand of the record on at least one side. `None` if a mistake was reported.
    pub(super) fn arithmetic(
        &mut self,
        whole: &Expr,
        op: &Spanned<BinaryOp>,
        left: ExprId,
        right: ExprId,
    ) -> Option<Side> {
        // Both sides are typed, so that each mistake is found.
        let sides = (self.side(left), self.side(right));
        match (sides.0?, sides.1?) {
            (Side::Operand(a), Side::Operand(b)) => {
                self.numeric(&a, op)?;
                self.numeric(&b, op)?;
                let names = if is_bitwise(op.value) { a.operand.value_names() } else { None };
                let term = |named: NamedOperand, id| Term { number: named.operand.number(), id };
                self.compute(whole, op, (term(a, left), term(b, right)), names)
            }
            (Side::Operand(named), Side::Cpus(cpus, at)) | (Side::Cpus(cpus, at), Side::Operand(named)) => {
                self.with_cpus(whole, op, &named, &cpus, at)
            }
            (Side::Operand(named), Side::Constant(id)) => {
                self.with_constant(whole, op, (&named, left), id, false)
            }
            (Side::Constant(id), Side::Operand(named)) => {
                self.with_constant(whole, op, (&named, right), id, true)
            }
            (Side::Test(_, span), _) | (_, Side::Test(_, span)) => {
                self.say(codes::no_comparand::no_comparand(span, "a condition with a value"))
            }
            (Side::Constant(a), Side::Constant(b))
                if let Some((id, word)) =
                    [a, b].into_iter().find_map(|id| Some((id, self.unknown_word(id)?))) =>
            {
                self.unknown(&word, self.exprs[id].span)
            }
            (Side::Constant(_) | Side::Cpus(..), Side::Constant(_) | Side::Cpus(..)) => {
                self.say(codes::no_comparand::no_comparand(whole.span, "two constants"))
            }
        }
    }

    /// Types `-x`.
    pub(super) fn negative(&mut self, whole: &Expr, op: Span, operand: ExprId) -> Option<Side> {
        let named = self.number_operand(operand, "-", op)?;
        let number = Number::binary(NumberOp::Sub, Number::Const(0), named.operand.number());
        Some(self.computed(whole, Computed { number, mask: None, names: None }))
    }

    /// Types `x as T`.
    pub(super) fn cast(&mut self, whole: &Expr, operand: ExprId, ty: &TypeRef) -> Option<Side> {
        let named = self.number_operand(operand, "as", ty.span)?;
        let scope = self.context.group.names.scope(None);
        let (to, names) = match const_type(ty, &scope) {
            // The cast to C's own type does not suggest that it keeps the low byte, as one to `u8` does.
            Ok(ConstType::Int { name, .. }) if c_types::find(&name).is_some_and(|ty| ty.name == "bool") => {
                let said = codes::bad_cast::bad_cast(ty.span, &named.name, &name);
                return self
                    .say(said.help(format!("`{} != 0` asks whether it is anything but 0", named.name)));
            }
            Ok(ConstType::Int { ty, .. }) => (ty, named.operand.value_names()),
            Ok(ConstType::Enum { id, ty }) => (ty.carrier, Some(ValueNames::Enum(id))),
            Ok(other) => return self.say(codes::bad_cast::bad_cast(ty.span, &named.name, other.name())),
            Err(NoConstType::Form(span)) => {
                return self.say(codes::bad_cast::bad_cast(span, &named.name, "this"));
            }
            Err(NoConstType::Failure(Failure::Mistake(said))) => return self.say(*said),
            Err(NoConstType::Failure(Failure::Reported)) => return None,
        };
        let number = Number::Cast { to, of: Box::new(named.operand.number()) };
        Some(self.computed(whole, Computed { number, mask: None, names }))
    }

    /// Types the operand of an operation with one operand; it is a number.
    fn number_operand(&mut self, id: ExprId, op: &str, op_span: Span) -> Option<NamedOperand> {
        let named = self.operand_alone(id)?;
        if named.is_number() {
            return Some(named);
        }
        let (is, ops) = (named.class().describe(), named.class().operators());
        self.say(codes::bad_operator::bad_operator(op_span, op, &named.name, is, ops))
    }

    /// Refuses operands that arithmetic does not support. `None` if a mistake was reported.
    fn numeric(&mut self, named: &NamedOperand, op: &Spanned<BinaryOp>) -> Option<()> {
        match named.class() {
            Class::Integer | Class::Cpu => Some(()),
            Class::Text | Class::Function | Class::Cpumask => self.bad_operator(named, op),
            Class::Nothing => self.not_filterable(named),
        }
    }

    /// Types `cpu & CPUS{0-3}`.
    fn with_cpus(
        &mut self,
        whole: &Expr,
        op: &Spanned<BinaryOp>,
        named: &NamedOperand,
        cpus: &[(u32, u32)],
        at: Span,
    ) -> Option<Side> {
        if op.value != BinaryOp::BitAnd {
            let said = codes::cpu_list_operator::cpu_list_operator(at, op.value.symbol(), &named.name);
            return self.say(said);
        }
        self.on_cpus(named, cpus, at).map(|condition| Side::Test(condition, whole.span))
    }

    /// Types an operation of an operand and a constant; `turned` where the constant stands on the left.
    fn with_constant(
        &mut self,
        whole: &Expr,
        op: &Spanned<BinaryOp>,
        (named, operand): (&NamedOperand, ExprId),
        constant: ExprId,
        turned: bool,
    ) -> Option<Side> {
        let at = self.exprs[constant].span;
        // A list of CPUs may be a named constant.
        if op.value == BinaryOp::BitAnd
            && let Some((cpus, at)) = self.cpus(constant)
        {
            return self.with_cpus(whole, op, named, &cpus, at);
        }
        self.numeric(named, op)?;
        let own = self.own_names(named, constant);
        let value = self.comparand(constant, named, own.as_ref())?;
        let Some(number) = value.number() else {
            return self.mismatch(named, "a number", &value, constant);
        };
        if let Some(of) = self.scope(own.as_ref()).enum_of(&value)
            && is_bitwise(op.value)
            && !of.flags
        {
            let (is, ops) = (format!("a member of {} `{}`", of.word(), of.name), "`==`, `!=` and `in`");
            let name = render(&self.exprs[constant], self.exprs);
            if op.value == BinaryOp::BitAnd
                && let Some(packed) = packed_flags::find(&of.name)
            {
                let masked = format!("{} & {} == {name}", named.name, packed.mask);
                return self.say(codes::bad_operator::of_packed(op.span, &name, &is, &masked));
            }
            return self.say(codes::bad_operator::bad_operator(op.span, op.value.symbol(), &name, &is, ops));
        }
        if op.value == BinaryOp::BitAnd {
            return self.masked(whole, named, number, at);
        }
        if !turned {
            self.right_constant(op, number, at)?;
        }
        let names = if is_bitwise(op.value) { named.operand.value_names() } else { None };
        let operand = Term { number: named.operand.number(), id: operand };
        let constant = Term { number: Number::Const(number), id: constant };
        let terms = if turned { (constant, operand) } else { (operand, constant) };
        self.compute(whole, op, terms, names)
    }

    /// Refuses a constant on the right for which the operation has no value. `None` if a mistake was reported.
    fn right_constant(&mut self, op: &Spanned<BinaryOp>, number: i128, at: Span) -> Option<()> {
        match op.value {
            BinaryOp::Div | BinaryOp::Rem if number == 0 => {
                self.say(codes::division_by_zero::division_by_zero(op.span, at))
            }
            BinaryOp::Shl | BinaryOp::Shr if !(0..64).contains(&number) => {
                self.say(codes::shift_too_far::shift_too_far(at, number))
            }
            _ => Some(()),
        }
    }

    /// Types `x & mask`. A mask has the width of the operand, and is written as an unsigned number, or as a value of
    /// the operand's type.
    fn masked(&mut self, whole: &Expr, named: &NamedOperand, value: i128, at: Span) -> Option<Side> {
        let number = named.operand.number();
        let (low, high) = number.range();
        let width = match &number {
            Number::Field(field) => field.integer().map_or(64, |integer| 8 * integer.bytes),
            Number::Cast { to, .. } => 8 * to.bytes,
            Number::Cpu | Number::Pid | Number::Tgid => 32,
            Number::Const(_) | Number::Binary { .. } => 64,
        };
        if value < low || value > high.max((1 << width) - 1) {
            let kernel = in_kernel(named, value);
            return self.say(codes::out_of_range::of_width(at, value, &named.name, width, kernel));
        }
        let bits = value as u64;
        // The top bit of a signed 64-bit number makes it negative.
        let mask = if low < 0 { i128::from(bits as i64) } else { value };
        let names = named.operand.value_names();
        let number = Number::binary(NumberOp::And, number, Number::Const(mask));
        Some(self.computed(whole, Computed { number, mask: Some(bits), names }))
    }

    /// Types `left OP right` of numbers whose signs agree.
    fn compute(
        &mut self,
        whole: &Expr,
        op: &Spanned<BinaryOp>,
        (left, right): (Term, Term),
        names: Option<ValueNames>,
    ) -> Option<Side> {
        let Some(number_op) = number_op(op.value) else {
            return self.say(codes::no_comparand::no_comparand(whole.span, "a condition with a value"));
        };
        // The count of a shift does not affect the sign: outside of 0 to 63, there is no value at all.
        if !matches!(number_op, NumberOp::Shl | NumberOp::Shr) {
            self.same_sign(op.span, (&left.number, left.id), (&right.number, right.id))?;
        }
        let number = Number::binary(number_op, left.number, right.number);
        Some(self.computed(whole, Computed { number, mask: None, names }))
    }

    /// Refuses two numbers that no 64-bit type represents both of. `None` if a mistake was reported.
    pub(super) fn same_sign(
        &mut self,
        op: Span,
        left: (&Number, ExprId),
        right: (&Number, ExprId),
    ) -> Option<()> {
        let (signed, unsigned) = match mix(left.0, right.0) {
            None => return Some(()),
            Some(Mix::SignedFirst) => (left, right),
            Some(Mix::UnsignedFirst) => (right, left),
        };
        let side = |(number, id): (&Number, ExprId)| {
            let expr = &self.exprs[id];
            MixedSide {
                span: expr.span,
                // A cast of a constant would only hide its value.
                castable: !matches!(number, Number::Const(_)),
                loose: is_loose(expr, self.exprs),
            }
        };
        self.say(codes::mixed_signs::mixed_signs(op, side(signed), side(unsigned)))
    }

    fn computed(&self, whole: &Expr, computed: Computed) -> Side {
        let name = render(whole, self.exprs);
        Side::Operand(NamedOperand { operand: Operand::Computed(computed), name, span: whole.span })
    }

    /// Returns the CPUs that an expression lists, if it is such a list or a constant that is one.
    pub(super) fn cpus(&self, id: ExprId) -> Option<(Vec<(u32, u32)>, Span)> {
        let expr = &self.exprs[id];
        let scope = self.context.group.names.scope(None);
        match &expr.kind {
            ExprKind::Cpus(cpus) => Some((cpus.clone(), expr.span)),
            ExprKind::Name(_) | ExprKind::Path(_) if is_constant(id, self.exprs, &scope) => {
                match const_eval(id, self.exprs, &scope) {
                    Ok(Value::Cpus(cpus)) => Some((cpus, expr.span)),
                    // A value of another kind, or a mistake, is reported where the value is used.
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The order of two numbers that no 64-bit type represents both of.
pub(in crate::check) enum Mix {
    SignedFirst,
    UnsignedFirst,
}

/// Returns the order of two numbers if one can be negative and the other one above the largest signed number.
pub(in crate::check) fn mix(left: &Number, right: &Number) -> Option<Mix> {
    let negative = |number: &Number| number.range().0 < 0;
    let large = |number: &Number| number.range().1 > i128::from(i64::MAX);
    if negative(left) && large(right) {
        Some(Mix::SignedFirst)
    } else if negative(right) && large(left) {
        Some(Mix::UnsignedFirst)
    } else {
        None
    }
}

/// Returns whether names of bits keep their meaning through the operation.
fn is_bitwise(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
}

fn number_op(op: BinaryOp) -> Option<NumberOp> {
    Some(match op {
        BinaryOp::Add => NumberOp::Add,
        BinaryOp::Sub => NumberOp::Sub,
        BinaryOp::Mul => NumberOp::Mul,
        BinaryOp::Div => NumberOp::Div,
        BinaryOp::Rem => NumberOp::Rem,
        BinaryOp::Shl => NumberOp::Shl,
        BinaryOp::Shr => NumberOp::Shr,
        BinaryOp::BitAnd => NumberOp::And,
        BinaryOp::BitOr => NumberOp::Or,
        BinaryOp::BitXor => NumberOp::Xor,
        _ => return None,
    })
}

//! Expressions that are numbers or addresses.

use super::compile::{Compiler, Local, Result};
use super::error::TextErrorKind;
use super::program::{Arithmetic, Op, Small};
use super::style::Dialect;
use super::types::{INT, LONG, Type, UNSIGNED, UNSIGNED_LONG, common, promoted};
use crate::c::{BinaryOperator, Expr, ExprId, TypeName, UnaryOperator};
use crate::tables::c_types::IntegerType;
use crate::tables::enumerators;
use crate::tables::print_helpers::{HelperResult, PrintHelper};

impl Compiler<'_> {
    /// Compiles an expression to one value on the stack, and returns its type. An array or a struct is its address.
    pub(super) fn value(&mut self, id: ExprId) -> Result<Type> {
        if let Some(constant) = self.tree.constant(id) {
            self.emit(Op::Number(constant.bits()));
            return Ok(Type::Integer(constant.integer()));
        }
        match self.tree.expression(id) {
            Expr::Integer { value, integer } => {
                self.emit(Op::Number(*value));
                Ok(Type::Integer(*integer))
            }
            Expr::Char(byte) => {
                self.emit(Op::Number(u64::from(*byte)));
                Ok(Type::Integer(INT))
            }
            Expr::Str { value, .. } => {
                let start = self.add_string(value);
                self.emit(Op::Data(start));
                Ok(Type::string())
            }
            Expr::Record => {
                self.emit(Op::Record(0));
                Ok(Type::pointer(Type::Void))
            }
            Expr::Paren(inner) => self.value(*inner),
            Expr::Name(name) => self.name(id, name),
            Expr::Unary { operator, operand } => self.unary(id, *operator, *operand),
            Expr::Binary { operator, left, right } => self.binary(id, *operator, *left, *right),
            Expr::Conditional { condition, then, otherwise } => self.choice(*condition, *then, *otherwise),
            Expr::Cast { ty, operand } => self.cast(id, ty, *operand),
            Expr::SizeOfType(ty) => {
                let ty = self.type_of_name(id, ty)?;
                self.size_value(id, &ty)
            }
            Expr::SizeOf(operand) => {
                let ty = self.type_of(*operand)?;
                self.size_value(id, &ty)
            }
            Expr::Compound { ty, list } => self.compound(id, ty, *list),
            Expr::Member { .. } | Expr::Index { .. } => self.load(id),
            Expr::Call { function, arguments } => self.call(id, *function, arguments),
            Expr::Block(statements) => self.block_value(id, statements),
            Expr::Dynamic { helper, field, index, .. } => self.dynamic(id, helper, field, *index),
            Expr::Helper { helper, .. } => self.helper(id, helper),
            Expr::Table(_) => self.error(id, TextErrorKind::NoValue),
            Expr::Assign { .. } | Expr::Type(_) | Expr::List { .. } => self.error(id, TextErrorKind::Form),
        }
    }

    /// Compiles an expression as an integer of a type.
    pub(super) fn integer(&mut self, id: ExprId, integer: IntegerType) -> Result<()> {
        let ty = self.value(id)?;
        self.convert(ty.integer(), integer);
        Ok(())
    }

    /// Converts the top of the stack.
    pub(super) fn convert(&mut self, from: IntegerType, to: IntegerType) {
        if let Some(op) = conversion(from, to) {
            self.emit(op);
        }
    }

    /// Returns the type of an expression without its code.
    pub(super) fn type_of(&mut self, id: ExprId) -> Result<Type> {
        // An array or a struct has its own size, and its address another one.
        let mut inner = Compiler::new(self.format, self.tree, self.environment, self.dialect());
        inner.scope = self.scope.clone();
        match inner.place(id) {
            Ok(ty) => Ok(ty),
            Err(_) => {
                let mut inner = Compiler::new(self.format, self.tree, self.environment, self.dialect());
                inner.scope = self.scope.clone();
                inner.value(id)
            }
        }
    }

    pub(super) fn type_of_name(&mut self, id: ExprId, ty: &TypeName) -> Result<Type> {
        match Type::parse(ty.text()) {
            Some(ty) => Ok(ty),
            None => self.error(id, TextErrorKind::Type(ty.text().to_owned())),
        }
    }

    /// Returns the size of a type in bytes.
    pub(super) fn size(&mut self, id: ExprId, ty: &Type) -> Result<u32> {
        if let Some(size) = ty.size(self.environment) {
            return Ok(size);
        }
        match ty {
            Type::Aggregate { name, .. } => self.error(id, TextErrorKind::Type(name.to_string())),
            _ => self.error(id, TextErrorKind::Type(format!("{ty:?}"))),
        }
    }

    fn size_value(&mut self, id: ExprId, ty: &Type) -> Result<Type> {
        let size = self.size(id, ty)?;
        self.emit(Op::Number(u64::from(size)));
        Ok(Type::Integer(UNSIGNED_LONG))
    }

    fn name(&mut self, id: ExprId, name: &str) -> Result<Type> {
        if let Some(local) = self.local(name) {
            return match local {
                Local::Slot { slot, ty } => {
                    self.emit(Op::Local(slot));
                    Ok(ty)
                }
                Local::Array { data, ty } => {
                    self.emit(Op::Data(data));
                    Ok(ty)
                }
                Local::Packed { .. } | Local::Strings { .. } | Local::Output => {
                    self.error(id, TextErrorKind::NoValue)
                }
            };
        }
        if name == "NULL" {
            self.emit(Op::Number(0));
            return Ok(Type::pointer(Type::Void));
        }
        // libtraceevent takes a name for 0.
        if self.dialect() == Dialect::TraceCmd {
            self.emit(Op::Number(0));
            return Ok(Type::Integer(INT));
        }
        let of_table = || enumerators::find(name, self.environment.release()).map(i128::from);
        let known = self.environment.enumerator(name).or_else(of_table);
        if let Some(value) = known {
            self.emit(Op::Number(value as u64));
            // The type of an enumerator is `int` if that holds its value.
            let fits = |integer: &IntegerType| integer.min() <= value && value <= integer.max();
            let integer = [INT, UNSIGNED, LONG].into_iter().find(fits);
            return Ok(Type::Integer(integer.unwrap_or(UNSIGNED_LONG)));
        }
        match self.environment.variable(name) {
            Some(value) => {
                self.emit(Op::Number(value));
                Ok(Type::Integer(UNSIGNED_LONG))
            }
            None if self.unknown(name) => Ok(Type::Integer(UNSIGNED_LONG)),
            None => self.error(id, TextErrorKind::Unresolved(name.to_owned())),
        }
    }

    fn unary(&mut self, id: ExprId, operator: UnaryOperator, operand: ExprId) -> Result<Type> {
        match operator {
            UnaryOperator::Address => Ok(Type::pointer(self.place(operand)?)),
            UnaryOperator::Dereference => self.load(id),
            UnaryOperator::Not => {
                self.value(operand)?;
                self.emit(Op::Not);
                Ok(Type::Integer(INT))
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                let first = match operator {
                    UnaryOperator::Minus => Some(0),
                    UnaryOperator::Complement => Some(u64::MAX),
                    _ => None,
                };
                if let Some(first) = first {
                    self.emit(Op::Number(first));
                }
                let integer = promoted(self.value(operand)?.integer());
                match operator {
                    UnaryOperator::Minus => self.emit(Op::Binary(Arithmetic::Subtract)),
                    UnaryOperator::Complement => self.emit(Op::Binary(Arithmetic::Xor)),
                    _ => {}
                }
                if first.is_some() {
                    self.convert(UNSIGNED_LONG, integer);
                }
                Ok(Type::Integer(integer))
            }
        }
    }

    fn binary(&mut self, id: ExprId, operator: BinaryOperator, left: ExprId, right: ExprId) -> Result<Type> {
        use BinaryOperator::*;
        if matches!(operator, And | Or) {
            return self.logic(operator == And, left, right);
        }
        let left_type = self.value(left)?;
        let place = self.reserve();
        if matches!(operator, ShiftLeft | ShiftRight) {
            let integer = promoted(left_type.integer());
            self.value(right)?;
            let bits = 8 * integer.bytes as u8;
            self.emit(Op::Binary(match operator {
                ShiftLeft => Arithmetic::ShiftLeft { bits },
                _ => Arithmetic::ShiftRight { bits, signed: integer.signed },
            }));
            self.convert(UNSIGNED_LONG, integer);
            return Ok(Type::Integer(integer));
        }
        if matches!(operator, Add | Subtract)
            && let Some(target) = left_type.target()
        {
            let size = match (self.size(id, target), target) {
                // libtraceevent adds as many bytes.
                _ if self.dialect() == Dialect::TraceCmd => 1,
                (Err(error), Type::Aggregate { name, .. }) => {
                    // Only the kernel knows how far apart its elements are.
                    self.emit(Op::Drop);
                    return match self.unknown(&format!("struct {name}")) {
                        true => Ok(Type::pointer(target.clone())),
                        false => Err(error),
                    };
                }
                (size, _) => size?,
            };
            let right_type = self.value(right)?;
            if let Some(other) = right_type.target() {
                let bytes = self.size(id, other)?;
                self.emit(Op::Binary(Arithmetic::Subtract));
                self.emit(Op::Number(u64::from(bytes)));
                self.emit(Op::Binary(Arithmetic::Divide { signed: true }));
                return Ok(Type::Integer(LONG));
            }
            self.scale(size);
            let sum = if operator == Add { Arithmetic::Add } else { Arithmetic::Subtract };
            self.emit(Op::Binary(sum));
            return Ok(Type::pointer(target.clone()));
        }
        let right_type = self.value(right)?;
        if operator == Add && right_type.target().is_some() {
            // The number stands first; only addresses of bytes need no factor.
            let target = right_type.target().cloned().unwrap_or(Type::Void);
            if self.size(id, &target)? != 1 {
                return self.error(id, TextErrorKind::Form);
            }
            self.emit(Op::Binary(Arithmetic::Add));
            return Ok(Type::pointer(target));
        }
        let (from, integer) = (right_type.integer(), common(left_type.integer(), right_type.integer()));
        self.convert(from, integer);
        if let Some(op) = conversion(left_type.integer(), integer) {
            self.replace(place, op);
        }
        let signed = integer.signed;
        let (operation, negate) = match operator {
            Multiply => (Arithmetic::Multiply, false),
            Divide => (Arithmetic::Divide { signed }, false),
            Remainder => (Arithmetic::Remainder { signed }, false),
            Add => (Arithmetic::Add, false),
            Subtract => (Arithmetic::Subtract, false),
            BitAnd => (Arithmetic::And, false),
            BitXor => (Arithmetic::Xor, false),
            BitOr => (Arithmetic::Or, false),
            Equal => (Arithmetic::Equal, false),
            NotEqual => (Arithmetic::Equal, true),
            Less => (Arithmetic::Less { signed }, false),
            LessEqual => (Arithmetic::LessEqual { signed }, false),
            Greater => (Arithmetic::LessEqual { signed }, true),
            GreaterEqual => (Arithmetic::Less { signed }, true),
            ShiftLeft | ShiftRight | And | Or => return self.error(id, TextErrorKind::Form),
        };
        self.emit(Op::Binary(operation));
        if negate {
            self.emit(Op::Not);
        }
        if matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) {
            return Ok(Type::Integer(INT));
        }
        self.convert(UNSIGNED_LONG, integer);
        Ok(Type::Integer(integer))
    }

    /// Multiplies the top of the stack by the size of an element.
    pub(super) fn scale(&mut self, size: u32) {
        if size != 1 {
            self.emit(Op::Number(u64::from(size)));
            self.emit(Op::Binary(Arithmetic::Multiply));
        }
    }

    /// Compiles `&&` or `||`: the right side is not evaluated where the left one decides.
    fn logic(&mut self, and: bool, left: ExprId, right: ExprId) -> Result<Type> {
        self.value(left)?;
        let decided = self.jump(if and { Op::JumpIfZero } else { Op::JumpIfNotZero });
        self.value(right)?;
        self.emit(Op::Truth);
        let end = self.jump(Op::Jump);
        self.land(decided);
        self.forget(1);
        self.emit(Op::Number(u64::from(!and)));
        self.land(end);
        Ok(Type::Integer(INT))
    }

    fn choice(&mut self, condition: ExprId, then: Option<ExprId>, otherwise: ExprId) -> Result<Type> {
        let condition_type = self.value(condition)?;
        let (then_type, place, end) = match then {
            Some(then) => {
                let skip = self.jump(Op::JumpIfZero);
                let ty = self.value(then)?;
                let place = self.reserve();
                let end = self.jump(Op::Jump);
                self.land(skip);
                (ty, place, end)
            }
            None => {
                let place = self.reserve();
                self.emit(Op::Duplicate);
                let end = self.jump(Op::JumpIfNotZero);
                (condition_type, place, end)
            }
        };
        match then {
            Some(_) => self.forget(1),
            // The condition, which is 0, is still there.
            None => self.emit(Op::Drop),
        }
        let otherwise_type = self.value(otherwise)?;
        let address = [&then_type, &otherwise_type].into_iter().find_map(|ty| match ty {
            Type::Pointer(_) => Some(ty.clone()),
            Type::Array(element, _) => Some(Type::Pointer(element.clone())),
            _ => None,
        });
        let ty = match (address, then_type == otherwise_type) {
            (Some(address), _) => address,
            (None, true) if matches!(then_type, Type::Aggregate { .. }) => then_type.clone(),
            (None, _) => {
                let integer = common(then_type.integer(), otherwise_type.integer());
                self.convert(otherwise_type.integer(), integer);
                if let Some(op) = conversion(then_type.integer(), integer) {
                    self.replace(place, op);
                }
                Type::Integer(integer)
            }
        };
        self.land(end);
        Ok(ty)
    }

    fn cast(&mut self, id: ExprId, ty: &TypeName, operand: ExprId) -> Result<Type> {
        let ty = self.type_of_name(id, ty)?;
        let from = self.value(operand)?;
        match &ty {
            Type::Bool => self.emit(Op::Truth),
            Type::Integer(integer) => self.convert(from.integer(), *integer),
            Type::Pointer(_) => {}
            Type::Array(..) | Type::Aggregate { .. } | Type::Void => {
                return self.error(id, TextErrorKind::Form);
            }
        }
        Ok(ty)
    }

    /// Compiles a helper that yields a number or an address.
    fn dynamic(
        &mut self,
        id: ExprId,
        helper: &'static PrintHelper,
        field: &str,
        index: Option<ExprId>,
    ) -> Result<Type> {
        match helper.result {
            HelperResult::Str | HelperResult::DynamicArray | HelperResult::Sockaddr => {
                self.location(id, field, index)?;
                self.emit(Op::Locate { relative: helper.relative });
                Ok(match helper.result {
                    HelperResult::Str => Type::string(),
                    HelperResult::Sockaddr => {
                        Type::pointer(Type::Aggregate { name: "sockaddr".into(), size: None })
                    }
                    _ => Type::pointer(Type::Void),
                })
            }
            HelperResult::DynamicArrayLen => {
                self.location(id, field, index)?;
                self.emit(Op::LocatedLength);
                Ok(Type::Integer(UNSIGNED))
            }
            _ => self.error(id, TextErrorKind::NoValue),
        }
    }

    /// Compiles a helper that asks for the flags of the common header (`TRACE_FLAG_HARDIRQ`, `TRACE_FLAG_SOFTIRQ` in
    /// include/linux/trace_events.h).
    fn helper(&mut self, id: ExprId, helper: &'static PrintHelper) -> Result<Type> {
        let mask = match helper.result {
            HelperResult::InHardirq => 0x08,
            HelperResult::InSoftirq => 0x10,
            HelperResult::InIrq => 0x18,
            HelperResult::Buf => return self.error(id, TextErrorKind::Function(helper.name.to_owned())),
            _ => return self.error(id, TextErrorKind::NoValue),
        };
        let flags = self.format.common_fields().iter().find(|field| field.name == "common_flags");
        let Some(offset) = flags.map(|field| field.offset) else {
            return self.error(id, TextErrorKind::Field("common_flags".to_owned()));
        };
        self.emit(Op::Field { offset, integer: Small { bytes: 1, signed: false } });
        self.emit(Op::Number(mask));
        self.emit(Op::Binary(Arithmetic::And));
        Ok(Type::Integer(INT))
    }
}

/// Returns the instruction that converts an integer, where its bits change.
pub(super) fn conversion(from: IntegerType, to: IntegerType) -> Option<Op> {
    let keeps = to.bytes >= 8 || (to.min() <= from.min() && from.max() <= to.max());
    (!keeps).then(|| Op::Extend(to.into()))
}

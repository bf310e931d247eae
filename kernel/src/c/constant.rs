//! Constant expressions of C, on machines with a `long` of 64 bits.

use super::tree::{BinaryOperator, Expr, ExprId, Tree, UnaryOperator};
use crate::tables::c_types::IntegerType;

/// A constant with its type: `1 << 31` is an `int` and negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    value: i128,
    integer: IntegerType,
}

const INT: IntegerType = IntegerType { bytes: 4, signed: true };
const SIZE: IntegerType = IntegerType { bytes: 8, signed: false };

impl Constant {
    /// Returns the value converted to its type. A value that is too large wraps, as it does in the kernel, which is
    /// compiled with -fno-strict-overflow.
    fn new(value: i128, integer: IntegerType) -> Self {
        let bits = 8 * integer.bytes.clamp(1, 8);
        let low = value & ((1 << bits) - 1);
        let value = if integer.signed && low >> (bits - 1) == 1 { low - (1 << bits) } else { low };
        Constant { value, integer }
    }

    fn truth(truth: bool) -> Self {
        Constant { value: i128::from(truth), integer: INT }
    }

    /// Returns its value.
    pub fn value(self) -> i128 {
        self.value
    }

    /// Returns its type.
    pub fn integer(self) -> IntegerType {
        self.integer
    }

    /// Returns the value converted to `unsigned long` or `u64`.
    pub fn bits(self) -> u64 {
        self.value as u64
    }

    fn convert(self, integer: IntegerType) -> Self {
        Constant::new(self.value, integer)
    }

    /// Applies the integer promotions: a type smaller than `int` becomes `int`.
    fn promote(self) -> Self {
        if self.integer.bytes < 4 { self.convert(INT) } else { self }
    }
}

/// Returns the common type of two operands: the usual arithmetic conversions.
fn common(left: IntegerType, right: IntegerType) -> IntegerType {
    match left.bytes.cmp(&right.bytes) {
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Equal => IntegerType { bytes: left.bytes, signed: left.signed && right.signed },
    }
}

impl Tree {
    /// Returns the value of a constant expression. `None` if it is not constant, if it holds a name that the kernel has
    /// not replaced by its value, or where C does not define the value: a division by zero, or a shift by more bits
    /// than the type has.
    pub fn constant(&self, id: ExprId) -> Option<Constant> {
        match self.expression(id) {
            Expr::Integer { value, integer } => Some(Constant::new(i128::from(*value), *integer)),
            // Plain `char` is unsigned in kernels, see tables::c_types.
            Expr::Char(byte) => Some(Constant::new(i128::from(*byte), INT)),
            // Enumerators of include/linux/stddef.h.
            Expr::Name(name) if matches!(&**name, "true" | "false") => {
                Some(Constant::truth(&**name == "true"))
            }
            Expr::Paren(inner) => self.constant(*inner),
            Expr::Unary { operator, operand } => unary(*operator, self.constant(*operand)?),
            Expr::Binary { operator, left, right } => self.binary(*operator, *left, *right),
            Expr::Conditional { condition, then, otherwise } => {
                let condition = self.constant(*condition)?;
                let then = then.map_or(Some(condition), |then| self.constant(then))?.promote();
                let otherwise = self.constant(*otherwise)?.promote();
                let chosen = if condition.value != 0 { then } else { otherwise };
                Some(chosen.convert(common(then.integer, otherwise.integer)))
            }
            Expr::Cast { ty, operand } => {
                let value = self.constant(*operand)?;
                let ty = ty.integer()?;
                if ty.name == "bool" {
                    return Some(Constant::truth(value.value != 0));
                }
                Some(value.convert(IntegerType { bytes: ty.size, signed: ty.signed }))
            }
            Expr::SizeOfType(ty) => {
                let size = if ty.is_pointer() { 8 } else { ty.integer()?.size };
                Some(Constant::new(i128::from(size), SIZE))
            }
            _ => None,
        }
    }

    fn binary(&self, operator: BinaryOperator, left: ExprId, right: ExprId) -> Option<Constant> {
        use BinaryOperator::*;
        let left = self.constant(left)?;
        // The right side of a decided `&&` or `||` is not evaluated.
        match operator {
            And if left.value == 0 => return Some(Constant::truth(false)),
            Or if left.value != 0 => return Some(Constant::truth(true)),
            _ => {}
        }
        let right = self.constant(right)?;
        if matches!(operator, And | Or) {
            return Some(Constant::truth(right.value != 0));
        }
        let (left, right) = (left.promote(), right.promote());
        if matches!(operator, ShiftLeft | ShiftRight) {
            let bits = i128::from(8 * left.integer.bytes);
            let by = u32::try_from(right.value).ok().filter(|_| right.value < bits)?;
            let value = if operator == ShiftLeft { left.value << by } else { left.value >> by };
            return Some(Constant::new(value, left.integer));
        }
        let integer = common(left.integer, right.integer);
        arithmetic(operator, left.convert(integer).value, right.convert(integer).value, integer)
    }
}

/// Computes on operands of at most 64 bits, whose results 128 bits always hold.
fn arithmetic(operator: BinaryOperator, a: i128, b: i128, integer: IntegerType) -> Option<Constant> {
    use BinaryOperator::*;
    Some(match operator {
        Multiply => Constant::new(a.wrapping_mul(b), integer),
        Divide => Constant::new(a.checked_div(b)?, integer),
        Remainder => Constant::new(a.checked_rem(b)?, integer),
        Add => Constant::new(a + b, integer),
        Subtract => Constant::new(a - b, integer),
        BitAnd => Constant::new(a & b, integer),
        BitXor => Constant::new(a ^ b, integer),
        BitOr => Constant::new(a | b, integer),
        Less => Constant::truth(a < b),
        LessEqual => Constant::truth(a <= b),
        Greater => Constant::truth(a > b),
        GreaterEqual => Constant::truth(a >= b),
        Equal => Constant::truth(a == b),
        NotEqual => Constant::truth(a != b),
        ShiftLeft | ShiftRight | And | Or => return None,
    })
}

fn unary(operator: UnaryOperator, operand: Constant) -> Option<Constant> {
    let operand_int = operand.promote();
    match operator {
        UnaryOperator::Minus => Some(Constant::new(-operand_int.value, operand_int.integer)),
        UnaryOperator::Plus => Some(operand_int),
        UnaryOperator::Complement => Some(Constant::new(!operand_int.value, operand_int.integer)),
        UnaryOperator::Not => Some(Constant::truth(operand.value == 0)),
        UnaryOperator::Dereference | UnaryOperator::Address => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::c::lexer;
    use crate::c::parser::Parser;

    fn constant(expression: &str) -> Option<(i128, u32, bool)> {
        let tokens = lexer::tokens(expression, 0).unwrap();
        let mut parser = Parser::new(expression, &tokens);
        let id = parser.expression().unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert!(parser.at_end(), "{expression}");
        let constant = parser.into_tree().constant(id)?;
        Some((constant.value(), constant.integer().bytes, constant.integer().signed))
    }

    #[test]
    fn constants_have_values_and_types_of_c() {
        for (expression, value, bytes, signed) in [
            ("1", 1, 4, true),
            ("017", 15, 4, true),
            ("0b101", 5, 4, true),
            ("2147483648", 1 << 31, 8, true),
            ("0x80000000", 1 << 31, 4, false),
            ("0xffffffffffffffff", u64::MAX.into(), 8, false),
            ("18446744073709551615", u64::MAX.into(), 8, false),
            ("1u", 1, 4, false),
            ("4294967296U", 1 << 32, 8, false),
            ("1LL", 1, 8, true),
            ("1UL << 63", 1 << 63, 8, false),
            ("1 << 31", -(1 << 31), 4, true),
            ("1U << 31", 1 << 31, 4, false),
            ("-1", -1, 4, true),
            ("-1UL", u64::MAX.into(), 8, false),
            ("-(1)", -1, 4, true),
            ("~0", -1, 4, true),
            ("~0U", u32::MAX.into(), 4, false),
            ("~(0UL) >> (64 - 1 - (11))", 0xfff, 8, false),
            ("'a'", 97, 4, true),
            ("'\\377'", 255, 4, true),
            ("(u8)-1", 255, 1, false),
            ("(u8)-1 + 1", 256, 4, true),
            ("(s8)200", -56, 1, true),
            ("(gfp_t)((((1UL))) << (3))", 8, 4, false),
            ("(bool)256", 1, 4, true),
            ("true", 1, 4, true),
            ("-1 < 0U", 0, 4, true),
            ("-1 < 0", 1, 4, true),
            ("-7 / 2", -3, 4, true),
            ("-7 % 2", -1, 4, true),
            ("-8 >> 1", -4, 4, true),
            ("2 + 3 * 4 - 1", 13, 4, true),
            ("1 | 2 ^ 3 & 4 == 4", 3, 4, true),
            ("10 - 4 - 3", 3, 4, true),
            ("1 ? 2 : 3L", 2, 8, true),
            ("0 ? 1 : 0 ? 2 : 3", 3, 4, true),
            ("0 ?: 5", 5, 4, true),
            ("!5", 0, 4, true),
            ("0 && x", 0, 4, true),
            ("1 || x", 1, 4, true),
            ("1 && 2", 1, 4, true),
            ("sizeof(u64)", 8, 8, false),
            ("sizeof(void *)", 8, 8, false),
            ("sizeof(unsigned int) * 2", 8, 8, false),
        ] {
            assert_eq!(constant(expression), Some((value, bytes, signed)), "{expression}");
        }
    }

    #[test]
    fn what_c_gives_no_value_has_none() {
        for expression in [
            "x",
            "REC->a",
            "1 + x",
            "1 / 0",
            "1 % 0",
            "1 << 32",
            "1 << -1",
            "1UL >> 64",
            "*1",
            "\"a\"",
            "(struct x)1",
            "(void *)0",
            "sizeof(struct x)",
            "1 ? 2 : x",
            "0 || x",
        ] {
            assert_eq!(constant(expression), None, "{expression}");
        }
    }
}

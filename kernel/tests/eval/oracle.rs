//! The specification once more, written for being obvious: numbers as integers without a limit, texts as they are
//! looked for by hand, patterns by recursion. Shares nothing with the evaluator but the condition's form.

use tracec_kernel::condition::ir::{CompareOp, Number, NumberOp, Sign, TextTest};
use tracec_kernel::format::{Field, IntegerType};

use crate::event::{Bytes, TGID, field};

/// The CPU of [`Moment`](crate::event::Moment).
const CPU: i128 = 3;

impl Bytes {
    fn unsigned(&self, offset: usize, size: usize) -> Option<i128> {
        let bytes = self.bytes.get(offset..offset + size)?;
        let big_first: Vec<u8> =
            if self.little_endian { bytes.iter().rev().copied().collect() } else { bytes.to_vec() };
        Some(big_first.iter().fold(0, |value, byte| value * 256 + i128::from(*byte)))
    }

    /// What an integer field holds.
    fn integer(&self, field: &Field) -> Option<i128> {
        let value = self.unsigned(field.offset as usize, field.size as usize)?;
        // The arguments of a system call are those of C.
        let (bits, signed) = match field.name.as_str() {
            "dfd" => (32, true),
            "fd" => (32, false),
            "mode" => (16, false),
            _ => (8 * field.size, field.signed),
        };
        Some(wrap(value, bits, signed))
    }

    /// What a field of text in the record holds.
    pub(crate) fn text(&self, name: &str) -> Option<Vec<u8>> {
        let field = crate::event::field(name);
        let offset = field.offset as usize;
        let (start, length) = match name {
            "fixed" => (offset, 8),
            "rest" => (offset, self.bytes.len().checked_sub(offset)?),
            _ => {
                let location = self.unsigned(offset, 4)? as usize;
                let base = if name == "tail" { offset + 4 } else { 0 };
                match (base + location % 0x1_0000, location / 0x1_0000) {
                    (_, 0) => (0, 0),
                    place => place,
                }
            }
        };
        let bytes = self.bytes.get(start..start.checked_add(length)?)?;
        Some(bytes.iter().copied().take_while(|byte| *byte != 0).collect())
    }
}

/// What is left of a number in so many bits.
fn wrap(value: i128, bits: u32, signed: bool) -> i128 {
    let rest = value.rem_euclid(1 << bits);
    if signed && rest >= 1 << (bits - 1) { rest - (1 << bits) } else { rest }
}

fn wrap_to(value: i128, to: IntegerType) -> i128 {
    wrap(value, 8 * to.bytes, to.signed)
}

/// What a number comes to.
pub(crate) fn number(number: &Number, record: &Bytes) -> Option<i128> {
    match number {
        Number::Const(value) => Some(*value),
        Number::Field(field) => record.integer(field),
        Number::Cpu => Some(CPU),
        Number::Pid => record.integer(&field("common_pid")),
        Number::Tgid => Some(TGID.into()),
        Number::Cast { to, of } => Some(wrap_to(self::number(of, record)?, *to)),
        Number::Binary { op, sign, left, right } => {
            let (left, right) = (self::number(left, record)?, self::number(right, record)?);
            let to = IntegerType { bytes: 8, signed: *sign == Sign::Signed };
            let count = || (0..64).contains(&right).then_some(1i128 << right.clamp(0, 63));
            let (a, b) = (wrap_to(left, to), wrap_to(right, to));
            let result = match op {
                NumberOp::Add => a + b,
                NumberOp::Sub => a - b,
                // Modulo 2^128, hence modulo 2^64.
                NumberOp::Mul => a.wrapping_mul(b),
                NumberOp::Div => a.checked_div(b)?,
                NumberOp::Rem => a.checked_rem(b)?,
                NumberOp::Shl => a.wrapping_mul(count()?),
                NumberOp::Shr => a.div_euclid(count()?),
                NumberOp::And => a & b,
                NumberOp::Or => a | b,
                NumberOp::Xor => a ^ b,
            };
            Some(wrap_to(result, to))
        }
    }
}

pub(crate) fn compare(op: CompareOp, left: i128, right: i128) -> bool {
    use std::cmp::Ordering::*;
    let order = left.cmp(&right);
    match op {
        CompareOp::Eq => order == Equal,
        CompareOp::Ne => order != Equal,
        CompareOp::Lt => order == Less,
        CompareOp::Le => order != Greater,
        CompareOp::Gt => order == Greater,
        CompareOp::Ge => order != Less,
    }
}

pub(crate) fn text(test: &TextTest, text: &[u8]) -> bool {
    match test {
        TextTest::Eq(other) => other.bytes().eq(text.iter().copied()),
        TextTest::Ne(other) => !other.bytes().eq(text.iter().copied()),
        TextTest::Glob(pattern) => glob(pattern.as_str().as_bytes(), text),
    }
}

/// Whether a pattern that is one matches.
pub(crate) fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let one = |taken: &dyn Fn(u8) -> bool, rest: &[u8]| match text {
        [first, others @ ..] => taken(*first) && glob(rest, others),
        [] => false,
    };
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|skipped| glob(rest, &text[skipped..])),
        [b'?', rest @ ..] => one(&|_| true, rest),
        [b'\\', escaped, rest @ ..] => one(&|byte| byte == *escaped, rest),
        [b'[', b'!', class @ ..] => {
            let end = 1 + class[1..].iter().position(|byte| *byte == b']').expect("the class is closed");
            one(&|byte| !in_class(&class[..end], byte), &class[end + 1..])
        }
        [b'[', class @ ..] => {
            let end = 1 + class[1..].iter().position(|byte| *byte == b']').expect("the class is closed");
            one(&|byte| in_class(&class[..end], byte), &class[end + 1..])
        }
        [literal, rest @ ..] => one(&|byte| byte == *literal, rest),
    }
}

fn in_class(members: &[u8], byte: u8) -> bool {
    match members {
        [] => false,
        [first, b'-', last, rest @ ..] => (*first <= byte && byte <= *last) || in_class(rest, byte),
        [first, rest @ ..] => *first == byte || in_class(rest, byte),
    }
}

//! Tests of numbers: the values of steps, and what is decided by them.

use tracec_kernel::condition::ir::{CompareOp, NumberOp, Sign};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::{Field, IntegerType};
use tracec_kernel::tables::bpf_helpers;

use super::set::{self, Domain};
use super::writer::{Exits, Writer};
use crate::bpf::code::{Alu, Block, Op, Operand, Reg, Test, Width};
use crate::decoder::{Decision, Step};

/// Writes the decision of a test of numbers. `pid` is the field of the header with the thread id.
pub(super) fn write(
    to: &mut Writer<'_>,
    steps: &[Step],
    decision: &Decision,
    pid: Option<&Field>,
    exits: Exits,
) {
    let mut values = Values { steps, pid: pid.map(|field| field.offset), otherwise: exits.otherwise };
    match decision {
        Decision::Constant { of, sign, op, value } => {
            let ranges = op.matching(*value, sign.range());
            values.member(to, *of, *sign, &ranges, exits);
        }
        Decision::Ranges { of, sign, ranges } => values.member(to, *of, *sign, ranges, exits),
        Decision::Order { left, op, right }
            if let (Some(a), Some(b)) = (values.narrow(left.0, left.1), values.narrow(right.0, right.1))
                && left.1 == right.1 =>
        {
            let (a, b) = (values.read(to, a), values.read(to, b));
            let test = test(*op, left.1 == Sign::Signed);
            to.code.branch((a, test, Operand::Reg(b)), Width::Half, exits.then, exits.otherwise);
        }
        Decision::Order { left, op, right } => {
            let a = values.reg(to, left.0);
            let b = values.operand(to, right.0);
            ordered(to, (a, left.1), *op, (b, right.1), exits);
        }
    }
}

struct Values<'s> {
    steps: &'s [Step],
    pid: Option<u32>,
    /// Where the test goes on if a value cannot be computed.
    otherwise: Block,
}

impl Values<'_> {
    /// Writes whether a value is in one of some ranges. One that is read is compared as wide as it is.
    fn member(&mut self, to: &mut Writer<'_>, of: usize, sign: Sign, ranges: &Ranges, exits: Exits) {
        let (value, domain) = match self.steps[of] {
            Step::Read { offset, means, .. } if self.pid == Some(offset) => {
                (thread(to), Domain { bytes: 4, signed: means.signed })
            }
            Step::Read { offset, means, .. } => {
                let value = to.read(offset, means.bytes, self.otherwise);
                (value, Domain { bytes: means.bytes, signed: means.signed })
            }
            _ => (self.reg(to, of), Domain { bytes: 8, signed: sign == Sign::Signed }),
        };
        set::write(to, value, domain, ranges, exits);
    }

    /// Returns where a number is read whose low 32 bits compare as it does in a sign.
    fn narrow(&self, of: usize, sign: Sign) -> Option<(u32, u32)> {
        match self.steps[of] {
            Step::Read { offset, means, .. } if (means.bytes, means.signed) == (4, sign == Sign::Signed) => {
                Some((offset, means.bytes))
            }
            // Extended by zeros, they are the same in 32 bits, with and without a sign.
            Step::Read { offset, means, .. } if means.bytes < 4 && !means.signed => {
                Some((offset, means.bytes))
            }
            _ => None,
        }
    }

    /// Reads a number without its sign.
    fn read(&self, to: &mut Writer<'_>, (offset, bytes): (u32, u32)) -> Reg {
        if self.pid == Some(offset) { thread(to) } else { to.read(offset, bytes, self.otherwise) }
    }

    /// Returns a value as an operand.
    fn operand(&mut self, to: &mut Writer<'_>, of: usize) -> Operand {
        match self.steps[of] {
            Step::Constant(value) => to.code.operand(value),
            _ => Operand::Reg(self.reg(to, of)),
        }
    }

    /// Returns a value, in 64 bits, in a register of its own.
    fn reg(&mut self, to: &mut Writer<'_>, of: usize) -> Reg {
        match self.steps[of] {
            Step::Constant(value) => to.code.constant(value),
            Step::Read { offset, means, .. } if self.pid == Some(offset) => {
                let value = thread(to);
                cut(to, value, means);
                value
            }
            Step::Read { offset, means, .. } => {
                let value = to.read(offset, means.bytes, self.otherwise);
                extend(to, value, means);
                value
            }
            Step::Cpu => to.code.call(bpf_helpers::GET_SMP_PROCESSOR_ID, Vec::new()),
            Step::Tgid => {
                let value = to.code.call(bpf_helpers::GET_CURRENT_PID_TGID, Vec::new());
                // `pid_t` is signed.
                to.code.alu(value, Alu::Sar, Operand::Imm(32));
                value
            }
            Step::Cast { of, to: kind } => {
                let value = self.reg(to, of);
                cut(to, value, kind);
                value
            }
            Step::Binary { op, sign, left, right } => self.binary(to, op, sign, left, right),
        }
    }

    fn binary(&mut self, to: &mut Writer<'_>, op: NumberOp, sign: Sign, left: usize, right: usize) -> Reg {
        // The side that needs more registers comes first.
        let (a, b) = if self.need(left) >= self.need(right) {
            let a = self.reg(to, left);
            (a, self.operand(to, right))
        } else {
            let b = self.operand(to, right);
            (self.reg(to, left), b)
        };
        let signed = sign == Sign::Signed;
        let known = if let Step::Constant(value) = self.steps[right] { Some(value) } else { None };
        let simple = match op {
            NumberOp::Add => Alu::Add,
            NumberOp::Sub => Alu::Sub,
            NumberOp::Mul => Alu::Mul,
            NumberOp::And => Alu::And,
            NumberOp::Or => Alu::Or,
            NumberOp::Xor => Alu::Xor,
            NumberOp::Div | NumberOp::Rem => {
                self.divide(to, op, signed, a, b, known);
                return a;
            }
            NumberOp::Shl | NumberOp::Shr => {
                match (known, b) {
                    (Some(0..=63), _) => {}
                    (Some(_), _) => {
                        // No count above 63 gives a value.
                        to.code.jump(self.otherwise);
                        let unreached = to.code.block();
                        to.code.begin(unreached);
                        return a;
                    }
                    (None, Operand::Reg(count)) => {
                        to.forbid((count, Test::Gt, Operand::Imm(63)), Width::Whole, self.otherwise);
                    }
                    (None, Operand::Imm(_)) => {}
                }
                match (op, signed) {
                    (NumberOp::Shl, _) => Alu::Shl,
                    (_, true) => Alu::Sar,
                    (_, false) => Alu::Shr,
                }
            }
        };
        to.code.alu(a, simple, b);
        a
    }

    /// Writes a division of `a`, whose result it has afterwards.
    fn divide(
        &mut self,
        to: &mut Writer<'_>,
        op: NumberOp,
        signed: bool,
        a: Reg,
        b: Operand,
        known: Option<u64>,
    ) {
        let alu = if op == NumberOp::Div { Alu::Div } else { Alu::Rem };
        match (b, known) {
            (_, Some(0)) => {
                to.code.jump(self.otherwise);
                let unreached = to.code.block();
                to.code.begin(unreached);
                return;
            }
            (Operand::Reg(divisor), None) => {
                to.forbid((divisor, Test::Eq, Operand::Imm(0)), Width::Whole, self.otherwise);
            }
            _ => {}
        }
        if !signed {
            return to.code.alu(a, alu, b);
        }
        // Magnitudes are divided. The sign of a quotient is that of both, the one of a remainder that of the dividend.
        let sign = to.code.copy(a);
        let divisor = match b {
            Operand::Reg(reg) => reg,
            Operand::Imm(number) => to.code.constant(number as i64 as u64),
        };
        if op == NumberOp::Div {
            to.code.alu(sign, Alu::Xor, Operand::Reg(divisor));
        }
        magnitude(to, a);
        magnitude(to, divisor);
        to.code.alu(a, alu, Operand::Reg(divisor));
        negate_if_negative(to, sign, a);
    }

    /// Returns how many registers a value needs at once.
    fn need(&self, of: usize) -> u32 {
        match self.steps[of] {
            Step::Cast { of, .. } => self.need(of),
            Step::Binary { left, right, .. } => match (self.need(left), self.need(right)) {
                (a, b) if a == b => a + 1,
                (a, b) => a.max(b),
            },
            Step::Constant(_) => 0,
            Step::Read { .. } | Step::Cpu | Step::Tgid => 1,
        }
    }
}

/// Returns the thread id of the task in the low half of a register.
fn thread(to: &mut Writer<'_>) -> Reg {
    to.code.call(bpf_helpers::GET_CURRENT_PID_TGID, Vec::new())
}

fn magnitude(to: &mut Writer<'_>, value: Reg) {
    negate_if_negative(to, value, value);
}

fn negate_if_negative(to: &mut Writer<'_>, sign: Reg, value: Reg) {
    let (negative, next) = (to.code.block(), to.code.block());
    to.code.branch((sign, Test::SLt, Operand::Imm(0)), Width::Whole, negative, next);
    to.code.begin(negative);
    to.code.push(Op::Negate { to: value });
    to.code.jump(next);
    to.code.begin(next);
}

/// Extends a value that was loaded with zeros by its sign.
fn extend(to: &mut Writer<'_>, value: Reg, means: IntegerType) {
    match (means.bytes, means.signed) {
        (8, _) => {}
        (_, true) => cut(to, value, means),
        (_, false) => {}
    }
}

/// Keeps the low bytes of a value, extended by a sign.
fn cut(to: &mut Writer<'_>, value: Reg, kind: IntegerType) {
    let rest = 64 - 8 * kind.bytes as i32;
    match (kind.bytes, kind.signed) {
        (8, _) => {}
        (_, true) => {
            to.code.alu(value, Alu::Shl, Operand::Imm(rest));
            to.code.alu(value, Alu::Sar, Operand::Imm(rest));
        }
        (4, false) => {
            to.code.push(Op::Move { width: Width::Half, to: value, from: Operand::Reg(value) });
        }
        (2, false) => to.code.alu(value, Alu::And, Operand::Imm(0xffff)),
        (_, false) => to.code.alu(value, Alu::And, Operand::Imm(0xff)),
    }
}

/// Writes how two values compare.
fn ordered(
    to: &mut Writer<'_>,
    (a, a_sign): (Reg, Sign),
    op: CompareOp,
    (b, b_sign): (Operand, Sign),
    exits: Exits,
) {
    match (a_sign, b_sign) {
        (Sign::Signed, Sign::Unsigned) => {
            // A negative number is less than every unsigned one.
            let below = if op.holds(-1, 0) { exits.then } else { exits.otherwise };
            to.forbid((a, Test::SLt, Operand::Imm(0)), Width::Whole, below);
            to.code.branch((a, test(op, false), b), Width::Whole, exits.then, exits.otherwise);
        }
        (Sign::Unsigned, Sign::Signed) => {
            let b = match b {
                Operand::Reg(reg) => reg,
                Operand::Imm(number) => to.code.constant(number as i64 as u64),
            };
            ordered(to, (b, b_sign), op.flipped(), (Operand::Reg(a), a_sign), exits);
        }
        _ => {
            let test = test(op, a_sign == Sign::Signed);
            to.code.branch((a, test, b), Width::Whole, exits.then, exits.otherwise);
        }
    }
}

/// Returns the comparison of integers in a sign.
fn test(op: CompareOp, signed: bool) -> Test {
    match (op, signed) {
        (CompareOp::Eq, _) => Test::Eq,
        (CompareOp::Ne, _) => Test::Ne,
        (CompareOp::Lt, true) => Test::SLt,
        (CompareOp::Lt, false) => Test::Lt,
        (CompareOp::Le, true) => Test::SLe,
        (CompareOp::Le, false) => Test::Le,
        (CompareOp::Gt, true) => Test::SGt,
        (CompareOp::Gt, false) => Test::Gt,
        (CompareOp::Ge, true) => Test::SGe,
        (CompareOp::Ge, false) => Test::Ge,
    }
}

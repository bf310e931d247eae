//! Numbers in sets: a tree of jumps over the ranges, or the bits of a word.

use tracec_kernel::condition::ranges::Ranges;

use super::writer::{Exits, Writer};
use crate::bpf::code::{Alu, Block, Op, Operand, Reg, Test, Width};

/// The most ranges that are tested one after the other.
const FEW: usize = 3;

/// What a value can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    /// The size of its type. What the register holds above is not looked at where it is 4, and is 0 where it is less.
    pub(super) bytes: u32,
    /// Whether it is signed.
    pub(super) signed: bool,
}

impl Domain {
    fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes;
        match self.signed {
            true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        }
    }

    fn width(self) -> Width {
        if self.bytes == 8 { Width::Whole } else { Width::Half }
    }
}

/// Writes whether a value is in one of some ranges.
pub(super) fn write(to: &mut Writer<'_>, value: Reg, domain: Domain, ranges: &Ranges, exits: Exits) {
    let ranges = ranges.intersection(&Ranges::new([domain.range()]));
    // One or two bytes are loaded as unsigned numbers, and are compared as such.
    let (domain, ranges) = match domain {
        Domain { bytes: bytes @ (1 | 2), signed: true } => {
            let size = 1 << (8 * bytes);
            let halves = [((-size / 2, -1), size), ((0, size / 2 - 1), 0)];
            let moved = halves.into_iter().flat_map(|(half, by)| {
                let part = ranges.intersection(&Ranges::new([half]));
                part.iter().map(|(first, last)| (first + by, last + by)).collect::<Vec<_>>()
            });
            (Domain { bytes, signed: false }, Ranges::new(moved))
        }
        domain => (domain, ranges),
    };
    let (min, max) = domain.range();
    let tested = Tested { value, domain, min, max };
    let others = ranges.complement(min, max);
    if others.iter().len() < ranges.iter().len() {
        return tree(to, tested, &others.iter().collect::<Vec<_>>(), exits.swapped());
    }
    tree(to, tested, &ranges.iter().collect::<Vec<_>>(), exits);
}

/// A value, and the numbers between which it is known to be.
#[derive(Clone, Copy)]
struct Tested {
    value: Reg,
    domain: Domain,
    min: i128,
    max: i128,
}

/// Writes a test of ranges, of a value that is between two numbers.
fn tree(to: &mut Writer<'_>, tested: Tested, ranges: &[(i128, i128)], exits: Exits) {
    let Tested { min, max, .. } = tested;
    match ranges {
        [] => to.code.jump(exits.otherwise),
        [(first, last)] if *first <= min && max <= *last => to.code.jump(exits.then),
        [.., (_, last)] if ranges.len() > FEW && last - ranges[0].0 < 64 => {
            word(to, tested, ranges, exits);
        }
        _ if ranges.len() <= FEW => few(to, tested, ranges, exits),
        _ => {
            let (low, high) = ranges.split_at(ranges.len() / 2);
            let (right, left) = (to.code.block(), to.code.block());
            let middle = high[0].0;
            compare(to, tested, (Least, middle), right, left);
            to.code.begin(left);
            tree(to, Tested { max: middle - 1, ..tested }, low, exits);
            to.code.begin(right);
            tree(to, Tested { min: middle, ..tested }, high, exits);
        }
    }
}

/// Writes tests of a few ranges.
fn few(to: &mut Writer<'_>, tested: Tested, ranges: &[(i128, i128)], exits: Exits) {
    for (index, (first, last)) in ranges.iter().enumerate() {
        let next = if index + 1 == ranges.len() { exits.otherwise } else { to.code.block() };
        if first == last {
            compare(to, tested, (Equal, *first), exits.then, next);
        } else if *first <= tested.min {
            compare(to, tested, (Most, *last), exits.then, next);
        } else if tested.max <= *last {
            compare(to, tested, (Least, *first), exits.then, next);
        } else {
            let begun = to.code.block();
            // Below this range is none of those that follow.
            compare(to, tested, (Least, *first), begun, exits.otherwise);
            to.code.begin(begun);
            compare(to, tested, (Most, *last), exits.then, next);
        }
        if next != exits.otherwise {
            to.code.begin(next);
        }
    }
}

/// Writes a test of ranges whose span is a word of bits.
fn word(to: &mut Writer<'_>, tested: Tested, ranges: &[(i128, i128)], exits: Exits) {
    let Tested { value, domain, min, max } = tested;
    let (first, last) = (ranges[0].0, ranges[ranges.len() - 1].1);
    let bits = ranges
        .iter()
        .flat_map(|(first, last)| *first..=*last)
        .fold(0_u64, |bits, at| bits | 1 << (at - first));
    let by = to.code.copy(value);
    if domain.bytes < 8 {
        // Only the low half is compared; the upper one may hold anything.
        to.code.push(Op::Move { width: Width::Half, to: by, from: Operand::Reg(value) });
    }
    if first != 0 {
        let first = to.code.operand(first as u64);
        let width = domain.width();
        to.code.push(Op::Alu { op: Alu::Sub, width, to: by, by: first });
    }
    if (first, last) != (min, max) {
        let most = Operand::Imm((last - first) as i32);
        to.forbid((by, Test::Gt, most), Width::Whole, exits.otherwise);
    }
    let bits = to.code.constant(bits);
    to.code.alu(bits, Alu::Shr, Operand::Reg(by));
    to.code.branch((bits, Test::Bits, Operand::Imm(1)), Width::Whole, exits.then, exits.otherwise);
}

enum Kind {
    Equal,
    Least,
    Most,
}
use Kind::{Equal, Least, Most};

/// Writes a comparison with a number.
fn compare(
    to: &mut Writer<'_>,
    Tested { value, domain, .. }: Tested,
    (kind, number): (Kind, i128),
    then: Block,
    otherwise: Block,
) {
    let test = match (kind, domain.signed) {
        (Equal, _) => Test::Eq,
        (Least, true) => Test::SGe,
        (Least, false) => Test::Ge,
        (Most, true) => Test::SLe,
        (Most, false) => Test::Le,
    };
    let right = match domain.width() {
        // The low half of the number is what is compared.
        Width::Half => Operand::Imm(number as u32 as i32),
        Width::Whole => to.code.operand(number as u64),
    };
    to.code.branch((value, test, right), domain.width(), then, otherwise);
}

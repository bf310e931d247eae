//! Arithmetic with constants, solved for the field: `x + 1 == 5` is `x == 4`.
//!
//! A step takes the values that `left OP constant` may have to those that `left` may have, exactly: each is the set of
//! all numbers that the operation takes into the given set, wrapping counted in. What does not come to a few runs of
//! values is not solved.

use crate::condition::ir::{Number, NumberOp, Sign};
use crate::condition::ranges::Ranges;

/// How often a number may wrap and still be solved: each time makes runs of its own.
const WRAPS: i128 = 4;

/// The field, or the CPU, that a number is computed from, and which values of it take the number into a set. `None`
/// where there is more than one, or no short answer.
pub(super) fn solve<'n>(number: &'n Number, values: &Ranges) -> Option<(&'n Number, Ranges)> {
    let (mut number, mut values) = (number, values.clone());
    loop {
        values = values.intersection(&Ranges::new([number.range()]));
        (number, values) = match number {
            Number::Const(_) => return None,
            Number::Field(_) | Number::Cpu => return Some((number, values)),
            Number::Cast { to, of } => {
                (&**of, unwrapped(&values, 1 << (8 * to.bytes.clamp(1, 8)), of.range())?)
            }
            Number::Binary { op, sign, left, right } => match (&**left, &**right) {
                (of, Number::Const(constant)) => (of, right_constant(*op, *sign, of, *constant, &values)?),
                (Number::Const(constant), of) => (of, left_constant(*op, of, *constant, &values)?),
                _ => return None,
            },
        };
    }
}

/// Which values of `of` take `of OP constant` into the set.
fn right_constant(op: NumberOp, sign: Sign, of: &Number, constant: i128, values: &Ranges) -> Option<Ranges> {
    let range = of.range();
    match op {
        NumberOp::Add => sum(range, constant, values),
        NumberOp::Sub => sum(range, constant.checked_neg()?, values),
        NumberOp::Mul => product(range, constant, values),
        NumberOp::Shl if (0..64).contains(&constant) => product(range, 1 << constant, values),
        NumberOp::Div if constant > 0 && within(range, sign) => Some(quotient(range, constant, values)),
        NumberOp::Shr if (0..64).contains(&constant) && within(range, sign) => {
            Some(shifted(range, constant, values))
        }
        _ => None,
    }
}

/// Which values of `of` take `constant OP of` into the set.
fn left_constant(op: NumberOp, of: &Number, constant: i128, values: &Ranges) -> Option<Ranges> {
    let (low, high) = of.range();
    match op {
        NumberOp::Add => sum((low, high), constant, values),
        NumberOp::Mul => product((low, high), constant, values),
        NumberOp::Sub => {
            let differences = unwrapped(values, 1 << 64, (constant - high, constant - low))?;
            Some(each(&differences, |(first, last)| (constant - last, constant - first)))
        }
        _ => None,
    }
}

/// Whether all of a range is of the sign, so that the bits in this sign are the number.
fn within((low, high): (i128, i128), sign: Sign) -> bool {
    let (min, max) = sign.range();
    min <= low && high <= max
}

fn each(values: &Ranges, run: impl Fn((i128, i128)) -> (i128, i128)) -> Ranges {
    Ranges::new(values.iter().map(run))
}

/// The numbers in `low..=high` that wrap into the set. The values of the set are those of one turn of `turn` numbers.
fn unwrapped(values: &Ranges, turn: i128, (low, high): (i128, i128)) -> Option<Ranges> {
    let (Some((first, _)), Some((_, last))) = (values.iter().next(), values.iter().next_back()) else {
        return Some(Ranges::default());
    };
    let turns = (low - last).div_euclid(turn)..=(high - first).div_euclid(turn);
    if turns.end() - turns.start() > WRAPS {
        return None;
    }
    let wrapped = turns.flat_map(|turns| {
        values.iter().map(move |(first, last)| (first + turns * turn, last + turns * turn))
    });
    Some(Ranges::new(wrapped).intersection(&Ranges::new([(low, high)])))
}

fn sum((low, high): (i128, i128), constant: i128, values: &Ranges) -> Option<Ranges> {
    let sums = unwrapped(values, 1 << 64, (low + constant, high + constant))?;
    Some(each(&sums, |(first, last)| (first - constant, last - constant)))
}

fn product((low, high): (i128, i128), constant: i128, values: &Ranges) -> Option<Ranges> {
    if constant == 0 {
        return None;
    }
    let (one, other) = (low.checked_mul(constant)?, high.checked_mul(constant)?);
    let products = unwrapped(values, 1 << 64, (one.min(other), one.max(other)))?;
    // The first product at or above `number` and the last at or below it, in steps of the constant.
    let size = constant.abs();
    let up = |number: i128| -(-number).div_euclid(size);
    let down = |number: i128| number.div_euclid(size);
    Some(each(
        &products,
        |(first, last)| {
            if constant > 0 { (up(first), down(last)) } else { (-down(last), -up(first)) }
        },
    ))
}

/// Division by a positive number truncates, and never goes down as the dividend goes up.
fn quotient((low, high): (i128, i128), divisor: i128, values: &Ranges) -> Ranges {
    let possible = Ranges::new([(low / divisor, high / divisor)]);
    let dividends = each(&values.intersection(&possible), |(first, last)| {
        let lowest = if first > 0 { first * divisor } else { (first - 1) * divisor + 1 };
        let highest = if last < 0 { last * divisor } else { (last + 1) * divisor - 1 };
        (lowest, highest)
    });
    dividends.intersection(&Ranges::new([(low, high)]))
}

/// A right shift is a division that rounds down.
fn shifted((low, high): (i128, i128), count: i128, values: &Ranges) -> Ranges {
    let possible = Ranges::new([(low >> count, high >> count)]);
    let shifted =
        each(&values.intersection(&possible), |(first, last)| (first << count, ((last + 1) << count) - 1));
    shifted.intersection(&Ranges::new([(low, high)]))
}

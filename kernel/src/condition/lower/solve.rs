//! Arithmetic with constants, solved for the field: `x + 1 == 5` is `x == 4`.
//!
//! A step maps the values that `left OP constant` may have to those that `left` may have, exactly: all numbers for
//! which the operation gives a value of the set, wrapping included. A set that does not reduce to a few ranges of
//! values is not solved.

use crate::condition::ir::{Number, NumberOp, Sign};
use crate::condition::ranges::Ranges;

/// The number of times that a number may wrap and still be solved: each adds ranges.
const WRAPS: i128 = 4;

/// The distance from 0 that a number may have before it wraps, and still be solved: a few turns beyond 64 bits do not
/// overflow `i128`. A field of any type that is multiplied so far wraps more often than [`WRAPS`].
const FARTHEST: i128 = i128::MAX / 4;

/// Returns the field, the CPU or the task's id from which a number is computed, and the values of it for which the
/// number is in a set. `None` where there is more than one operand, or no short answer.
pub(super) fn solve<'n>(number: &'n Number, values: &Ranges) -> Option<(&'n Number, Ranges)> {
    let (mut number, mut values) = (number, values.clone());
    loop {
        values = values.intersection(&Ranges::new([number.range()]));
        (number, values) = match number {
            Number::Const(_) => return None,
            Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => return Some((number, values)),
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

/// Returns the values of `of` for which `of OP constant` is in the set.
fn right_constant(op: NumberOp, sign: Sign, of: &Number, constant: i128, values: &Ranges) -> Option<Ranges> {
    let range = of.range();
    match op {
        NumberOp::Add => sum(range, constant, values),
        NumberOp::Sub => sum(range, constant.checked_neg()?, values),
        NumberOp::Mul => product(range, constant, values),
        NumberOp::Shl if (0..64).contains(&constant) => product(range, 1 << constant, values),
        // A divisor outside of the sign's range is another number in that sign.
        NumberOp::Div if constant > 0 && within(range, sign) && within((constant, constant), sign) => {
            Some(quotient(range, constant, values))
        }
        NumberOp::Shr if (0..64).contains(&constant) && within(range, sign) => {
            Some(shifted(range, constant, values))
        }
        _ => None,
    }
}

/// Returns the values of `of` for which `constant OP of` is in the set.
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

/// Returns whether a range is within the sign, so that the bits in this sign are the number.
fn within((low, high): (i128, i128), sign: Sign) -> bool {
    let (min, max) = sign.range();
    min <= low && high <= max
}

fn each(values: &Ranges, run: impl Fn((i128, i128)) -> (i128, i128)) -> Ranges {
    Ranges::new(values.iter().map(run))
}

/// Returns the numbers in `low..=high` that wrap into the set. The values of the set are those of one turn of `turn`
/// numbers.
fn unwrapped(values: &Ranges, turn: i128, (low, high): (i128, i128)) -> Option<Ranges> {
    if low < -FARTHEST || high > FARTHEST {
        return None;
    }
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

/// Solves a division by a positive number, which truncates, and is monotone in the dividend.
fn quotient((low, high): (i128, i128), divisor: i128, values: &Ranges) -> Ranges {
    let possible = Ranges::new([(low / divisor, high / divisor)]);
    let dividends = each(&values.intersection(&possible), |(first, last)| {
        let lowest = if first > 0 { first * divisor } else { (first - 1) * divisor + 1 };
        let highest = if last < 0 { last * divisor } else { (last + 1) * divisor - 1 };
        (lowest, highest)
    });
    dividends.intersection(&Ranges::new([(low, high)]))
}

/// Solves a right shift, which is a division that rounds down.
fn shifted((low, high): (i128, i128), count: i128, values: &Ranges) -> Ranges {
    let possible = Ranges::new([(low >> count, high >> count)]);
    let shifted =
        each(&values.intersection(&possible), |(first, last)| (first << count, ((last + 1) << count) - 1));
    shifted.intersection(&Ranges::new([(low, high)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::eval::integer::{Integer, arithmetic};
    use crate::format::{IntegerType, parse_field};

    const EDGES: [i128; 12] = [
        i64::MIN as i128,
        i64::MIN as i128 + 1,
        -2,
        -1,
        0,
        1,
        2,
        63,
        1 << 62,
        i64::MAX as i128,
        1 << 63,
        u64::MAX as i128,
    ];

    /// Every operation between fields, constants and casts is tried at the ends of their ranges: nothing overflows, and
    /// an edge of the field is in the answer exactly if its result is in the set.
    #[test]
    fn edges_are_solved_or_refused() {
        use NumberOp::*;
        let field = |of: &str, size: u32, signed: u8| {
            let line = format!("\tfield:{of} x;\toffset:8;\tsize:{size};\tsigned:{signed};");
            Number::Field(parse_field(&line, 1).unwrap())
        };
        let fields = [field("u64", 8, 0), field("s64", 8, 1), field("u8", 1, 0), field("s32", 4, 1)];
        let (mut solved, mut unsolved) = (0, 0);
        for leaf in fields.iter().cloned().chain(EDGES.map(Number::Const)) {
            for op in [Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor] {
                for (constant, turned) in EDGES.into_iter().flat_map(|edge| [(edge, false), (edge, true)]) {
                    let other = Number::Const(constant);
                    let number = match turned {
                        false => Number::binary(op, leaf.clone(), other),
                        true => Number::binary(op, other, leaf.clone()),
                    };
                    let Number::Binary { sign, .. } = number else { unreachable!("it is computed") };
                    for value in EDGES {
                        let set = Ranges::new([(value, value.saturating_add(1))]);
                        let Some((of, values)) = solve(&number, &set) else {
                            unsolved += 1;
                            continue;
                        };
                        assert_eq!(*of, leaf);
                        let (low, high) = of.range();
                        for edge in EDGES.into_iter().filter(|edge| (low..=high).contains(edge)) {
                            let typed = |value: i128| Integer { bits: value as u64, sign: of.sign() };
                            let (a, b) = (typed(edge), Integer::of(constant));
                            let (a, b) = if turned { (b, a) } else { (a, b) };
                            let comes_to = arithmetic(op, sign, a, b).map(Integer::value);
                            let inside = comes_to.is_some_and(|number| set.contains(number));
                            assert_eq!(values.contains(edge), inside, "{number} in {set} where x is {edge}");
                        }
                        solved += 1;
                    }
                }
            }
        }
        assert!(solved > 3_000 && unsolved > 3_000, "{solved} solved, {unsolved} not");
    }

    /// A constant of any size can be cast, and a cast of a constant is not a field to solve for.
    #[test]
    fn casts_of_constants_are_not_solved() {
        for bytes in [1, 2, 4, 8] {
            for signed in [false, true] {
                let to = IntegerType { bytes, signed };
                for edge in EDGES {
                    let number = Number::Cast { to, of: Box::new(Number::Const(edge)) };
                    for value in EDGES {
                        assert_eq!(solve(&number, &Ranges::new([(value, value)])), None, "{number}");
                    }
                }
            }
        }
    }
}

//! Ranges of numbers, and reduction of comparisons of computed numbers to comparisons of their operands.

use crate::condition::eval::integer::{Integer, arithmetic};
use crate::condition::ir::{Number, NumberOp, Sign};
use crate::condition::ranges::Ranges;

/// The largest number of bits of a mask whose values are all listed.
const LISTED_BITS: u32 = 6;

/// The smallest and the largest number of 64 bits, in either sign.
pub(super) const ALL: (i128, i128) = Number::CONSTANTS;

/// The values that a number can have: a superset of the actual ones.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// The ranges of the values.
    pub(super) ranges: Ranges,
    /// The bits that may be set, of the 64.
    may: u64,
    /// The bits that are set in all values.
    must: u64,
}

impl Domain {
    /// Returns the domain of all values in these ranges.
    pub(super) fn of_ranges(ranges: Ranges) -> Domain {
        let may = match bounds(&ranges) {
            Some((first, last)) if first >= 0 => below_power_of_two(last) as u64,
            _ => u64::MAX,
        };
        Domain { ranges, may, must: 0 }
    }

    /// Returns the values that a number can have where it has a value.
    ///
    /// A result is exact only if its operands are within the sign in which they are computed and nothing wraps;
    /// otherwise it is the whole range of that sign.
    pub(super) fn of(number: &Number) -> Domain {
        match number {
            Number::Const(value) => {
                let bits = Integer::of(*value).bits;
                Domain { ranges: Ranges::new([(*value, *value)]), may: bits, must: bits }
            }
            Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => {
                Domain::of_ranges(Ranges::new([number.range()]))
            }
            Number::Cast { to, of } => {
                let inner = Domain::of(of);
                match bounds(&inner.ranges) {
                    Some((first, last)) if to.min() <= first && last <= to.max() => inner,
                    _ => Domain::of_ranges(Ranges::new([number.range()])),
                }
            }
            Number::Binary { op, sign, left, right } => binary(*op, *sign, left, right),
        }
    }

    /// Returns the possible values of a set. A range is removed if none of its values has possible bits; of ranges that
    /// begin below 0 only single values are checked.
    pub(super) fn clip(&self, set: &Ranges) -> Ranges {
        let possible = |(first, last): (i128, i128)| {
            let number = ALL.0 <= first && last <= ALL.1;
            if !number || first < 0 && first != last {
                return true;
            }
            let bits = first as u64;
            self.has(bits) || first != last && self.next(bits).is_some_and(|next| i128::from(next) <= last)
        };
        set.intersection(&self.ranges).retain(possible)
    }
}

impl Domain {
    /// Returns whether these are possible bits of the number.
    fn has(&self, bits: u64) -> bool {
        bits & !self.may == 0 && bits & self.must == self.must
    }

    /// Returns the smallest unsigned number above `above` whose bits are possible: one of its bits is raised, and the
    /// bits below are as few as possible.
    fn next(&self, above: u64) -> Option<u64> {
        let raised = (0..64).filter(|bit| above >> bit & 1 == 0).map(|bit| {
            let below = (1u64 << bit) - 1;
            above & !below | 1 << bit | self.must & below
        });
        raised.into_iter().find(|bits| self.has(*bits))
    }
}

/// Returns the ends of a set that is not empty.
pub(super) fn bounds(set: &Ranges) -> Option<(i128, i128)> {
    Some((set.iter().next()?.0, set.iter().next_back()?.1))
}

/// Returns the smallest number of the form 2^k - 1 that is not below a nonnegative number.
fn below_power_of_two(value: i128) -> i128 {
    (1i128 << (128 - value.max(0).leading_zeros())) - 1
}

fn binary(op: NumberOp, sign: Sign, left: &Number, right: &Number) -> Domain {
    let (l, r) = (Domain::of(left), Domain::of(right));
    let bits = match op {
        NumberOp::And => (l.may & r.may, l.must & r.must),
        NumberOp::Or => (l.may | r.may, l.must | r.must),
        NumberOp::Xor => (l.may | r.may, 0),
        _ => (u64::MAX, 0),
    };
    let (min, max) = sign.range();
    let whole = Ranges::new([(min, max)]);
    let listed = match (op, &l, &r) {
        (NumberOp::And, ..) if bits.0.count_ones() <= LISTED_BITS => Some(subsets(bits.0, sign)),
        _ => None,
    };
    let interval = bounds(&l.ranges).zip(bounds(&r.ranges)).and_then(|(l, r)| {
        let held = |(first, last): (i128, i128)| min <= first && last <= max;
        let shift = matches!(op, NumberOp::Shl | NumberOp::Shr);
        let computed = if held(l) && (shift || held(r)) { interval(op, l, r) } else { None };
        computed.filter(|range| held(*range))
    });
    let ranges = interval.map_or(whole, |range| Ranges::new([range]));
    let ranges = listed.map_or(ranges.clone(), |listed| listed.intersection(&ranges));
    Domain { ranges, may: bits.0, must: bits.1 }
}

/// Returns all numbers that have only these bits, as the sign reads them.
fn subsets(bits: u64, sign: Sign) -> Ranges {
    let mut values = vec![0u64];
    for bit in (0..64).map(|bit| 1 << bit).filter(|bit| bits & bit != 0) {
        values.extend(values.clone().iter().map(|value| value | bit));
    }
    let numbers = values.into_iter().map(|bits| Integer { bits, sign }.value());
    Ranges::new(numbers.map(|number| (number, number)))
}

/// Returns the range of a result before it is truncated to 64 bits; `None` where nothing better than the sign's range
/// is known.
fn interval(op: NumberOp, (a, b): (i128, i128), (c, d): (i128, i128)) -> Option<(i128, i128)> {
    let corners = |of: &dyn Fn(i128, i128) -> Option<i128>, (c, d): (i128, i128)| {
        let all: Option<Vec<i128>> = [of(a, c), of(a, d), of(b, c), of(b, d)].into_iter().collect();
        let all = all?;
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    let (count, positive) = ((c.max(0), d.min(63)), (c.max(1), d));
    match op {
        NumberOp::Add => Some((a + c, b + d)),
        NumberOp::Sub => Some((a - d, b - c)),
        NumberOp::Mul => corners(&i128::checked_mul, (c, d)),
        // Divided by a positive number, quotients are monotone on either side of 0.
        NumberOp::Div if c >= 0 && d > 0 => corners(&i128::checked_div, positive),
        // The absolute value of a remainder is less than the divisor's and at most the dividend's; its sign is the
        // dividend's.
        NumberOp::Rem if c >= 0 && d > 0 => Some((a.max(1 - d).min(0), b.min(d - 1).max(0))),
        NumberOp::Shl if count.0 <= count.1 => corners(&|value, by| value.checked_mul(1 << by), count),
        NumberOp::Shr if count.0 <= count.1 => corners(&|value, by| Some(value >> by), count),
        NumberOp::And if a >= 0 && c >= 0 => Some((0, b.min(d))),
        NumberOp::And if a >= 0 => Some((0, b)),
        NumberOp::And if c >= 0 => Some((0, d)),
        NumberOp::Or if a >= 0 && c >= 0 => Some((a.max(c), below_power_of_two(b.max(d)))),
        NumberOp::Xor if a >= 0 && c >= 0 => Some((0, below_power_of_two(b.max(d)))),
        _ => None,
    }
}

/// Returns the number with its constants folded; `None` if it never has a value: a divisor of 0, a shift too far.
///
/// An operand is replaced only where the sign of the operation does not change: `(x as s64) - 5` of an unsigned x can
/// be negative, `x - 5` cannot.
pub(super) fn fold(number: &Number) -> Option<Number> {
    match number {
        Number::Const(_) | Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => {
            Some(number.clone())
        }
        Number::Cast { to, of } => {
            let of = fold(of)?;
            if let Number::Const(value) = of {
                return Some(Number::Const(Integer::of(value).cast(*to).value()));
            }
            // A cast does not change values that the type can hold.
            let held = bounds(&Domain::of(&of).ranges).is_some_and(|(a, b)| to.min() <= a && b <= to.max());
            Some(if held { of } else { Number::Cast { to: *to, of: Box::new(of) } })
        }
        Number::Binary { op, sign, left, right } => {
            let (l, r) = (fold(left)?, fold(right)?);
            match (op, &l, &r) {
                (_, Number::Const(a), Number::Const(b)) => {
                    let computed = arithmetic(*op, *sign, Integer::of(*a), Integer::of(*b))?;
                    return Some(Number::Const(computed.value()));
                }
                (NumberOp::Div | NumberOp::Rem, _, Number::Const(0)) => return None,
                (NumberOp::Shl | NumberOp::Shr, _, Number::Const(by)) if !(0..64).contains(by) => {
                    return None;
                }
                // The mask has all bits that the number can have.
                (NumberOp::And, of, Number::Const(mask)) | (NumberOp::And, Number::Const(mask), of)
                    if keeps_all(*sign, of, *mask) =>
                {
                    return Some(of.clone());
                }
                _ => {}
            }
            Some(if Number::sign_of(*op, &l, &r) == *sign {
                Number::Binary { op: *op, sign: *sign, left: Box::new(l), right: Box::new(r) }
            } else {
                number.clone()
            })
        }
    }
}

fn keeps_all(sign: Sign, of: &Number, mask: i128) -> bool {
    let ends = bounds(&Domain::of(of).ranges);
    ends.is_some_and(|(first, last)| {
        0 <= first && last <= sign.range().1 && below_power_of_two(last) as u64 & !(mask as u64) == 0
    })
}

/// Returns the smallest and the largest value of a number, where these two alone decide whether it is in the set.
/// `None` where the decision depends on its bits, or on its operands.
pub(super) fn deciding_range(number: &Number, set: &Ranges) -> Option<(i128, i128)> {
    let range = bounds(&Domain::of(number).ranges)?;
    let whole = Ranges::new([range]);
    let inside = whole.intersection(set);
    (inside.is_empty() || inside == whole).then_some(range)
}

/// Reduces a test of a number to a test of its operand, as far down as nothing wraps: `x + 1 in S` is `x in S - 1`.
///
/// `set` holds only values that the number can have. An empty one is not reduced further.
pub(super) fn reduce(mut number: Number, mut set: Ranges) -> (Number, Ranges) {
    while !set.is_empty()
        && let Some((inner, preimage)) = inverse(&number, &set)
    {
        (number, set) = (inner, preimage);
    }
    (number, set)
}

/// Returns one step of [`reduce`]. Each of these operations with a constant is monotone, so that the operands for a
/// range are a range.
fn inverse(number: &Number, set: &Ranges) -> Option<(Number, Ranges)> {
    let Number::Binary { op, sign, left, right } = number else { return None };
    let (of, constant, constant_left) = match (&**left, &**right) {
        (of, Number::Const(constant)) => (of, *constant, false),
        (Number::Const(constant), of) => (of, *constant, true),
        _ => return None,
    };
    let domain = Domain::of(of);
    let operand = bounds(&domain.ranges)?;
    let alone = (constant, constant);
    let whole = if constant_left { interval(*op, alone, operand)? } else { interval(*op, operand, alone)? };
    let held = |(first, last): (i128, i128)| sign.range().0 <= first && last <= sign.range().1;
    let shift = matches!(op, NumberOp::Shl | NumberOp::Shr);
    if !held(operand) || !held(whole) || !(shift || held(alone)) {
        return None;
    }
    let source = |range| preimage(*op, range, constant, constant_left);
    let preimage = Ranges::new(set.iter().map(source).collect::<Option<Vec<_>>>()?);
    Some((of.clone(), domain.clip(&preimage)))
}

/// Returns the operands for which an operation gives a value in a range, as if nothing wrapped. `None` where these are
/// not a range.
fn preimage(op: NumberOp, (a, b): (i128, i128), constant: i128, constant_left: bool) -> Option<(i128, i128)> {
    Some(match op {
        NumberOp::Add => (a - constant, b - constant),
        NumberOp::Sub if constant_left => (constant - b, constant - a),
        NumberOp::Sub => (a + constant, b + constant),
        NumberOp::Mul if constant > 0 => unscaled((a, b), constant),
        _ if constant_left => return None,
        NumberOp::Shl if (0..64).contains(&constant) => unscaled((a, b), 1 << constant),
        NumberOp::Shr if (0..64).contains(&constant) => (a << constant, ((b + 1) << constant) - 1),
        // Division truncates toward 0: the dividends of 0 extend to both sides of it.
        NumberOp::Div if constant > 0 => {
            let first = if a > 0 { a * constant } else { (a - 1) * constant + 1 };
            let last = if b >= 0 { b * constant + constant - 1 } else { b * constant };
            (first, last)
        }
        _ => return None,
    })
}

/// Returns the numbers whose product with a positive one is in a range.
fn unscaled((first, last): (i128, i128), by: i128) -> (i128, i128) {
    (first.div_euclid(by) + i128::from(first.rem_euclid(by) != 0), last.div_euclid(by))
}

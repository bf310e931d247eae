//! Sets of each form that code has for them: a word of bits, vectors, a table of bits, a table that is searched.

use tracec_kernel::condition::ir::{Atom, Condition, Number};
use tracec_kernel::condition::ranges::Ranges;

use crate::cases::{Case, asked};
use crate::event::{Event, INTEGERS, PLAIN};
use crate::generate::random::Random;

/// Returns so many questions about sets, with so many records each.
pub(crate) fn cases(count: usize, records: usize, random: &mut Random) -> Vec<Case> {
    (0..count)
        .map(|_| {
            let event: &'static Event = &PLAIN;
            let condition = Condition::Atom(set(event, random));
            let asked = asked(event, &condition, records, random);
            Case { event, condition, asked }
        })
        .collect()
}

fn set(event: &Event, random: &mut Random) -> Atom {
    let name = random.pick(INTEGERS);
    let of = Number::Field(event.format.field(name).expect("an integer").clone());
    let (min, max) = of.range();
    // From dense to sparse.
    let gap = random.pick(&[3, 6, 60, 900, 1 << 20, 1 << 40]);
    let most = random.pick(&[4, 20, 80]);
    let members = 2 + random.below(most);
    let longest = random.pick(&[1, 1, 4]);
    let first = match random.below(3) {
        0 => min,
        1 => 0,
        _ => i128::from(random.bits()).clamp(min, max),
    };
    let mut next = first;
    let mut ranges = Vec::new();
    for _ in 0..members {
        let last = next + random.below(longest) as i128;
        if last > max {
            break;
        }
        ranges.push((next, last));
        next = last + 2 + random.below(gap) as i128;
    }
    if ranges.is_empty() {
        ranges.push((max, max));
    }
    Atom::In { of, ranges: Ranges::new(ranges) }
}

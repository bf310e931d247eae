//! Conditions that decoders take, and records of any bytes.

use tracec_kernel::condition::context::Context;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::condition::realisation::{Engine, constructs, obstacles};
use tracec_kernel::format::IntegerType;

use crate::bytes;
use crate::event::{Event, HIDING, INTEGERS, Moment, PLAIN};
use crate::generate::conditions::{OPS, edge};
use crate::generate::hints::Hints;
use crate::generate::random::Random;
use crate::records;

/// A condition at an event, and the records that it is asked about.
pub(crate) struct Case {
    pub(crate) event: &'static Event,
    pub(crate) condition: Condition,
    pub(crate) asked: Vec<Asked>,
}

/// A record, and what its moment has beside it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) moment: Moment,
    pub(crate) tgid: i32,
}

impl Context for Asked {
    fn cpu(&self) -> Option<u32> {
        self.moment.cpu()
    }

    fn tgid(&self) -> Option<i32> {
        Some(self.tgid)
    }

    fn comm(&self) -> Option<&[u8]> {
        self.moment.comm()
    }

    fn kernel_text(&self, address: u64) -> Option<&[u8]> {
        self.moment.kernel_text(address)
    }

    fn user_text(&self, address: u64) -> Option<&[u8]> {
        self.moment.user_text(address)
    }
}

/// Returns so many conditions that an engine takes, with so many records each.
pub(crate) fn cases(engine: Engine, count: usize, records: usize, random: &mut Random) -> Vec<Case> {
    let mut cases = Vec::new();
    while cases.len() < count {
        let event: &'static Event = if random.once_in(8) { &HIDING } else { &PLAIN };
        let condition = match random.below(4) {
            0 => Condition::Atom(computed(event, random)),
            1 if random.once_in(8) => deep(event, random),
            1 if random.once_in(3) => Condition::Atom(rare(event, random)),
            _ => event.vocabulary.condition(random),
        };
        let is_valid = condition.check().is_ok() && condition.check_fields(&event.format).is_ok();
        let parts = constructs(&condition, &event.spelling);
        if is_valid && obstacles(&parts, engine, |_| true).next().is_none() {
            let asked = asked(event, &condition, records, random);
            cases.push(Case { event, condition, asked });
        }
    }
    cases
}

/// Returns a comparison of numbers that are computed from several fields.
fn computed(event: &Event, random: &mut Random) -> Atom {
    let left = number(event, 3, random);
    if random.once_in(4) {
        let (min, max) = left.range();
        let run = |random: &mut Random| {
            let first = edge(random).clamp(min, max);
            (first, (first + random.below(1000) as i128).min(max))
        };
        let ranges = Ranges::new((0..1 + random.below(3)).map(|_| run(random)).collect::<Vec<_>>());
        return Atom::In { of: left, ranges };
    }
    let right = match random.below(4) {
        0 => Number::Const(edge(random)),
        1 => Number::Const(random.below(40) as i128),
        _ => number(event, 2, random),
    };
    Atom::Compare { left, op: random.pick(&OPS), right }
}

/// Returns a question that others seldom ask: about a mask of `__rel_loc`, or two fields of any signs.
fn rare(event: &Event, random: &mut Random) -> Atom {
    if random.once_in(3) {
        let of = bytes::field(&event.format, "near_cpus").clone();
        let test = random.pick(&[MaskTest::Any, MaskTest::Equal, MaskTest::Differ]);
        let first = random.below(70) as i128;
        return Atom::Mask { of, test, cpus: Ranges::new([(first, first + random.below(3) as i128)]) };
    }
    let field = |random: &mut Random| Number::Field(random.pick(&event.vocabulary.integers));
    Atom::Compare { left: field(random), op: random.pick(&OPS), right: field(random) }
}

fn number(event: &Event, depth: usize, random: &mut Random) -> Number {
    use NumberOp::*;
    if depth == 0 || random.once_in(5) {
        return match random.below(12) {
            0 => Number::Cpu,
            1 => Number::Pid,
            2 => Number::Tgid,
            _ => Number::Field(random.pick(&event.vocabulary.integers)),
        };
    }
    let left = number(event, depth - 1, random);
    if random.once_in(4) {
        let to = IntegerType { bytes: random.pick(&[1, 2, 4, 8]), signed: random.once_in(2) };
        return Number::Cast { to, of: Box::new(left) };
    }
    let op = random.pick(&[Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor]);
    let right = number(event, depth - 1, random);
    let right = match op {
        // Most counts are valid.
        Shl | Shr if !random.once_in(3) => Number::binary(And, right, Number::Const(63)),
        // Divisors that are 0 now and then.
        Div | Rem if random.once_in(2) => Number::binary(And, right, Number::Const(3)),
        _ if random.once_in(4) => Number::Const(edge(random)),
        _ => right,
    };
    Number::binary(op, left, right)
}

/// Returns a condition of more levels than one expression has.
fn deep(event: &Event, random: &mut Random) -> Condition {
    let mut condition = event.vocabulary.condition(random);
    for level in 0..20 + random.below(30) {
        let other = event.vocabulary.condition(random);
        condition = match level % 3 {
            0 => Condition::And(vec![condition, Condition::Or(vec![other, Condition::Const(true)])]),
            1 => Condition::Or(vec![condition, Condition::And(vec![other, Condition::Const(false)])]),
            _ => Condition::Not(Box::new(condition)),
        };
    }
    condition
}

/// Returns records for a condition, some of them damaged.
pub(crate) fn asked(
    event: &'static Event,
    condition: &Condition,
    count: usize,
    random: &mut Random,
) -> Vec<Asked> {
    let hints = Hints::of(condition);
    let mut moment = records::moment(event, &hints, random);
    let mut all = Vec::new();
    for _ in 0..count {
        records::another(&hints, &mut moment, random);
        let mut asked = Asked { moment: moment.clone(), tgid: hints.integer(random) as i32 };
        if random.once_in(8) {
            small(&mut asked.moment, random);
        }
        damage(&mut asked.moment, random);
        all.push(asked);
    }
    all
}

/// Gives every integer one of a few values, so that two of them are equal now and then.
fn small(moment: &mut Moment, random: &mut Random) {
    for name in INTEGERS {
        moment.put(name, random.below(3) as u64);
    }
}

/// Makes one record in eight such as a kernel does not write: locations that lead outside, and a record that is cut.
fn damage(moment: &mut Moment, random: &mut Random) {
    if random.once_in(12) {
        let length = moment.bytes.len();
        for name in ["name", "synthetic", "near", "cpus", "near_cpus"] {
            let offset = random.below(length + 8);
            // Many end where the record does, or a byte behind.
            let bytes = match random.below(4) {
                0 => length.saturating_sub(offset),
                1 => length.saturating_sub(offset) + 1,
                2 => random.below(20),
                _ => random.bits() as usize & 0xffff,
            };
            moment.put(name, (bytes << 16 | offset) as u64);
        }
    }
    if random.once_in(16) {
        // Half of them end where a field does.
        let fields = &moment.event.format.fields;
        let field = &fields[random.below(fields.len())];
        let length = match random.once_in(2) {
            true => (field.offset + field.size).max(8) as usize,
            false => 8 + random.below(moment.bytes.len() - 8),
        };
        moment.bytes.truncate(length);
    }
}

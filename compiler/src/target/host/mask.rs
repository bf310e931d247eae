//! Tests of sets of CPUs: the bits of the record compared with a table of bits.

use cranelift::prelude::*;
use tracec_kernel::condition::ir::MaskTest;
use tracec_kernel::condition::ranges::Ranges;

use super::bytes::{Room, located};
use super::emitter::{Bounds, Emitter, Exits};

/// The number of bits that a record can hold: the length of dynamic data has 16 bits. No record has the bit behind them.
const BITS: i128 = 8 * 0xffff;

/// Writes the decision of a test of a mask.
pub(super) fn write(
    emitter: &mut Emitter<'_>,
    place: (u32, bool),
    test: MaskTest,
    cpus: &Ranges,
    record: Bounds,
    exits: Exits,
) {
    let bytes = located(emitter, place, record, exits.otherwise);
    let Room::Told(length) = bytes.room else { return emitter.jump(exits.otherwise, &[]) };
    let end = emitter.to.ins().iadd(bytes.at, length);
    let listed = Listed::of(cpus);
    match test {
        MaskTest::Any => any(emitter, bytes.at, end, &listed, exits),
        MaskTest::Equal => equal(emitter, (bytes.at, length), end, &listed, exits),
        MaskTest::Differ => equal(emitter, (bytes.at, length), end, &listed, exits.swapped()),
    }
}

/// The CPUs that a mask is compared with, as bytes of bits.
struct Listed {
    /// The bytes before the first with a bit.
    skipped: usize,
    /// The bytes from the first with a bit to the last.
    bytes: Vec<u8>,
}

impl Listed {
    fn of(cpus: &Ranges) -> Listed {
        let all: Vec<(i128, i128)> = cpus.intersection(&Ranges::new([(0, BITS)])).iter().collect();
        let last = all.last().map_or(0, |(_, last)| *last);
        // All are behind what a record can hold.
        let skipped = all.first().map_or(BITS / 8, |(first, _)| first / 8);
        let mut bytes = vec![0_u8; (last / 8 + 1 - skipped).max(1) as usize];
        for cpu in all.iter().flat_map(|(first, last)| *first..=*last) {
            bytes[(cpu / 8 - skipped) as usize] |= 1 << (cpu % 8);
        }
        Listed { skipped: skipped as usize, bytes }
    }
}

/// Writes whether a listed bit is in the mask.
fn any(emitter: &mut Emitter<'_>, at: Value, end: Value, listed: &Listed, exits: Exits) {
    let first = emitter.add(at, listed.skipped as i64);
    let last = emitter.add(first, listed.bytes.len() as i64);
    let is_longer = emitter.compare(IntCC::UnsignedLessThan, last, end);
    let last = emitter.to.ins().select(is_longer, last, end);
    let table = emitter.table(listed.bytes.clone());
    each(emitter, (first, last), Some((table, Bits::Common)), exits.then);
    emitter.jump(exits.otherwise, &[]);
}

/// Writes whether the bits of a mask are those that are listed.
fn equal(emitter: &mut Emitter<'_>, (at, length): (Value, Value), end: Value, listed: &Listed, exits: Exits) {
    let needed = (listed.skipped + listed.bytes.len()) as i64;
    let is_shorter = emitter.compare_with(IntCC::UnsignedLessThan, length, needed);
    emitter.forbid(is_shorter, exits.otherwise);
    let first = emitter.add(at, listed.skipped as i64);
    let last = emitter.add(at, needed);
    let table = emitter.table(listed.bytes.clone());
    each(emitter, (at, first), None, exits.otherwise);
    each(emitter, (first, last), Some((table, Bits::Differing)), exits.otherwise);
    each(emitter, (last, end), None, exits.otherwise);
    emitter.jump(exits.then, &[]);
}

/// The bits of a mask and a table that count.
#[derive(Clone, Copy)]
enum Bits {
    /// Those that both have.
    Common,
    /// Those that one has.
    Differing,
}

/// Writes a loop over bytes, as words while there are. It continues at `found` where they are not 0, or where their
/// common or differing bits with those of a table are not. The end may be before the begin.
fn each(emitter: &mut Emitter<'_>, (first, last): (Value, Value), with: Option<(Value, Bits)>, found: Block) {
    let mut at = first;
    for of in [types::I64, types::I8] {
        let size = i64::from(of.bytes());
        let (next, done) = (emitter.block_of(1), emitter.block());
        emitter.jump(next, &[at]);
        [at] = emitter.begin(next);
        let rest = emitter.to.ins().isub(last, at);
        let is_short = emitter.compare_with(IntCC::SignedLessThan, rest, size);
        emitter.forbid(is_short, done);
        let mut bits = emitter.load(of, at, 0);
        if let Some((table, operation)) = with {
            let distance = emitter.to.ins().isub(at, first);
            let expected = emitter.to.ins().iadd(table, distance);
            let expected = emitter.load_constant(of, expected, 0);
            bits = match operation {
                Bits::Common => emitter.to.ins().band(bits, expected),
                Bits::Differing => emitter.to.ins().bxor(bits, expected),
            };
        }
        emitter.forbid(bits, found);
        let following = emitter.add(at, size);
        emitter.jump(next, &[following]);
        emitter.begin::<0>(done);
    }
}

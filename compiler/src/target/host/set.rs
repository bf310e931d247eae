//! Whether an integer is in a set: one comparison where the set is a run, bits of a word where it is narrow, vectors
//! where it has a few numbers, and else a table of bits or a search by halves. No form has a comparison for each of many
//! members.

use cranelift::codegen::ir::Type;
use cranelift::prelude::*;
use tracec_kernel::condition::ranges::Ranges;

use super::emitter::{Emitter, Exits, integer};

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Its size: 1, 2, 4 or 8.
    pub(super) bytes: u32,
    /// Whether it is signed.
    pub(super) signed: bool,
}

/// The number of ranges up to which each has a comparison.
const FEW: usize = 3;

/// The number of vectors up to which the members of a set are compared at once.
const VECTORS: usize = 4;

/// The number of bits up to which a set is a table of bits: half a page.
const TABLE_BITS: i128 = 8 * 2048;

impl Kind {
    fn of(self) -> Type {
        integer(self.bytes)
    }

    fn range(self) -> (i128, i128) {
        let bits = 8 * self.bytes;
        if self.signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    fn comparison(self, signed: IntCC, unsigned: IntCC) -> IntCC {
        if self.signed { signed } else { unsigned }
    }
}

/// Writes whether a value is in one of some ranges.
pub(super) fn write(emitter: &mut Emitter<'_>, value: Value, kind: Kind, ranges: &Ranges, exits: Exits) {
    let (min, max) = kind.range();
    let others = ranges.complement(min, max);
    let ranges = others.complement(min, max);
    let all: Vec<(i128, i128)> = ranges.iter().collect();
    let Some((first, last)) = all.first().zip(all.last()).map(|((first, _), (_, last))| (*first, *last))
    else {
        return emitter.jump(exits.otherwise, &[]);
    };
    if others.is_empty() {
        return emitter.jump(exits.then, &[]);
    }
    let mut gaps = others.iter();
    if let (Some(gap), None) = (gaps.next(), gaps.next())
        && all.len() > 1
    {
        return run(emitter, value, kind, gap, exits.swapped());
    }
    let is_sparse = all.iter().all(|(first, last)| first == last);
    let lanes = 16 / kind.bytes as usize;
    match all.len() {
        1 => run(emitter, value, kind, all[0], exits),
        _ if last - first < 64 => word(emitter, value, kind, &ranges, (first, last), exits),
        2..=FEW => few(emitter, value, kind, &all, exits),
        count if is_sparse && count <= VECTORS * lanes => vectors(emitter, value, kind, &all, exits),
        _ if last - first < TABLE_BITS => bits(emitter, value, kind, &ranges, (first, last), exits),
        _ => search(emitter, value, kind, &all, is_sparse, exits),
    }
}

/// Returns whether a value is in a run.
fn in_run(emitter: &mut Emitter<'_>, value: Value, kind: Kind, (first, last): (i128, i128)) -> Value {
    let (min, max) = kind.range();
    let most = kind.comparison(IntCC::SignedLessThanOrEqual, IntCC::UnsignedLessThanOrEqual);
    let least = kind.comparison(IntCC::SignedGreaterThanOrEqual, IntCC::UnsignedGreaterThanOrEqual);
    if first == last {
        emitter.compare_with(IntCC::Equal, value, first as i64)
    } else if first == min {
        emitter.compare_with(most, value, last as i64)
    } else if last == max {
        emitter.compare_with(least, value, first as i64)
    } else {
        let distance = emitter.add(value, (first as i64).wrapping_neg());
        emitter.compare_with(IntCC::UnsignedLessThanOrEqual, distance, (last - first) as i64)
    }
}

fn run(emitter: &mut Emitter<'_>, value: Value, kind: Kind, range: (i128, i128), exits: Exits) {
    let is_inside = in_run(emitter, value, kind, range);
    emitter.branch(is_inside, exits);
}

fn few(emitter: &mut Emitter<'_>, value: Value, kind: Kind, all: &[(i128, i128)], exits: Exits) {
    for range in all {
        let is_inside = in_run(emitter, value, kind, *range);
        emitter.forbid(is_inside, exits.then);
    }
    emitter.jump(exits.otherwise, &[]);
}

/// Writes the distance of a value from the first of a set in 64 bits; a value outside of the set's span continues at
/// `otherwise`.
fn distance(emitter: &mut Emitter<'_>, value: Value, (first, last): (i128, i128), otherwise: Block) -> Value {
    let distance = emitter.add(value, (first as i64).wrapping_neg());
    let is_outside = emitter.compare_with(IntCC::UnsignedGreaterThan, distance, (last - first) as i64);
    emitter.forbid(is_outside, otherwise);
    emitter.widen(distance, false)
}

/// Writes a set whose span is at most a word of bits.
fn word(
    emitter: &mut Emitter<'_>,
    value: Value,
    _: Kind,
    ranges: &Ranges,
    (first, last): (i128, i128),
    exits: Exits,
) {
    let distance = distance(emitter, value, (first, last), exits.otherwise);
    let bit = |bits: u64, at: i128| bits | 1 << (at - first);
    let bits = ranges.iter().flat_map(|(first, last)| first..=last).fold(0, bit);
    let bits = emitter.constant(types::I64, bits as i64);
    let bit = emitter.to.ins().ushr(bits, distance);
    let bit = emitter.to.ins().band_imm_u(bit, 1);
    emitter.branch(bit, exits);
}

/// Writes a set of a few numbers, compared with vectors of them.
fn vectors(emitter: &mut Emitter<'_>, value: Value, kind: Kind, all: &[(i128, i128)], exits: Exits) {
    let lanes = 16 / kind.bytes;
    let of = kind.of().by(lanes).unwrap_or(types::I8X16);
    let all_of = emitter.to.ins().splat(of, value);
    let mut any: Option<Value> = None;
    for chunk in all.chunks(lanes as usize) {
        let member = |lane: usize| chunk.get(lane).unwrap_or(&chunk[0]).0 as u64;
        let bytes: Vec<u8> = (0..lanes as usize)
            .flat_map(|lane| member(lane).to_le_bytes().into_iter().take(kind.bytes as usize))
            .collect();
        let constant = emitter.to.func.dfg.constants.insert(bytes.into());
        let members = emitter.to.ins().vconst(of, constant);
        let equal = emitter.compare(IntCC::Equal, all_of, members);
        any = Some(match any {
            None => equal,
            Some(before) => emitter.to.ins().bor(before, equal),
        });
    }
    match any {
        Some(any) => {
            let any = emitter.to.ins().vany_true(any);
            emitter.branch(any, exits);
        }
        None => emitter.jump(exits.otherwise, &[]),
    }
}

/// Writes a set as a table of bits.
fn bits(
    emitter: &mut Emitter<'_>,
    value: Value,
    _: Kind,
    ranges: &Ranges,
    (first, last): (i128, i128),
    exits: Exits,
) {
    let mut table = vec![0_u8; ((last - first) / 8 + 1) as usize];
    for member in ranges.iter().flat_map(|(first, last)| first..=last) {
        table[((member - first) / 8) as usize] |= 1 << ((member - first) % 8);
    }
    let distance = distance(emitter, value, (first, last), exits.otherwise);
    let table = emitter.table(table);
    let byte = emitter.to.ins().ushr_imm_u(distance, 3);
    let at = emitter.to.ins().iadd(table, byte);
    let byte = emitter.load_constant(types::I8, at, 0);
    let byte = emitter.widen(byte, false);
    let bit = emitter.to.ins().band_imm_u(distance, 7);
    let bit = emitter.to.ins().ushr(byte, bit);
    let bit = emitter.to.ins().band_imm_u(bit, 1);
    emitter.branch(bit, exits);
}

/// Writes a search by halves in the first numbers of the ranges, which are in a table; their last numbers are in
/// another behind it. The number of steps follows from the size of the table.
fn search(
    emitter: &mut Emitter<'_>,
    value: Value,
    kind: Kind,
    all: &[(i128, i128)],
    is_sparse: bool,
    exits: Exits,
) {
    let size = kind.bytes as usize;
    let bytes = |number: &i128| (*number as u64).to_le_bytes().into_iter().take(size);
    let mut table: Vec<u8> = all.iter().flat_map(|(first, _)| bytes(first)).collect();
    if !is_sparse {
        table.extend(all.iter().flat_map(|(_, last)| bytes(last)));
    }
    let most = kind.comparison(IntCC::SignedLessThanOrEqual, IntCC::UnsignedLessThanOrEqual);
    let mut at = emitter.table(table);
    let mut count = all.len();
    while count > 1 {
        let half = count / 2;
        let middle = emitter.add(at, (half * size) as i64);
        let first = emitter.load_constant(kind.of(), middle, 0);
        let is_there = emitter.compare(most, first, value);
        at = emitter.to.ins().select(is_there, middle, at);
        count -= half;
    }
    let first = emitter.load_constant(kind.of(), at, 0);
    if is_sparse {
        let is_member = emitter.compare(IntCC::Equal, first, value);
        return emitter.branch(is_member, exits);
    }
    let begins = emitter.compare(most, first, value);
    emitter.require(begins, exits.otherwise);
    let lasts = emitter.add(at, (all.len() * size) as i64);
    let last = emitter.load_constant(kind.of(), lasts, 0);
    let is_inside = emitter.compare(most, value, last);
    emitter.branch(is_inside, exits);
}

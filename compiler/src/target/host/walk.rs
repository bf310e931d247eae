//! The walk over a page's entries, the dispatch by event, and what is written down of a record.
//!
//! The walk is that of [`Entries`](tracec_kernel::page::Entries), entry by entry. Where it meets an entry that cannot be
//! read it ends with the kind of the error and the offset of the entry.

use std::mem::offset_of;

use cranelift::frontend::Switch;
use cranelift::prelude::*;
use tracec_kernel::selection::Selected;

use super::condition;
use super::emitter::{Bounds, Emitter, Exits, Part};
use super::entry::{BASE, DONE, END, FULL, IMPOSSIBLE, LIMIT, OUT, OUTSIDE, PADDED, POSITION, RECORDS, TIME};
use super::program::{Decided, Group, Program};

/// `enum ring_buffer_type` (include/linux/ring_buffer.h); 1 to 28 are the length of the data in words.
const LONG_DATA: i64 = 0;
const PADDING: i64 = 29;
const TIME_EXTEND: i64 = 30;
/// The length of the shortest record whose length is in the head.
const SHORTEST: u64 = 4;
/// The size of an entry's head.
const HEAD: i64 = 4;
/// `TS_MSB`: the bits of a time stamp that an absolute entry cannot hold.
const TIMESTAMP_TOP: i64 = 0xf8 << 56;

/// The blocks that the walk consists of.
struct Walk {
    /// The next entry: its address, the time before it, the end of what is selected, the number of records before it.
    next: Block,
    /// A record of four bytes or more: its address, its size, its time, the address of the next entry.
    record: Block,
    /// A record that is not of an event of the selection, as above.
    other: Block,
    /// The end: the outcome.
    leave: Block,
    /// The end at an entry of which more may be selected than there is room for.
    full: Block,
    /// The end at an entry that reaches past the end of the page.
    outside: Block,
    /// The end at an entry with an impossible length.
    impossible: Block,
    end: Value,
    /// The last address at which the head of an entry can be.
    last: Value,
    /// The parameters of `next`.
    at: Value,
    time: Value,
    out: Value,
    count: Value,
}

/// Writes the whole function.
pub(super) fn write(emitter: &mut Emitter<'_>, program: &Program<'_>) {
    emitter.part(Part::Walk, |emitter| {
        let walk = begin(emitter);
        head(emitter, &walk);
        record(emitter, &walk, program);
        other(emitter, &walk, program);
        leave(emitter, &walk);
    });
}

/// Writes the entry of the function.
fn begin(emitter: &mut Emitter<'_>) -> Walk {
    let (next, record, other) = (emitter.block_of(4), emitter.block_of(4), emitter.block_of(4));
    let (leave, full) = (emitter.block_of(1), emitter.block());
    let (outside, impossible) = (emitter.block(), emitter.block());
    let end = emitter.state(types::I64, END);
    let last = emitter.add(end, -HEAD);
    let at = emitter.state(types::I64, POSITION);
    let time = emitter.state(types::I64, TIME);
    let out = emitter.state(types::I64, OUT);
    let none = emitter.constant(types::I64, 0);
    emitter.jump(next, &[at, time, out, none]);
    let [at, time, out, count] = emitter.begin(next);
    Walk { next, record, other, leave, full, outside, impossible, end, last, at, time, out, count }
}

/// Writes the head of an entry: which kind it is, and whether it is inside the page.
fn head(emitter: &mut Emitter<'_>, walk: &Walk) {
    let (ended, special) = (emitter.block(), emitter.block());
    for cold in [ended, special] {
        emitter.to.set_cold_block(cold);
    }
    let is_behind = emitter.compare(IntCC::UnsignedGreaterThan, walk.at, walk.last);
    emitter.forbid(is_behind, ended);
    let head = emitter.load_wide(types::I32, false, walk.at, 0);
    let kind = emitter.to.ins().band_imm_u(head, 31);
    let delta = emitter.to.ins().ushr_imm_u(head, 5);
    let words = emitter.add(kind, -1);
    let is_special = emitter.compare_with(IntCC::UnsignedGreaterThan, words, 27);
    emitter.forbid(is_special, special);
    let size = emitter.to.ins().ishl_imm_u(kind, 2);
    // A head could be at the end of the record less its own size.
    let before_end = emitter.to.ins().iadd(walk.at, size);
    emitter.part(Part::End, |emitter| {
        let is_outside = emitter.compare(IntCC::UnsignedGreaterThan, before_end, walk.last);
        emitter.forbid(is_outside, walk.outside);
    });
    let time = emitter.to.ins().iadd(walk.time, delta);
    let data = emitter.add(walk.at, HEAD);
    let next = emitter.add(before_end, HEAD);
    emitter.jump(walk.record, &[data, size, time, next]);

    // A record of any length may be followed by less than its rounding, so the end may be before the next entry.
    emitter.begin::<0>(ended);
    let is_done = emitter.compare(IntCC::UnsignedGreaterThanOrEqual, walk.at, walk.end);
    let done = emitter.block();
    emitter.branch(is_done, Exits { then: done, otherwise: walk.outside });
    emitter.begin::<0>(done);
    let done = outcome(emitter, DONE);
    emitter.jump(walk.leave, &[done]);
    self::special(emitter, walk, special, Special { kind, delta });
}

/// What is known of an entry that is not a record with its length in the head.
struct Special {
    kind: Value,
    delta: Value,
}

/// Writes the entries that have a second word: long records, padding, and time.
fn special(emitter: &mut Emitter<'_>, walk: &Walk, from: Block, entry: Special) {
    let Special { kind, delta } = entry;
    emitter.begin::<0>(from);
    let rest = emitter.to.ins().isub(walk.end, walk.at);
    let (long, other, padding, extend, stamp) =
        (emitter.block(), emitter.block(), emitter.block(), emitter.block(), emitter.block());
    let (padded, of_time, record, short) =
        (emitter.block(), emitter.block(), emitter.block(), emitter.block());
    // Out of the way of the records that follow each other.
    for cold in [long, other, padding, extend, stamp, padded, of_time, record, short] {
        emitter.to.set_cold_block(cold);
    }
    let is_padding = emitter.compare_with(IntCC::Equal, kind, PADDING);
    let is_empty = emitter.compare_with(IntCC::Equal, delta, 0);
    let is_rest = emitter.to.ins().band(is_padding, is_empty);
    emitter.forbid(is_rest, padded);
    let has_word = emitter.compare_with(IntCC::SignedGreaterThanOrEqual, rest, 8);
    emitter.require(has_word, walk.outside);
    let word = emitter.load_wide(types::I32, false, walk.at, 4);
    let behind = emitter.add(walk.at, 8);
    emitter.branch(is_padding, Exits { then: padding, otherwise: other });

    emitter.begin::<0>(other);
    let is_long = emitter.compare_with(IntCC::Equal, kind, LONG_DATA);
    emitter.branch(is_long, Exits { then: long, otherwise: of_time });

    emitter.begin::<0>(long);
    let is_impossible = emitter.compare_with(IntCC::UnsignedLessThan, word, 4);
    emitter.forbid(is_impossible, walk.impossible);
    let size = emitter.add(word, -4);
    let room = emitter.add(rest, -8);
    emitter.part(Part::End, |emitter| {
        let is_outside = emitter.compare(IntCC::UnsignedGreaterThan, size, room);
        emitter.forbid(is_outside, walk.outside);
    });
    let time = emitter.to.ins().iadd(walk.time, delta);
    let next = round_up(emitter, behind, size);
    let is_short = emitter.compare_with(IntCC::UnsignedLessThan, size, SHORTEST as i64);
    emitter.branch(is_short, Exits { then: short, otherwise: record });
    emitter.begin::<0>(record);
    emitter.jump(walk.record, &[behind, size, time, next]);
    emitter.begin::<0>(short);
    emitter.jump(walk.other, &[behind, size, time, next]);

    // A discarded record. The kernel forces a delta of 0 to 1 (`rb_event_discard`) and so does not count a 1
    // (`check_buffer`); a larger delta is real, and the next record's delta counts from there.
    emitter.begin::<0>(padding);
    let room = emitter.add(rest, -4);
    let is_outside = emitter.compare(IntCC::UnsignedGreaterThan, word, room);
    emitter.forbid(is_outside, walk.outside);
    let is_forced = emitter.compare_with(IntCC::Equal, delta, 1);
    let none = emitter.constant(types::I64, 0);
    let counted = emitter.to.ins().select(is_forced, none, delta);
    let time = emitter.to.ins().iadd(walk.time, counted);
    let start = emitter.add(walk.at, 4);
    let next = round_up(emitter, start, word);
    emitter.jump(walk.next, &[next, time, walk.out, walk.count]);

    emitter.begin::<0>(padded);
    let padded = emitter.constant(types::I32, 1);
    emitter.store(padded, emitter.state, PADDED);
    emitter.jump(walk.next, &[walk.end, walk.time, walk.out, walk.count]);

    emitter.begin::<0>(of_time);
    let high = emitter.to.ins().ishl_imm_u(word, 27);
    let full = emitter.to.ins().iadd(high, delta);
    let is_extend = emitter.compare_with(IntCC::Equal, kind, TIME_EXTEND);
    emitter.branch(is_extend, Exits { then: extend, otherwise: stamp });
    emitter.begin::<0>(extend);
    let time = emitter.to.ins().iadd(walk.time, full);
    emitter.jump(walk.next, &[behind, time, walk.out, walk.count]);
    emitter.begin::<0>(stamp);
    let time = absolute(emitter, full, walk.time);
    emitter.jump(walk.next, &[behind, time, walk.out, walk.count]);
}

/// Completes an absolute stamp as `rb_fix_abs_ts` does: an entry holds 59 bits, the rest comes from the time before it.
fn absolute(emitter: &mut Emitter<'_>, stamp: Value, before: Value) -> Value {
    let top = emitter.constant(types::I64, TIMESTAMP_TOP);
    let top = emitter.to.ins().band(before, top);
    let joined = emitter.to.ins().bor(stamp, top);
    let carried = emitter.add(joined, 1 << 59);
    let has_wrapped = emitter.compare(IntCC::UnsignedLessThan, joined, before);
    let joined = emitter.to.ins().select(has_wrapped, carried, joined);
    let has_top = emitter.compare_with(IntCC::NotEqual, top, 0);
    emitter.to.ins().select(has_top, joined, stamp)
}

/// Returns the end of bytes, rounded up to a multiple of four from the begin of all entries.
fn round_up(emitter: &mut Emitter<'_>, start: Value, size: Value) -> Value {
    // Entries begin at multiples of four, so the start is one.
    let size = emitter.add(size, 3);
    let size = emitter.to.ins().band_imm_s(size, -4);
    emitter.to.ins().iadd(start, size)
}

fn outcome(emitter: &mut Emitter<'_>, of: u32) -> Value {
    emitter.constant(types::I64, i64::from(of))
}

/// Writes the end of the walk, which leaves its position in the state.
fn leave(emitter: &mut Emitter<'_>, walk: &Walk) {
    for (block, of) in [(walk.outside, OUTSIDE), (walk.impossible, IMPOSSIBLE), (walk.full, FULL)] {
        emitter.to.set_cold_block(block);
        emitter.begin::<0>(block);
        let outcome = outcome(emitter, of);
        emitter.jump(walk.leave, &[outcome]);
    }
    let [outcome] = emitter.begin(walk.leave);
    let state = emitter.state;
    for (value, offset) in [(walk.at, POSITION), (walk.time, TIME), (walk.out, OUT), (walk.count, RECORDS)] {
        emitter.store(value, state, offset);
    }
    let outcome = emitter.to.ins().ireduce(types::I32, outcome);
    emitter.to.ins().return_(&[outcome]);
}

/// A record in the walk.
struct Found<'a> {
    walk: &'a Walk,
    record: Bounds,
    time: Value,
    /// The address of the next entry.
    next: Value,
    /// The number of records with this one.
    count: Value,
}

impl<'a> Found<'a> {
    /// Begins the block of a record with so many bytes at least.
    fn begin(emitter: &mut Emitter<'_>, walk: &'a Walk, block: Block, known: u64) -> Found<'a> {
        let [data, size, time, next] = emitter.begin(block);
        let count = emitter.add(walk.count, 1);
        Found { walk, record: Bounds { data, size, known }, time, next, count }
    }
}

/// Writes what happens to a record: the dispatch by its type, then the groups.
fn record(emitter: &mut Emitter<'_>, walk: &Walk, program: &Program<'_>) {
    let found = Found::begin(emitter, walk, walk.record, SHORTEST);
    let unknown = emitter.block();
    let record = emitter.require_length(found.record, u64::from(program.type_offset) + 2, unknown);
    let kind = emitter.load(types::I16, record.data, program.type_offset as i32);
    let groups: Vec<(Block, bool)> = program
        .groups
        .iter()
        .map(|group| {
            // Events that share a group say by an argument whose numbers are selected.
            let is_shared = group.numbers.windows(2).any(|pair| pair[0] != pair[1]);
            (emitter.block_of(usize::from(is_shared)), is_shared)
        })
        .collect();
    dispatch(emitter, program, kind, &groups, unknown);
    let found = Found { record, ..found };
    for (group, (block, is_shared)) in program.groups.iter().zip(groups) {
        let numbers = if is_shared {
            let [numbers] = emitter.begin(block);
            Numbers::At(numbers)
        } else {
            emitter.begin::<0>(block);
            Numbers::Are(group.numbers.first().map_or(&[][..], Vec::as_slice))
        };
        decide(emitter, program, group, &found, numbers, unknown);
    }
    emitter.begin::<0>(unknown);
    emitter.jump(walk.other, &[record.data, record.size, found.time, found.next]);
}

/// Writes what happens to a record that is not of an event of the selection.
fn other(emitter: &mut Emitter<'_>, walk: &Walk, program: &Program<'_>) {
    let found = Found::begin(emitter, walk, walk.other, 0);
    let mut out = walk.out;
    if program.others {
        require_room(emitter, walk);
        let number = emitter.constant(types::I32, i64::from(Selected::OTHER));
        out = select(emitter, &found, out, number);
    }
    emitter.jump(walk.next, &[found.next, found.time, out, found.count]);
}

/// Leaves the walk in front of a record unless there is room for all that may be selected of it.
fn require_room(emitter: &mut Emitter<'_>, walk: &Walk) {
    let limit = emitter.state(types::I64, LIMIT);
    emitter.part(Part::Room, |emitter| {
        let is_full = emitter.compare(IntCC::UnsignedGreaterThan, walk.out, limit);
        emitter.forbid(is_full, walk.full);
    });
}

/// Writes the jump to the group of a record's type.
fn dispatch(
    emitter: &mut Emitter<'_>,
    program: &Program<'_>,
    kind: Value,
    groups: &[(Block, bool)],
    unknown: Block,
) {
    let mut switch = Switch::new();
    let mut entries = Vec::new();
    let mut members = vec![0; program.groups.len()];
    for (id, index) in &program.events {
        let ((block, is_shared), numbers) = (groups[*index], &program.groups[*index].numbers);
        let member = members[*index];
        members[*index] += 1;
        let entry = if is_shared { emitter.block() } else { block };
        switch.set_entry(u128::from(*id), entry);
        if is_shared {
            entries.push((entry, block, &numbers[member]));
        }
    }
    switch.emit(&mut emitter.to, kind, unknown);
    for (entry, block, numbers) in entries {
        emitter.begin::<0>(entry);
        let table = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let table = emitter.table(table);
        emitter.jump(block, &[table]);
    }
}

/// The numbers of the conditions of an event.
#[derive(Clone, Copy)]
enum Numbers<'a> {
    /// These, one for each slot.
    Are(&'a [u32]),
    /// Those in the table at this address.
    At(Value),
}

/// Writes the conditions of a group, and what is selected by them.
fn decide(
    emitter: &mut Emitter<'_>,
    program: &Program<'_>,
    group: &Group<'_>,
    found: &Found<'_>,
    numbers: Numbers<'_>,
    unknown: Block,
) {
    let record = match program.tells_short(group) {
        true => emitter.require_length(found.record, group.header, unknown),
        false => found.record,
    };
    // What is selected once, and only if a condition holds, needs room only then.
    let is_rare = group.slots.len() == 1 && !program.rejected;
    if !is_rare {
        require_room(emitter, found.walk);
    }
    let before = found.walk.out;
    let mut out = before;
    for (index, slot) in group.slots.iter().enumerate() {
        let (hit, miss, next) = (emitter.block(), emitter.block(), emitter.block_of(1));
        let exits = Exits { then: hit, otherwise: miss };
        match slot.result {
            Decided::Before(cell) => {
                let result = emitter.result(cell);
                emitter.branch(result, exits);
            }
            Decided::Here(_) => {
                condition::write(emitter, &group.conditions[slot.condition], record, exits);
            }
        }
        for (block, holds) in [(miss, false), (hit, true)] {
            emitter.begin::<0>(block);
            let end = if holds {
                if is_rare {
                    require_room(emitter, found.walk);
                }
                let number = number(emitter, numbers, index);
                select(emitter, found, out, number)
            } else {
                out
            };
            if let Decided::Here(Some(cell)) = slot.result {
                emitter.set_result(cell, holds);
            }
            emitter.jump(next, &[end]);
        }
        [out] = emitter.begin(next);
    }
    if program.rejected {
        let (rejected, next) = (emitter.block(), emitter.block_of(1));
        let is_any = emitter.compare(IntCC::NotEqual, out, before);
        let kept = emitter.block();
        emitter.branch(is_any, Exits { then: kept, otherwise: rejected });
        emitter.begin::<0>(kept);
        emitter.jump(next, &[out]);
        emitter.begin::<0>(rejected);
        let number = emitter.constant(types::I32, i64::from(Selected::REJECTED));
        let more = select(emitter, found, out, number);
        emitter.jump(next, &[more]);
        [out] = emitter.begin(next);
    }
    emitter.jump(found.walk.next, &[found.next, found.time, out, found.count]);
}

/// Returns a number of a condition of an event, by its index.
fn number(emitter: &mut Emitter<'_>, numbers: Numbers<'_>, index: usize) -> Value {
    match numbers {
        Numbers::Are(numbers) => emitter.constant(types::I32, i64::from(numbers[index])),
        Numbers::At(table) => emitter.load_constant(types::I32, table, 4 * index as i32),
    }
}

/// Writes a record down; returns the end of what is selected.
fn select(emitter: &mut Emitter<'_>, found: &Found<'_>, out: Value, number: Value) -> Value {
    let base = emitter.state(types::I64, BASE);
    let offset = emitter.to.ins().isub(found.record.data, base);
    let offset = emitter.to.ins().ireduce(types::I32, offset);
    let length = emitter.to.ins().ireduce(types::I32, found.record.size);
    emitter.store(found.time, out, offset_of!(Selected, timestamp) as i32);
    emitter.store(offset, out, offset_of!(Selected, offset) as i32);
    emitter.store(length, out, offset_of!(Selected, length) as i32);
    emitter.store(number, out, offset_of!(Selected, condition) as i32);
    emitter.add(out, size_of::<Selected>() as i64)
}

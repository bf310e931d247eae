//! The loop that machine code is measured by, written by hand: it walks over a page, finds one event and decides one
//! condition on it.
//!
//! It does what code does: the same kinds of entries, the same checks of lengths, the same result. A page with another
//! kind of entry is not among those that are measured, and ends the program.

#![expect(unsafe_code, reason = "reads of bytes whose place was checked, without a second check")]

use std::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8, _mm_setzero_si128,
};

use tracec_kernel::selection::Selected;

/// The length of a record of the event.
const LENGTH: usize = 64;

/// A record of the event: all of its bytes are there.
pub(crate) type Record = [u8; LENGTH];

/// The offsets of fields, which the benchmark compares with those of the format.
pub(crate) mod offset {
    pub(crate) const PREV_PID: usize = 24;
    pub(crate) const PREV_PRIO: usize = 28;
    pub(crate) const PREV_STATE: usize = 32;
    pub(crate) const NEXT_COMM: usize = 40;
    pub(crate) const NEXT_PID: usize = 56;
}

/// Walks over the entries of a page; `record` is called for each, with its time, its offset and its bytes.
#[inline(always)]
fn walk(bytes: &[u8], mut time: u64, mut record: impl FnMut(u64, usize, &[u8])) -> u64 {
    let (mut at, mut records) = (0, 0);
    let Some(last) = bytes.len().checked_sub(4) else { return 0 };
    while at <= last {
        // SAFETY: four bytes are left.
        let head = unsafe { bytes.as_ptr().add(at).cast::<u32>().read_unaligned() };
        let (kind, delta) = (head & 31, u64::from(head >> 5));
        let size = kind as usize * 4;
        if kind.wrapping_sub(1) > 27 || at + size > last {
            unexpected();
        }
        time += delta;
        // SAFETY: so many bytes are left behind the head.
        record(time, at + 4, unsafe { bytes.get_unchecked(at + 4..at + 4 + size) });
        at += 4 + size;
        records += 1;
    }
    records
}

#[cold]
#[inline(never)]
fn unexpected() -> ! {
    panic!("an entry of another kind, or one that reaches past the end");
}

/// Walks over a page and does nothing with its records but count them; returns their number and the last time.
#[inline(never)]
pub(crate) fn bare(bytes: &[u8], time: u64) -> (u64, u64) {
    let mut last = time;
    let records = walk(bytes, time, |time, _, _| last = time);
    (records, last)
}

/// Selects the records of an event for which a condition holds.
#[inline(always)]
pub(crate) fn select(
    bytes: &[u8],
    time: u64,
    id: u16,
    selected: &mut Vec<Selected>,
    holds: impl Fn(&Record) -> bool,
) -> u64 {
    // Room for all records of the page, so that none asks for it.
    selected.reserve(bytes.len() / 8);
    let (before, room) = (selected.len(), selected.spare_capacity_mut().as_mut_ptr());
    let mut added = 0;
    let records = walk(bytes, time, |timestamp, offset, data| {
        if let Some(record) = data.first_chunk::<LENGTH>()
            && u16::from_le_bytes([record[0], record[1]]) == id
            && holds(record)
        {
            let (offset, length) = (offset as u32, data.len() as u32);
            // SAFETY: an entry has eight bytes or more, so there is room for each.
            unsafe { (*room.add(added)).write(Selected { timestamp, offset, length, condition: 0 }) };
            added += 1;
        }
    });
    // SAFETY: so many have been written.
    unsafe { selected.set_len(before + added) };
    records
}

/// Returns a field of four bytes.
#[inline(always)]
pub(crate) fn int(record: &Record, offset: usize) -> i32 {
    i32::from_le_bytes(std::array::from_fn(|index| record[offset + index]))
}

/// Returns a field of eight bytes.
#[inline(always)]
pub(crate) fn long(record: &Record, offset: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|index| record[offset + index]))
}

/// Returns whether a name of 16 bytes contains three others, by comparing all places at once.
#[inline(always)]
pub(crate) fn contains(record: &Record, offset: usize, part: [u8; 3]) -> bool {
    let name: &[u8; 16] = record[offset..].first_chunk().expect("the name is in the record");
    // SAFETY: the load reads the 16 bytes of the name; these instructions are part of every x86-64.
    let mask = |byte: u8| unsafe {
        let name = _mm_loadu_si128(name.as_ptr().cast::<__m128i>());
        let all = if byte == 0 { _mm_setzero_si128() } else { _mm_set1_epi8(byte as i8) };
        _mm_movemask_epi8(_mm_cmpeq_epi8(name, all)) as u32
    };
    let nuls = mask(0);
    let text = nuls.wrapping_sub(1) & !nuls & 0xffff;
    text & mask(part[0]) & mask(part[1]) >> 1 & mask(part[2]) >> 2 != 0
}

//! Bytes of a record that a text or a mask fills, and the place of dynamic data.

use cranelift::prelude::*;

use super::emitter::{Bounds, Emitter, Part};

/// Bytes of a record.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    /// Their address.
    pub(super) at: Value,
    /// Their number.
    pub(super) room: Room,
}

/// The number of bytes that a text may fill.
#[derive(Clone, Copy)]
pub(super) enum Room {
    /// This many.
    Fixed(u64),
    /// As many as the record says, in 64 bits.
    Told(Value),
}

/// Returns the bytes that a location word refers to; where they are outside of the record it continues at `otherwise`.
pub(super) fn located(
    emitter: &mut Emitter<'_>,
    (word, relative): (u32, bool),
    record: Bounds,
    otherwise: Block,
) -> Bytes {
    emitter.part(Part::Location, |emitter| location(emitter, (word, relative), record, otherwise))
}

fn location(
    emitter: &mut Emitter<'_>,
    (word, relative): (u32, bool),
    record: Bounds,
    otherwise: Block,
) -> Bytes {
    let location = emitter.load_wide(types::I32, false, record.data, word as i32);
    let length = emitter.to.ins().ushr_imm_u(location, 16);
    let offset = emitter.to.ins().band_imm_u(location, 0xffff);
    let start = emitter.add(offset, if relative { i64::from(word) + 4 } else { 0 });
    let end = emitter.to.ins().iadd(start, length);
    // No bytes are anywhere.
    let is_outside = emitter.compare(IntCC::UnsignedGreaterThan, end, record.size);
    let is_any = emitter.compare_with(IntCC::NotEqual, length, 0);
    let is_outside = emitter.to.ins().band(is_outside, is_any);
    emitter.forbid(is_outside, otherwise);
    let at = emitter.to.ins().iadd(record.data, start);
    Bytes { at, room: Room::Told(length) }
}

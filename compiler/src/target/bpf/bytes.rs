//! Where the bytes of a text or of a mask are.

use tracec_kernel::tables::bpf_helpers;
use tracec_kernel::tables::limits::PROGRAM_RECORD_BYTES;

use super::writer::{STACK_TEXT, Writer};
use crate::bpf::code::{Alu, Argument, Base, Block, Operand, Reg, Size, Test, Width};

/// Bytes at an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub(super) base: Base,
    pub(super) offset: i16,
    /// How many there are.
    pub(super) room: u32,
}

/// Data behind the fixed part of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    /// Its address.
    pub(super) at: Reg,
    /// Its length.
    pub(super) length: Reg,
}

/// Reads a location word of data of which as much is copied as there is: what is longer than a record continues at
/// `failed`.
pub(super) fn located(to: &mut Writer<'_>, place: (u32, bool), failed: Block) -> Located {
    let found = begun(to, place, failed);
    let most = Operand::Imm(PROGRAM_RECORD_BYTES as i32);
    to.forbid((found.length, Test::Ge, most), Width::Whole, failed);
    found
}

/// Reads a location word of data whose beginning is looked at.
pub(super) fn begun(to: &mut Writer<'_>, (word, relative): (u32, bool), failed: Block) -> Located {
    let at = to.read(word, 4, failed);
    let length = to.code.copy(at);
    to.code.alu(length, Alu::Shr, Operand::Imm(16));
    to.code.alu(at, Alu::And, Operand::Imm(0xffff));
    if relative {
        to.code.alu(at, Alu::Add, Operand::Imm(word as i32 + 4));
    }
    let record = to.record();
    to.code.alu(at, Alu::Add, Operand::Reg(record));
    Located { at, length }
}

/// Reads a pointer.
pub(super) fn pointer(to: &mut Writer<'_>, offset: u32, failed: Block) -> Reg {
    to.read(offset, 8, failed)
}

/// Copies an array of the record, so that its bytes can be looked at one by one: the verifier knows no variable offset
/// in a context.
pub(super) fn copied(to: &mut Writer<'_>, (offset, size): (u32, u32), failed: Block) -> Bytes {
    let base = to.text_buffer(size);
    let record = to.record();
    if size <= STACK_TEXT && to.can_load(offset) {
        let mut done = 0;
        while done < size {
            // Both ends have to be aligned: the verifier is strict about the stack.
            let step = step((offset + done) | done, size - done);
            let word = to.code.load(step, Base::Reg(record), (offset + done) as i16);
            to.code.store(step, base, done as i16, Operand::Reg(word));
            done += step.bytes();
        }
    } else {
        let at = to.behind(record, offset);
        let buffer = to.argument(base);
        let arguments = vec![buffer, Argument::Imm(size as i32), Argument::Reg(at)];
        to.call_or(bpf_helpers::PROBE_READ_KERNEL, arguments, failed);
    }
    Bytes { base, offset: 0, room: size }
}

/// Returns the largest access at an offset, of at most so many bytes.
pub(super) fn step(offset: u32, bytes: u32) -> Size {
    let fits = |size: &Size| offset.is_multiple_of(size.bytes()) && size.bytes() <= bytes;
    [Size::B8, Size::B4, Size::B2].into_iter().find(fits).unwrap_or(Size::B1)
}

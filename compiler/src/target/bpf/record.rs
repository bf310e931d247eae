//! The copy of a record into the ring buffer: a head with the time, the CPU and the name of the task, and the record as tracefs
//! has it.
//!
//! A program does not see the record's header, so that its type and the thread id are written again; its flags and its
//! depth of preemption are 0.

use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::tables::bpf_helpers::{self, Helper};
use tracec_kernel::tables::limits::{PROGRAM_HIDDEN_BYTES, PROGRAM_RECORD_BYTES, TASK_COMM_LEN};

use super::bytes::step;
use super::maps::{CLAIM_AT, COMM_AT, CONSTANTS, HEAD_BYTES, LOST, MISSED_AT, RECORD_AT, RECORDS};
use super::writer::Writer;
use crate::bpf::code::{Alu, Argument, Base, Block, End, Op, Operand, Reg, Size, Test, Width};

/// The longest fixed part that is copied in words; longer ones are copied by a call.
const WORDS: u32 = 96;

/// Writes the copy of a record, and the end of the program. `done` is a block that is begun here: the end without a
/// record.
pub(super) fn write(to: &mut Writer<'_>, number: u32, format: &EventFormat, clock: Helper, done: Block) {
    let lost = to.code.block();
    let ids = ids(to, done);
    let fixed = fixed_bytes(format);
    let places = locations(format);
    if places.is_empty() {
        let size = (HEAD_BYTES + fixed) as i32;
        let arguments = vec![Argument::Map(RECORDS), Argument::Imm(size), Argument::Imm(0)];
        let room = to.code.call(bpf_helpers::RINGBUF_RESERVE, arguments);
        to.forbid((room, Test::Eq, Operand::Imm(0)), Width::Whole, lost);
        if fixed <= WORDS {
            words(to, room, fixed);
        } else {
            // A part that is not read is 0.
            let data = to.behind(room, HEAD_BYTES);
            let context = to.code.context();
            let arguments = vec![Argument::Reg(data), Argument::Imm(fixed as i32), Argument::Reg(context)];
            to.code.call_only(bpf_helpers::PROBE_READ_KERNEL, arguments);
        }
        header(to, room, HEAD_BYTES as i16, ids, format.id);
        let comm = to.behind(room, COMM_AT);
        stamp(to, (room, 0), comm, clock);
        to.code.call_only(bpf_helpers::RINGBUF_SUBMIT, vec![Argument::Reg(room), Argument::Imm(0)]);
        to.code.jump(done);
    } else {
        let memory = to.memory();
        let end = end(to, fixed, &places);
        let size = bounded(to, end, lost);
        let data = to.behind(memory, RECORD_AT);
        let context = to.code.context();
        let arguments = vec![Argument::Reg(data), Argument::Reg(size), Argument::Reg(context)];
        to.call_or(bpf_helpers::PROBE_READ_KERNEL, arguments, lost);
        header(to, data, 0, ids, format.id);
        output(to, end, clock, lost);
        to.code.jump(done);
    }
    finish(to, number, lost, &Exit::Plain { done });
}

/// Where a program goes at its end.
#[derive(Debug)]
pub(super) enum Exit {
    /// To its end.
    Plain {
        /// The end.
        done: Block,
    },
    /// First to the release of the memory that it has claimed.
    Claimed {
        /// The release.
        release: Block,
        /// Where it goes if another task uses the memory.
        missed: Block,
        /// The end.
        done: Block,
    },
}

impl Exit {
    /// Returns the block.
    pub(super) fn block(&self) -> Block {
        match self {
            Exit::Plain { done } => *done,
            Exit::Claimed { release, .. } => *release,
        }
    }
}

/// A record that a program has made.
#[derive(Debug)]
pub(super) struct Made {
    /// Where it ends.
    pub(super) end: Reg,
    /// Where the program goes at its end.
    pub(super) exit: Exit,
}

/// Claims the program's own memory. A program at a function of a file may be preempted, and another task may then run it on
/// the same CPU (`bpf_prog_run_array_uprobe` in include/linux/bpf.h keeps neither away).
pub(super) fn claim(to: &mut Writer<'_>, done: Block) -> Exit {
    let (release, missed) = (to.code.block(), to.code.block());
    let base = Base::Reg(to.memory());
    let taken = to.code.constant(1);
    to.code.push(Op::Exchange { base, offset: CLAIM_AT as i16, with: taken });
    to.forbid((taken, Test::Ne, Operand::Imm(0)), Width::Whole, missed);
    Exit::Claimed { release, missed, done }
}

/// Writes the end of a program that has made a record in its own memory, which is copied.
pub(super) fn send(to: &mut Writer<'_>, number: u32, made: &Made, clock: Helper) {
    let lost = to.code.block();
    output(to, made.end, clock, lost);
    to.code.jump(made.exit.block());
    finish(to, number, lost, &made.exit);
}

/// Copies the record in the program's own memory into the ring buffer.
fn output(to: &mut Writer<'_>, end: Reg, clock: Helper, lost: Block) {
    let memory = to.memory();
    let begin = RECORD_AT - HEAD_BYTES;
    let comm = to.behind(memory, begin + COMM_AT);
    stamp(to, (memory, begin as i16), comm, clock);
    let sample = to.behind(memory, begin);
    let size = bounded(to, end, lost);
    to.code.alu(size, Alu::Add, Operand::Imm(HEAD_BYTES as i32));
    let arguments =
        vec![Argument::Map(RECORDS), Argument::Reg(sample), Argument::Reg(size), Argument::Imm(0)];
    to.call_or(bpf_helpers::RINGBUF_OUTPUT, arguments, lost);
}

/// Returns the size of a record in a register of its own, which the next call takes: the verifier of 6.1 forgets the bound of
/// one that is kept on the stack meanwhile. A record that is too large continues at `lost`.
fn bounded(to: &mut Writer<'_>, end: Reg, lost: Block) -> Reg {
    let size = to.code.copy(end);
    to.forbid((size, Test::Gt, Operand::Imm(PROGRAM_RECORD_BYTES as i32)), Width::Whole, lost);
    size
}

/// Writes what follows where a record is lost, and the blocks of the end.
fn finish(to: &mut Writer<'_>, number: u32, lost: Block, exit: &Exit) {
    count(to, (number, 0), lost, exit.block());
    let done = match *exit {
        Exit::Plain { done } => done,
        Exit::Claimed { release, missed, done } => {
            to.code.begin(release);
            let memory = Base::Reg(to.memory());
            to.code.store(Size::B8, memory, CLAIM_AT as i16, Operand::Imm(0));
            to.code.jump(done);
            count(to, (number, MISSED_AT as i16), missed, done);
            done
        }
    };
    to.code.begin(done);
    to.code.end(End::Return(0));
}

/// Returns the ids of the task; for one of the process that is left out, the program continues at its end.
pub(super) fn ids(to: &mut Writer<'_>, done: Block) -> Reg {
    let ids = to.code.call(bpf_helpers::GET_CURRENT_PID_TGID, Vec::new());
    let own = to.code.reg();
    to.code.push(Op::Value { to: own, map: CONSTANTS, offset: 0 });
    let own = to.code.load(Size::B4, Base::Reg(own), 0);
    let process = to.code.copy(ids);
    to.code.alu(process, Alu::Shr, Operand::Imm(32));
    to.forbid((process, Test::Eq, Operand::Reg(own)), Width::Whole, done);
    ids
}

/// Writes the header of a record: its type and the thread id.
pub(super) fn header(to: &mut Writer<'_>, base: Reg, at: i16, ids: Reg, id: u16) {
    to.code.store(Size::B4, Base::Reg(base), at, Operand::Imm(id.into()));
    to.code.store(Size::B4, Base::Reg(base), at + 4, Operand::Reg(ids));
}

/// Writes what is in front of a record: the time, the CPU, and at the address `comm` the name of the task, which may have
/// ended when the record is read.
fn stamp(to: &mut Writer<'_>, (base, at): (Reg, i16), comm: Reg, clock: Helper) {
    let base = Base::Reg(base);
    let arguments = vec![Argument::Reg(comm), Argument::Imm(TASK_COMM_LEN as i32)];
    to.code.call_only(bpf_helpers::GET_CURRENT_COMM, arguments);
    let cpu = to.code.call(bpf_helpers::GET_SMP_PROCESSOR_ID, Vec::new());
    to.code.store(Size::B8, base, at + 8, Operand::Reg(cpu));
    let time = to.code.call(clock, Vec::new());
    to.code.store(Size::B8, base, at, Operand::Reg(time));
}

/// Copies the fixed part behind the first 8 bytes, which a program does not see.
fn words(to: &mut Writer<'_>, room: Reg, fixed: u32) {
    let context = Base::Reg(to.code.context());
    let mut done = PROGRAM_HIDDEN_BYTES;
    while done < fixed {
        let size = step(done, fixed - done);
        let word = to.code.load(size, context, done as i16);
        to.code.store(size, Base::Reg(room), (HEAD_BYTES + done) as i16, Operand::Reg(word));
        done += size.bytes();
    }
}

/// Returns where a record ends: behind its fixed part and all data that it locates.
fn end(to: &mut Writer<'_>, fixed: u32, places: &[(u32, bool)]) -> Reg {
    let end = to.code.constant(fixed.into());
    let context = Base::Reg(to.code.context());
    for (word, relative) in places {
        let behind = to.code.load(Size::B4, context, *word as i16);
        let length = to.code.copy(behind);
        to.code.alu(length, Alu::Shr, Operand::Imm(16));
        to.code.alu(behind, Alu::And, Operand::Imm(0xffff));
        to.code.alu(behind, Alu::Add, Operand::Reg(length));
        if *relative {
            to.code.alu(behind, Alu::Add, Operand::Imm(*word as i32 + 4));
        }
        let (later, next) = (to.code.block(), to.code.block());
        to.code.branch((behind, Test::Gt, Operand::Reg(end)), Width::Whole, later, next);
        to.code.begin(later);
        to.code.push(Op::Move { width: Width::Whole, to: end, from: Operand::Reg(behind) });
        to.code.jump(next);
        to.code.begin(next);
    }
    end
}

/// Begins a block that adds one to the count at an offset, and goes on at `done`.
fn count(to: &mut Writer<'_>, (number, offset): (u32, i16), block: Block, done: Block) {
    to.code.begin(block);
    let key = to.code.slot(4);
    to.code.store(Size::B4, Base::Stack(key), 0, Operand::Imm(number as i32));
    let arguments = vec![Argument::Map(LOST), Argument::Stack(key)];
    let count = to.code.call(bpf_helpers::MAP_LOOKUP_ELEM, arguments);
    to.forbid((count, Test::Eq, Operand::Imm(0)), Width::Whole, done);
    let one = to.code.constant(1);
    to.code.push(Op::Add { base: Base::Reg(count), offset, from: one });
    to.code.jump(done);
}

/// Returns where the fixed part of a record ends. A program may look no further into its context
/// (`trace_event_get_offsets`, kernel/trace/trace_events.c).
pub(super) fn fixed_bytes(format: &EventFormat) -> u32 {
    format
        .fields
        .iter()
        .map(|field| field.offset + field.size)
        .max()
        .unwrap_or(PROGRAM_HIDDEN_BYTES)
        .max(PROGRAM_HIDDEN_BYTES)
}

/// Returns the offsets of the location words, and whether each is relative to its end.
fn locations(format: &EventFormat) -> Vec<(u32, bool)> {
    // A field may have more words than one (`__data_loc char[][3]`).
    let words = |field: &Field| {
        let relative = match field.type_text.split_once(' ') {
            Some(("__data_loc", _)) => false,
            Some(("__rel_loc", _)) => true,
            _ => return Vec::new(),
        };
        (0..field.size / 4).map(|word| (field.offset + 4 * word, relative)).collect()
    };
    format.own_fields().iter().flat_map(words).collect()
}

//! Records of probes, which programs make themselves: each field is fetched into the program's own memory, in the layout
//! that the kernel gives its own dynamic events. The condition is decided on that record.
//!
//! A field whose memory cannot be read is 0, or a text without bytes, and no test of it is met.

use tracec_kernel::btf::{Access, Aspect, Leaf};
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::tables::bpf_helpers;
use tracec_kernel::tables::fetch_types::Fetches;
use tracec_kernel::tables::limits::PROGRAM_RECORD_BYTES;
use tracec_kernel::tables::probe_kinds::{Realisation, Space};
use tracec_kernel::tables::pt_regs::PtRegs;

use super::bytes::step;
use super::maps::{FAULTS_AT, RECORD_AT};
use super::record::{self, Exit, Made};
use super::writer::Writer;
use crate::bpf::code::{Alu, Argument, Base, Block, Operand, Reg, Size, Slot, Test, Width};
use crate::ir::definition::{
    Dereference, FetchArgument, FetchSource, FetchedElement, FirstValue, ProbeDef, ProbeField,
};

/// The longest text of a field, with its NUL: `PATH_MAX`, as for a probe of the kernel (`MAX_STRING_SIZE` in
/// kernel/trace/trace_probe.h).
const LONGEST_TEXT: u32 = 4096;

/// A probe that a program realises.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    pub(super) def: &'a ProbeDef,
    pub(super) format: &'a EventFormat,
    /// Where its program finds registers; `None` where that sees the arguments alone.
    pub(super) regs: Option<&'static PtRegs>,
}

/// Writes the making of a record. `done` is the end of the program.
pub(super) fn write(to: &mut Writer<'_>, probe: Probe<'_>, done: Block) -> Made {
    let ids = record::ids(to, done);
    let exit = match probe.def.kind.space {
        Space::User => record::claim(to, done),
        // The kernel runs no program of these on a CPU where it runs already: it counts it as missed.
        Space::Kernel => Exit::Plain { done },
    };
    let memory = to.memory();
    let record = to.behind(memory, RECORD_AT);
    record::header(to, record, 0, ids, probe.format.id);
    let fixed = record::fixed_bytes(probe.format);
    let end = to.code.constant(fixed.into());
    let texts = probe.def.fields.iter().filter(|field| is_text(field)).count() as u32;
    let longest = ((PROGRAM_RECORD_BYTES - fixed) / texts.max(1)).min(LONGEST_TEXT);
    let fields = probe.format.own_fields();
    let (head, own) = fields.split_at(fields.len() - probe.def.fields.len());
    let mut fetcher = Fetcher { probe, record, end, longest, word: None, doubtful: Vec::new() };
    for field in head {
        fetcher.head(to, field);
    }
    for (field, place) in probe.def.fields.iter().zip(own) {
        fetcher.field(to, field, place);
    }
    let doubtful = fetcher.doubtful;
    to.made(record, doubtful);
    Made { end, exit }
}

/// Returns whether a field is a text behind the fixed part.
fn is_text(field: &ProbeField) -> bool {
    matches!(fetches(field), Some(Fetches::KernelText | Fetches::UserText))
}

fn fetches(field: &ProbeField) -> Option<Fetches> {
    match field.fetch_type?.element {
        FetchedElement::Listed(ty) => Some(ty.fetches),
        FetchedElement::Bits(_) => Some(Fetches::Integer { signed: false }),
    }
}

/// What a field is fetched from.
#[derive(Clone, Copy)]
enum Value<'a> {
    /// The number itself, or the address of a text or an array.
    Word(Reg),
    /// The memory at an address, and how the kernel's types say what is there.
    Memory { at: Reg, user: bool, access: Option<&'a Access> },
}

struct Fetcher<'a> {
    probe: Probe<'a>,
    record: Reg,
    /// Where the record ends.
    end: Reg,
    /// Bytes that a text has at most.
    longest: u32,
    /// A word that was read from memory.
    word: Option<Slot>,
    /// The offsets of the fields that may not have been read.
    doubtful: Vec<u32>,
}

impl<'a> Fetcher<'a> {
    /// Writes a field that the kernel puts into the records of a kind.
    fn head(&self, to: &mut Writer<'_>, field: &Field) {
        let Some(regs) = self.probe.regs else { return };
        let value = match field.name.as_str() {
            "__probe_func" => {
                let context = to.code.context();
                to.code.call(bpf_helpers::GET_FUNC_IP, vec![Argument::Reg(context)])
            }
            _ => register(to, regs, regs.instruction),
        };
        if field.name == "__probe_ip" && self.probe.def.kind.space == Space::Kernel {
            to.code.alu(value, Alu::Sub, Operand::Imm(regs.behind_kprobe as i32));
        }
        to.code.store(Size::B8, Base::Reg(self.record), field.offset as i16, Operand::Reg(value));
    }

    fn field(&mut self, to: &mut Writer<'_>, field: &'a ProbeField, place: &Field) {
        let (fault, next) = (to.code.block(), to.code.block());
        let index = self.doubtful.len();
        let memory = Base::Reg(to.memory());
        let fault_at = (FAULTS_AT as usize + index) as i16;
        let may_fault = self.may_fault(field);
        if may_fault {
            to.code.store(Size::B1, memory, fault_at, Operand::Imm(0));
        }
        let value = self.value(to, field, fault);
        self.store(to, field, place, value, fault);
        to.code.jump(next);
        if may_fault {
            to.code.begin(fault);
            to.code.store(Size::B1, memory, fault_at, Operand::Imm(1));
            let mut done = 0;
            while done < place.size {
                let step = step(place.offset + done, place.size - done);
                let at = (place.offset + done) as i16;
                to.code.store(step, Base::Reg(self.record), at, Operand::Imm(0));
                done += step.bytes();
            }
            to.code.jump(next);
            self.doubtful.push(place.offset);
        }
        to.code.begin(next);
    }

    /// Returns whether memory is read for a field.
    fn may_fault(&self, field: &ProbeField) -> bool {
        let array = field.fetch_type.is_some_and(|ty| ty.count.is_some());
        let on_stack = |index: usize| self.probe.regs.is_some_and(|regs| index >= regs.arguments.len());
        let source = match &field.source {
            FetchSource::Argument(index) => on_stack(*index),
            FetchSource::Result => is_by_trampoline(self.probe.def),
            FetchSource::EventField(_) => false,
            FetchSource::Fetch(fetch) => {
                let stack = match fetch.first {
                    FirstValue::Stack(_) => true,
                    FirstValue::Argument(number) => on_stack(number.saturating_sub(1) as usize),
                    _ => false,
                };
                stack || fetch.is_memory()
            }
        };
        array || source || is_text(field)
    }

    fn value(&mut self, to: &mut Writer<'_>, field: &'a ProbeField, fault: Block) -> Value<'a> {
        match &field.source {
            FetchSource::Argument(index) => Value::Word(self.argument(to, *index, fault)),
            FetchSource::Result => Value::Word(self.result(to, fault)),
            // Such probes are refused.
            FetchSource::EventField(_) => Value::Word(to.code.constant(0)),
            FetchSource::Fetch(fetch) => self.fetched(to, fetch, fault),
        }
    }

    fn fetched(&mut self, to: &mut Writer<'_>, fetch: &'a FetchArgument, fault: Block) -> Value<'a> {
        let is_user = |user: bool| user || self.probe.def.kind.space == Space::User;
        let mut value = match &fetch.first {
            FirstValue::Register(name) => Value::Word(self.register(to, name)),
            FirstValue::StackPointer => Value::Word(self.stack(to)),
            FirstValue::Stack(word) => {
                let at = self.stack(to);
                add(to, at, 8_i64.saturating_mul(i64::try_from(*word).unwrap_or(i64::MAX)));
                Value::Word(self.word(to, at, is_user(false), fault))
            }
            FirstValue::Result => Value::Word(self.result(to, fault)),
            FirstValue::Argument(number) => {
                let at = self.argument(to, number.saturating_sub(1) as usize, fault);
                if self.probe.regs.is_none() && !fetch.dereferences.is_empty() {
                    // The verifier lets no address be computed from an argument that may be NULL.
                    to.forbid((at, Test::Eq, Operand::Imm(0)), Width::Whole, fault);
                }
                Value::Word(at)
            }
            FirstValue::Comm => {
                let base = to.comm();
                Value::Memory { at: to.address(base), user: false, access: None }
            }
            FirstValue::Text(text) => {
                let bytes = text.bytes().chain([0]).collect();
                let at = to.constants.add(bytes);
                Value::Memory { at: to.constant_address(at), user: false, access: None }
            }
            FirstValue::Immediate(number) => Value::Word(to.code.constant(*number as u64)),
            FirstValue::Memory(address) => {
                Value::Memory { at: to.code.constant(*address), user: is_user(false), access: None }
            }
            // Such fetch arguments are refused.
            FirstValue::AllArguments
            | FirstValue::Field(_)
            | FirstValue::Symbol { .. }
            | FirstValue::FileOffset(_) => Value::Word(to.code.constant(0)),
        };
        for Dereference { offset, user, access } in fetch.dereferences.iter().rev() {
            let at = match value {
                Value::Word(at) => at,
                Value::Memory { at, user, .. } => self.word(to, at, user, fault),
            };
            match access {
                Some(access) => to.code.relocated(at, Some(Alu::Add), access, Aspect::ByteOffset),
                None => add(to, at, *offset),
            }
            value = Value::Memory { at, user: is_user(*user), access: access.as_ref() };
        }
        value
    }

    /// Returns an argument, counted from 0.
    fn argument(&mut self, to: &mut Writer<'_>, index: usize, fault: Block) -> Reg {
        let Some(regs) = self.probe.regs else {
            let context = to.code.context();
            return to.code.load(Size::B8, Base::Reg(context), 8 * index as i16);
        };
        match regs.arguments.get(index) {
            Some(name) => register(to, regs, name),
            None => {
                let at = register(to, regs, regs.stack);
                let word = index - regs.arguments.len() + regs.stack_words_before_arguments as usize;
                to.code.alu(at, Alu::Add, Operand::Imm(8 * word as i32));
                self.word(to, at, self.probe.def.kind.space == Space::User, fault)
            }
        }
    }

    fn result(&mut self, to: &mut Writer<'_>, fault: Block) -> Reg {
        match self.probe.regs {
            Some(regs) => register(to, regs, regs.result),
            None => {
                let slot = self.slot(to);
                let context = to.code.context();
                let arguments = vec![Argument::Reg(context), Argument::Stack(slot)];
                to.call_or(bpf_helpers::GET_FUNC_RET, arguments, fault);
                to.code.load(Size::B8, Base::Stack(slot), 0)
            }
        }
    }

    fn register(&self, to: &mut Writer<'_>, name: &str) -> Reg {
        match self.probe.regs {
            Some(regs) => register(to, regs, name),
            None => to.code.constant(0),
        }
    }

    fn stack(&self, to: &mut Writer<'_>) -> Reg {
        self.register(to, self.probe.regs.map_or("", |regs| regs.stack))
    }

    fn slot(&mut self, to: &mut Writer<'_>) -> Slot {
        *self.word.get_or_insert_with(|| to.code.slot(8))
    }

    /// Reads a word of memory.
    fn word(&mut self, to: &mut Writer<'_>, at: Reg, user: bool, fault: Block) -> Reg {
        let slot = self.slot(to);
        let arguments = vec![Argument::Stack(slot), Argument::Imm(8), Argument::Reg(at)];
        to.call_or(reader(user), arguments, fault);
        to.code.load(Size::B8, Base::Stack(slot), 0)
    }

    /// Writes a value into the record.
    fn store(
        &mut self,
        to: &mut Writer<'_>,
        field: &ProbeField,
        place: &Field,
        value: Value<'_>,
        fault: Block,
    ) {
        let record = Base::Reg(self.record);
        let offset = place.offset as i16;
        let ty = field.fetch_type;
        let is_array = ty.is_some_and(|ty| ty.count.is_some());
        let in_user = self.probe.def.kind.space == Space::User;
        match (fetches(field), value) {
            (Some(fetches @ (Fetches::KernelText | Fetches::UserText)), value) => {
                let of_type = in_user || fetches == Fetches::UserText;
                let (at, user) = match value {
                    Value::Word(at) => (at, of_type),
                    Value::Memory { at, user, .. } => (at, user || fetches == Fetches::UserText),
                };
                self.text(to, at, user, offset, fault);
            }
            (_, Value::Word(at)) if is_array => self.bytes(to, at, in_user, place, fault),
            (_, Value::Memory { at, user, access: Some(access) }) => {
                let number = self.number(to, (at, user), access, fault);
                // Those that are written; those of a bit field are found by its name.
                if let Some(FetchedElement::Bits(bits)) = ty.map(|ty| ty.element)
                    && !access.is_bit_field()
                {
                    cut(to, number, bits.offset, bits.width);
                }
                to.code.store(Size::of(place.size), record, offset, Operand::Reg(number));
            }
            (_, Value::Memory { at, user, access: None }) => {
                self.bytes(to, at, user, place, fault);
                if let Some(FetchedElement::Bits(bits)) = ty.map(|ty| ty.element) {
                    let word = to.code.load(Size::of(place.size), record, offset);
                    cut(to, word, bits.offset, bits.width);
                    to.code.store(Size::of(place.size), record, offset, Operand::Reg(word));
                }
            }
            (_, Value::Word(word)) => {
                if let Some(FetchedElement::Bits(bits)) = ty.map(|ty| ty.element) {
                    cut(to, word, bits.offset, bits.width);
                }
                to.code.store(Size::of(place.size), record, offset, Operand::Reg(word));
            }
        }
    }

    /// Reads a number that has the size, the bits and the place that the kernel at hand gives it.
    fn number(&mut self, to: &mut Writer<'_>, (at, user): (Reg, bool), access: &Access, fault: Block) -> Reg {
        let slot = self.slot(to);
        to.code.store(Size::B8, Base::Stack(slot), 0, Operand::Imm(0));
        let bytes = to.code.reg();
        to.code.relocated(bytes, None, access, Aspect::ByteSize);
        let arguments = vec![Argument::Stack(slot), Argument::Reg(bytes), Argument::Reg(at)];
        to.call_or(reader(user), arguments, fault);
        let number = to.code.load(Size::B8, Base::Stack(slot), 0);
        let down = if access.is_signed() { Alu::Sar } else { Alu::Shr };
        if access.is_element() {
            // An element of an array has an offset and a size only (`bpf_core_calc_field_relo`).
            to.code.alu(bytes, Alu::Mul, Operand::Imm(-8));
            to.code.alu(bytes, Alu::Add, Operand::Imm(64));
            to.code.alu(number, Alu::Shl, Operand::Reg(bytes));
            to.code.alu(number, down, Operand::Reg(bytes));
        } else if access.leaf != Leaf::Pointer {
            to.code.relocated(number, Some(Alu::Shl), access, Aspect::ShiftLeft);
            to.code.relocated(number, Some(down), access, Aspect::ShiftRight);
        }
        number
    }

    /// Copies bytes of memory into the field.
    fn bytes(&self, to: &mut Writer<'_>, at: Reg, user: bool, place: &Field, fault: Block) {
        let field = to.behind(self.record, place.offset);
        let arguments = vec![Argument::Reg(field), Argument::Imm(place.size as i32), Argument::Reg(at)];
        to.call_or(reader(user), arguments, fault);
    }

    /// Copies a text behind the record, and writes where it is.
    fn text(&self, to: &mut Writer<'_>, at: Reg, user: bool, offset: i16, fault: Block) {
        let helper = match user {
            true => bpf_helpers::PROBE_READ_USER_STR,
            false => bpf_helpers::PROBE_READ_KERNEL_STR,
        };
        let text = to.code.copy(self.record);
        to.code.alu(text, Alu::Add, Operand::Reg(self.end));
        let arguments = vec![Argument::Reg(text), Argument::Imm(self.longest as i32), Argument::Reg(at)];
        let length = to.call_or(helper, arguments, fault);
        let word = to.code.copy(length);
        to.code.alu(word, Alu::Shl, Operand::Imm(16));
        to.code.alu(word, Alu::Or, Operand::Reg(self.end));
        to.code.store(Size::B4, Base::Reg(self.record), offset, Operand::Reg(word));
        to.code.alu(self.end, Alu::Add, Operand::Reg(length));
    }
}

/// Returns whether a probe is a program that a trampoline of the kernel calls, which has the returned value in the memory of
/// its own.
fn is_by_trampoline(def: &ProbeDef) -> bool {
    matches!(def.kind.realisation, Realisation::Bpf(_))
}

fn reader(user: bool) -> bpf_helpers::Helper {
    if user { bpf_helpers::PROBE_READ_USER } else { bpf_helpers::PROBE_READ_KERNEL }
}

/// Loads a register from the context.
fn register(to: &mut Writer<'_>, regs: &PtRegs, name: &str) -> Reg {
    let context = to.code.context();
    let offset = regs.offset(name).unwrap_or_default();
    to.code.load(Size::B8, Base::Reg(context), offset as i16)
}

/// Adds an offset to an address.
fn add(to: &mut Writer<'_>, at: Reg, offset: i64) {
    if offset != 0 {
        let by = to.code.operand(offset as u64);
        to.code.alu(at, Alu::Add, by);
    }
}

/// Keeps some bits of a word.
fn cut(to: &mut Writer<'_>, word: Reg, offset: u32, width: u32) {
    to.code.alu(word, Alu::Shr, Operand::Imm(offset as i32));
    if width < 64 {
        let mask = to.code.operand((1_u64 << width) - 1);
        to.code.alu(word, Alu::And, mask);
    }
}

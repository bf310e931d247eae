//! What the parts of a program are written with: its code, its event, and the memory that its tests share.

use tracec_kernel::tables::bpf_helpers::{self, Helper};
use tracec_kernel::tables::limits::{self, PROGRAM_HIDDEN_BYTES};

use super::constants::Constants;
use super::maps::{self, FAULTS_AT};
use crate::bpf::code::{Alu, Argument, Base, Block, Code, Op, Operand, Reg, Size, Slot, Test, Width};

/// The two ways on behind a condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exits {
    /// Where it holds.
    pub(super) then: Block,
    /// Where it does not.
    pub(super) otherwise: Block,
}

impl Exits {
    /// Returns the exits of the opposite condition.
    pub(super) fn swapped(self) -> Exits {
        Exits { then: self.otherwise, otherwise: self.then }
    }
}

/// Bytes of a text that are copied to the stack; longer ones are copied to the program's own memory.
pub(super) const STACK_TEXT: u32 = 128;

/// A program that is being written.
#[derive(Debug)]
pub(super) struct Writer<'c> {
    pub(super) code: Code,
    pub(super) constants: &'c mut Constants,
    /// The address of the program's own memory, if it has some.
    memory: Option<Reg>,
    /// Whether something asked for own memory.
    wants_memory: bool,
    /// The copy of a short text.
    text: Option<Slot>,
    /// The copy of a number that is not aligned.
    number: Option<Slot>,
    /// The name of the task.
    comm: Option<Slot>,
    /// The record that the program has made in its own memory; without one, its context is the record.
    made: Option<Reg>,
    /// The offsets of the fields of that record that may not have been read.
    doubtful: Vec<u32>,
    /// How many instructions the verifier walks through in loops: it walks through every round.
    rounds: u64,
}

impl<'c> Writer<'c> {
    /// Begins a program. If it has own memory, that is at the index `number` of its map, and `missing` is where a
    /// program without it goes on: the verifier knows that the map has that index.
    pub(super) fn new(number: Option<u32>, constants: &'c mut Constants) -> (Self, Block) {
        let mut code = Code::new();
        let missing = code.block();
        let mut memory = None;
        if let Some(number) = number {
            let key = code.slot(4);
            code.store(Size::B4, Base::Stack(key), 0, Operand::Imm(number as i32));
            let arguments = vec![Argument::Map(maps::MEMORY), Argument::Stack(key)];
            let value = code.call(bpf_helpers::MAP_LOOKUP_ELEM, arguments);
            code.branch_if((value, Test::Eq, Operand::Imm(0)), Width::Whole, missing);
            memory = Some(value);
        }
        (
            Writer {
                code,
                constants,
                memory,
                wants_memory: false,
                text: None,
                number: None,
                comm: None,
                made: None,
                doubtful: Vec::new(),
                rounds: 0,
            },
            missing,
        )
    }

    /// Returns whether the program is to be written again, with own memory.
    pub(super) fn lacks_memory(&self) -> bool {
        self.wants_memory && self.memory.is_none()
    }

    /// Counts a loop of so many operations and rounds.
    pub(super) fn loops(&mut self, operations: u64, rounds: u32) {
        // At each round the way out of the loop is looked at too, and a wide number is two instructions.
        self.rounds += (operations + 4) * u64::from(rounds);
    }

    /// Returns how many instructions the verifier walks through at least.
    pub(super) fn work(&self) -> u64 {
        self.rounds + self.code.length() as u64
    }

    /// Returns the address of the program's own memory.
    pub(super) fn memory(&mut self) -> Reg {
        self.wants_memory = true;
        match self.memory {
            Some(memory) => memory,
            // The program will be written again.
            None => self.code.constant(0),
        }
    }

    /// Returns the memory for the copy of a text of at most so many bytes.
    pub(super) fn text_buffer(&mut self, bytes: u32) -> Base {
        if bytes > STACK_TEXT {
            return Base::Reg(self.memory());
        }
        let slot = *self.text.get_or_insert_with(|| self.code.slot(STACK_TEXT));
        Base::Stack(slot)
    }

    /// Says that the record is in the program's own memory. Of the fields at some offsets, a byte there says whether they
    /// could not be read, in their order.
    pub(super) fn made(&mut self, record: Reg, doubtful: Vec<u32>) {
        self.made = Some(record);
        self.doubtful = doubtful;
    }

    /// Returns the address of the record.
    pub(super) fn record(&self) -> Reg {
        self.made.unwrap_or(self.code.context())
    }

    /// Returns whether the bytes at an offset of the record can be loaded where they are. Of its context, a program does
    /// not see the first.
    pub(super) fn can_load(&self, offset: u32) -> bool {
        self.made.is_some() || offset >= PROGRAM_HIDDEN_BYTES
    }

    /// Continues at `failed` where the field at an offset could not be read.
    pub(super) fn forbid_fault(&mut self, offset: u32, failed: Block) {
        if let Some(index) = self.doubtful.iter().position(|doubtful| *doubtful == offset) {
            let memory = Base::Reg(self.memory());
            let fault = self.code.load(Size::B1, memory, (FAULTS_AT as usize + index) as i16);
            self.forbid((fault, Test::Ne, Operand::Imm(0)), Width::Half, failed);
        }
    }

    /// Returns a number of the record, extended by zeros: from the context where the verifier lets it, else from a copy. A
    /// copy that fails continues at `failed`.
    pub(super) fn read(&mut self, offset: u32, bytes: u32, failed: Block) -> Reg {
        self.forbid_fault(offset, failed);
        let record = self.record();
        if self.can_load(offset) && (self.made.is_some() || offset.is_multiple_of(bytes)) {
            return self.code.load(Size::of(bytes), Base::Reg(record), offset as i16);
        }
        let slot = *self.number.get_or_insert_with(|| self.code.slot(8));
        let at = self.behind(record, offset);
        let arguments = vec![Argument::Stack(slot), Argument::Imm(bytes as i32), Argument::Reg(at)];
        self.call_or(bpf_helpers::PROBE_READ_KERNEL, arguments, failed);
        self.code.load(Size::of(bytes), Base::Stack(slot), 0)
    }

    /// Copies the name of the task.
    pub(super) fn comm(&mut self) -> Base {
        let slot = *self.comm.get_or_insert_with(|| self.code.slot(limits::TASK_COMM_LEN as u32));
        let arguments = vec![Argument::Stack(slot), Argument::Imm(limits::TASK_COMM_LEN as i32)];
        self.code.call_only(bpf_helpers::GET_CURRENT_COMM, arguments);
        Base::Stack(slot)
    }

    /// Returns the address of constants.
    pub(super) fn constant_address(&mut self, at: u32) -> Reg {
        let to = self.code.reg();
        self.code.push(Op::Value { to, map: maps::CONSTANTS, offset: at });
        to
    }

    /// Returns an address as an argument.
    pub(super) fn argument(&mut self, base: Base) -> Argument {
        match base {
            Base::Reg(reg) => Argument::Reg(reg),
            Base::Stack(slot) => Argument::Stack(slot),
        }
    }

    /// Returns an address in a register of its own.
    pub(super) fn address(&mut self, base: Base) -> Reg {
        match base {
            Base::Reg(reg) => self.code.copy(reg),
            Base::Stack(slot) => {
                let to = self.code.reg();
                self.code.push(Op::Address { to, slot });
                to
            }
        }
    }

    /// Returns the address so many bytes behind another.
    pub(super) fn behind(&mut self, base: Reg, bytes: u32) -> Reg {
        let to = self.code.copy(base);
        if bytes > 0 {
            self.code.alu(to, Alu::Add, Operand::Imm(bytes as i32));
        }
        to
    }

    /// Calls a helper that returns a negative number where it fails, and continues at `failed` then.
    pub(super) fn call_or(&mut self, helper: Helper, arguments: Vec<Argument>, failed: Block) -> Reg {
        let result = self.code.call(helper, arguments);
        self.code.branch_if((result, Test::SLt, Operand::Imm(0)), Width::Whole, failed);
        result
    }

    /// Continues at `then` if a register is equal to a number.
    pub(super) fn forbid(&mut self, test: (Reg, Test, Operand), width: Width, then: Block) {
        self.code.branch_if(test, width, then);
    }
}

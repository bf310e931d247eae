//! Instructions of a program: each block after the other, with jumps where the next block does not follow.

use std::fmt;

use tracec_kernel::btf::{Access, Aspect};
use tracec_kernel::grouped::Grouped;
use tracec_kernel::tables::limits::{PROGRAM_STACK_BYTES, PROGRAM_WALKED};

use super::allocate::{allocate, argument_copies, is_nothing};
use super::code::{
    Alu, Argument, Base, Block, Code, End, Map, Op, Operand, Origin, Reg, Relocation, Slot, Width,
};
use super::flow;
use super::instruction::{Instruction, MAP, MAP_VALUE, STACK, Source};

/// A program as instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// The instructions.
    pub(crate) instructions: Vec<Instruction>,
    /// What the instructions are for: the index of the first one that is for something else than those before.
    pub(crate) origins: Vec<(usize, Origin)>,
    /// The maps that pairs of instructions name, by the index of the first.
    pub(crate) maps: Vec<(usize, Map)>,
    /// The places in the kernel's types that relocations name.
    pub(crate) accesses: Vec<Access>,
    /// The instructions whose number the kernel at hand decides, by their index. They have that of the kernel that the
    /// program was compiled for.
    pub(crate) relocations: Vec<(usize, Relocation)>,
}

/// Why a program cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Impossible {
    /// It needs so many bytes of the stack.
    Stack(u32),
    /// A jump goes over more instructions than an instruction can say.
    Jump,
    /// The verifier would walk through so many instructions, with the rounds of loops.
    Work(u64),
}

impl Program {
    /// Returns the place whose aspect the instruction at an index takes.
    pub(crate) fn relocation(&self, index: usize) -> Option<(&Access, Aspect)> {
        let (_, found) = self.relocations.iter().find(|(at, _)| *at == index)?;
        Some((self.accesses.get(found.access as usize)?, found.aspect))
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Impossible::Stack(bytes) => {
                write!(f, "the program would need {bytes} bytes of stack; there are {PROGRAM_STACK_BYTES}")
            }
            Impossible::Work(instructions) => write!(
                f,
                "the verifier would walk through {} instructions, round by round of the loops over texts; it walks through \
                 {}",
                Grouped(instructions),
                Grouped(&PROGRAM_WALKED),
            ),
            Impossible::Jump => f.write_str("a jump in the program would pass more than 32,767 instructions"),
        }
    }
}

/// Returns the instructions of a program.
///
/// # Errors
/// The program needs more stack than there is, or is too long.
pub(crate) fn assemble(mut code: Code) -> Result<Program, Impossible> {
    flow::tidy(&mut code);
    let numbers = allocate(&mut code);
    let mut frame = 0;
    let mut places = Vec::new();
    for bytes in &code.slots {
        frame += bytes.next_multiple_of(8);
        places.push(-i64::from(frame));
    }
    if frame > PROGRAM_STACK_BYTES {
        return Err(Impossible::Stack(frame));
    }
    let mut to = Assembler {
        numbers,
        places: places.into_iter().map(|place| place as i16).collect(),
        starts: vec![0; code.blocks.len()],
        jumps: Vec::new(),
        program: Program { accesses: std::mem::take(&mut code.accesses), ..Program::default() },
    };
    if to.number(code.context) != 1 {
        to.push(Instruction::mov(Width::Whole, to.number(code.context), Source::Reg(1)));
    }
    for (index, block) in code.order.iter().enumerate() {
        let Some(content) = code.content(*block) else { continue };
        to.starts[block.0 as usize] = to.program.instructions.len();
        for (op, origin) in &content.ops {
            to.origin(*origin);
            to.op(op);
        }
        to.origin(content.end_origin);
        to.end(content.end, code.order.get(index + 1).copied());
    }
    to.finish()
}

struct Assembler {
    /// The machine's register of each virtual one.
    numbers: Vec<u8>,
    /// The offset of each slot from the stack's register.
    places: Vec<i16>,
    /// The index of each block's first instruction.
    starts: Vec<usize>,
    /// The jumps, with their targets.
    jumps: Vec<(usize, Block)>,
    program: Program,
}

impl Assembler {
    fn push(&mut self, instruction: Instruction) {
        self.program.instructions.push(instruction);
    }

    fn origin(&mut self, origin: Origin) {
        let origins = &mut self.program.origins;
        let before = origins.last().map(|(_, before)| *before);
        if before != Some(origin) {
            let at = self.program.instructions.len();
            // Nothing came of what was there before.
            origins.retain(|(index, _)| *index != at);
            if origins.last().map(|(_, before)| *before) != Some(origin) {
                origins.push((at, origin));
            }
        }
    }

    fn number(&self, reg: Reg) -> u8 {
        self.numbers[reg.0 as usize]
    }

    fn source(&self, operand: Operand) -> Source {
        match operand {
            Operand::Reg(reg) => Source::Reg(self.number(reg)),
            Operand::Imm(number) => Source::Imm(number),
        }
    }

    /// Returns the register and the offset of an address.
    fn address(&self, base: Base, offset: i16) -> (u8, i16) {
        match base {
            Base::Reg(reg) => (self.number(reg), offset),
            Base::Stack(slot) => (STACK, self.places[slot.0 as usize] + offset),
        }
    }

    fn op(&mut self, op: &Op) {
        if is_nothing(op, &self.numbers) {
            return;
        }
        match *op {
            Op::Move { width, to, from } => {
                self.push(Instruction::mov(width, self.number(to), self.source(from)));
            }
            Op::Wide { to, value } => {
                let pair = Instruction::wide(self.number(to), 0, value as u32, (value >> 32) as u32);
                self.program.instructions.extend(pair);
            }
            Op::Alu { op, width, to, by } => {
                self.push(Instruction::alu(width, op, self.number(to), self.source(by)));
            }
            Op::Relocated { op, to, number } => self.relocated(op, self.number(to), number),
            Op::Negate { to } => self.push(Instruction::negate(self.number(to))),
            Op::Load { size, to, base, offset } => {
                let (from, offset) = self.address(base, offset);
                self.push(Instruction::load(size, self.number(to), from, offset));
            }
            Op::Store { size, base, offset, from } => {
                let (to, offset) = self.address(base, offset);
                self.push(Instruction::store(size, to, offset, self.source(from)));
            }
            Op::Add { base, offset, from } => {
                let (to, offset) = self.address(base, offset);
                self.push(Instruction::add_at_once(to, offset, self.number(from)));
            }
            Op::Exchange { base, offset, with } => {
                let (to, offset) = self.address(base, offset);
                self.push(Instruction::exchange(to, offset, self.number(with)));
            }
            Op::Address { to, slot } => self.stack_address(self.number(to), slot),
            Op::Value { to, map, offset } => self.map(self.number(to), map, MAP_VALUE, offset),
            Op::Call { helper, ref arguments, result } => {
                for (to, from) in argument_copies(arguments, &self.numbers) {
                    self.push(Instruction::mov(Width::Whole, to, Source::Reg(from)));
                }
                for (argument, to) in arguments.iter().zip(1..) {
                    match *argument {
                        Argument::Reg(_) => {}
                        Argument::Imm(number) => {
                            self.push(Instruction::mov(Width::Whole, to, Source::Imm(number)));
                        }
                        Argument::Stack(slot) => self.stack_address(to, slot),
                        Argument::Map(map) => self.map(to, map, MAP, 0),
                    }
                }
                self.push(Instruction::call(helper.number));
                if let Some(result) = result.map(|result| self.number(result)).filter(|result| *result != 0) {
                    self.push(Instruction::mov(Width::Whole, result, Source::Reg(0)));
                }
            }
        }
    }

    fn relocated(&mut self, op: Option<Alu>, to: u8, number: Relocation) {
        let program = &mut self.program;
        let value = program.accesses[number.access as usize].value(number.aspect);
        program.relocations.push((program.instructions.len(), number));
        let value = Source::Imm(value as i32);
        self.push(match op {
            Some(op) => Instruction::alu(Width::Whole, op, to, value),
            None => Instruction::mov(Width::Whole, to, value),
        });
    }

    fn stack_address(&mut self, to: u8, slot: Slot) {
        let place = self.places[slot.0 as usize];
        self.push(Instruction::mov(Width::Whole, to, Source::Reg(STACK)));
        self.push(Instruction::alu(Width::Whole, Alu::Add, to, Source::Imm(place.into())));
    }

    fn map(&mut self, to: u8, map: Map, kind: u8, offset: u32) {
        self.program.maps.push((self.program.instructions.len(), map));
        // The second half of a value's address is its offset (`BPF_PSEUDO_MAP_VALUE`).
        self.program.instructions.extend(Instruction::wide(to, kind, 0, offset));
    }

    fn end(&mut self, end: End, next: Option<Block>) {
        match end {
            End::Jump(target) => self.go(target, next),
            End::Branch { test, width, left, right, then, otherwise, leaves } => {
                let (left, right) = (self.number(left), self.source(right));
                match test.opposite().filter(|_| next == Some(then) && !leaves) {
                    Some(opposite) => {
                        self.jump(Instruction::branch(width, opposite, left, right, 0), otherwise)
                    }
                    None => {
                        self.jump(Instruction::branch(width, test, left, right, 0), then);
                        self.go(otherwise, next);
                    }
                }
            }
            End::Return(number) => {
                self.push(Instruction::mov(Width::Whole, 0, Source::Imm(number)));
                self.push(Instruction::exit());
            }
        }
    }

    fn go(&mut self, target: Block, next: Option<Block>) {
        if next != Some(target) {
            self.jump(Instruction::jump(0), target);
        }
    }

    fn jump(&mut self, instruction: Instruction, target: Block) {
        self.jumps.push((self.program.instructions.len(), target));
        self.push(instruction);
    }

    /// Fills the distances of jumps in.
    fn finish(mut self) -> Result<Program, Impossible> {
        for (at, target) in &self.jumps {
            let distance = self.starts[target.0 as usize] as i64 - *at as i64 - 1;
            let offset = i16::try_from(distance).map_err(|_| Impossible::Jump)?;
            self.program.instructions[*at].offset = offset;
        }
        Ok(self.program)
    }
}

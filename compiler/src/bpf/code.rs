//! Programs whose registers are virtual: blocks of operations, each of which ends with a jump or the end of the program.
//!
//! A register may be written more than once. Its value is 64 bits; an operation on 32 bits clears the upper half
//! (Documentation/bpf/standardization/instruction-set.rst).

use tracec_kernel::btf::{Access, Aspect};
use tracec_kernel::tables::bpf_helpers::Helper;

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reg(pub(super) u32);

/// A block of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block(pub(super) u32);

/// Bytes of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub(super) u32);

/// A map, by its index in the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Map(pub(crate) u32);

/// A number that the types of the kernel at hand decide, when the program is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relocation {
    /// The place, by its index among those of the program.
    pub(super) access: u32,
    pub(super) aspect: Aspect,
}

/// The size of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One byte.
    B1,
    /// Two bytes.
    B2,
    /// Four bytes.
    B4,
    /// Eight bytes.
    B8,
}

/// How many bits an operation computes or compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 32 bits; the upper half of the result is 0.
    Half,
    /// 64 bits.
    Whole,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A register.
    Reg(Reg),
    /// A number, extended by its sign.
    Imm(i32),
}

/// Operations of two operands. A divisor of 0 gives 0, and the dividend as remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alu {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// Unsigned `/`.
    Div,
    /// `|`
    Or,
    /// `&`
    And,
    /// `<<`
    Shl,
    /// Unsigned `>>`.
    Shr,
    /// Unsigned `%`.
    Rem,
    /// `^`
    Xor,
    /// Signed `>>`.
    Sar,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// Unsigned `<`.
    Lt,
    /// Unsigned `<=`.
    Le,
    /// Unsigned `>`.
    Gt,
    /// Unsigned `>=`.
    Ge,
    /// Signed `<`.
    SLt,
    /// Signed `<=`.
    SLe,
    /// Signed `>`.
    SGt,
    /// Signed `>=`.
    SGe,
    /// A bit in common.
    Bits,
}

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A register.
    Reg(Reg),
    /// The first byte of a slot.
    Stack(Slot),
}

/// An argument of a helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A register.
    Reg(Reg),
    /// A number, extended by its sign.
    Imm(i32),
    /// The address of a slot.
    Stack(Slot),
    /// A map.
    Map(Map),
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// `to = from`
    Move { width: Width, to: Reg, from: Operand },
    /// `to = value`
    Wide { to: Reg, value: u64 },
    /// `to = to OP by`
    Alu { op: Alu, width: Width, to: Reg, by: Operand },
    /// `to = to OP number`, or `to = number` without an operation. These are what libbpf can relocate
    /// (`bpf_core_patch_insn` in tools/lib/bpf/relo_core.c).
    Relocated { op: Option<Alu>, to: Reg, number: Relocation },
    /// `to = -to`
    Negate { to: Reg },
    /// `to = *(base + offset)`, extended by zeros.
    Load { size: Size, to: Reg, base: Base, offset: i16 },
    /// `*(base + offset) = from`
    Store { size: Size, base: Base, offset: i16, from: Operand },
    /// `to = to OP from` on 8 bytes of memory, at once.
    Add { base: Base, offset: i16, from: Reg },
    /// `with` and 8 bytes of memory change places, at once.
    Exchange { base: Base, offset: i16, with: Reg },
    /// `to` is the address of a slot.
    Address { to: Reg, slot: Slot },
    /// `to` is the address of the value of a map with one, and so many bytes behind its begin.
    Value { to: Reg, map: Map, offset: u32 },
    /// A call.
    Call { helper: Helper, arguments: Vec<Argument>, result: Option<Reg> },
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// At another block.
    Jump(Block),
    /// At one of two blocks.
    /// If `leaves`, the jump to `otherwise` stands right behind the test, see [`Code::leave_unless`].
    Branch {
        test: Test,
        width: Width,
        left: Reg,
        right: Operand,
        then: Block,
        otherwise: Block,
        leaves: bool,
    },
    /// With the program, which returns a number.
    Return(i32),
}

/// The operations of a block.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// The operations, and what each is for.
    pub(super) ops: Vec<(Op, Origin)>,
    pub(super) end: End,
    pub(super) end_origin: Origin,
}

/// What an operation is for: an index that means something to who wrote it.
pub(crate) type Origin = Option<u32>;

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// The blocks, in the order in which they stand; `None` for one that was not begun.
    pub(super) blocks: Vec<Option<Content>>,
    /// The blocks in the order in which they stand. The program begins with the first.
    pub(super) order: Vec<Block>,
    /// How many registers there are.
    pub(super) registers: u32,
    /// The sizes of the slots, in bytes.
    pub(super) slots: Vec<u32>,
    /// The places in the kernel's types that relocations name.
    pub(super) accesses: Vec<Access>,
    /// The address of the context.
    pub(super) context: Reg,
    current: Option<(Block, Vec<(Op, Origin)>)>,
    origin: Origin,
}

impl Code {
    /// Creates a program whose first block has begun.
    pub(crate) fn new() -> Code {
        Code {
            blocks: vec![None],
            order: Vec::new(),
            registers: 1,
            slots: Vec::new(),
            accesses: Vec::new(),
            context: Reg(0),
            current: Some((Block(0), Vec::new())),
            origin: None,
        }
    }

    /// Returns the address of the context.
    pub(crate) fn context(&self) -> Reg {
        self.context
    }

    /// Returns a new register.
    pub(crate) fn reg(&mut self) -> Reg {
        self.registers += 1;
        Reg(self.registers - 1)
    }

    /// Returns a new slot of so many bytes, whose address is a multiple of 8.
    pub(crate) fn slot(&mut self, bytes: u32) -> Slot {
        self.slots.push(bytes);
        Slot(self.slots.len() as u32 - 1)
    }

    /// Returns a new block, which has to be begun if it is jumped to.
    pub(crate) fn block(&mut self) -> Block {
        self.blocks.push(None);
        Block(self.blocks.len() as u32 - 1)
    }

    /// Begins a block. The one before has to have ended.
    pub(crate) fn begin(&mut self, block: Block) {
        debug_assert!(self.current.is_none(), "the block before has not ended");
        self.current = Some((block, Vec::new()));
    }

    /// Sets what the operations from here on are for; returns what they were for.
    pub(crate) fn set_origin(&mut self, origin: Origin) -> Origin {
        std::mem::replace(&mut self.origin, origin)
    }

    /// Adds an operation to the block that has begun; behind its end there is none.
    pub(crate) fn push(&mut self, op: Op) {
        if let Some((_, ops)) = &mut self.current {
            ops.push((op, self.origin));
        }
    }

    /// Ends the block that has begun.
    pub(crate) fn end(&mut self, end: End) {
        if let Some((block, ops)) = self.current.take() {
            self.order.push(block);
            self.blocks[block.0 as usize] = Some(Content { ops, end, end_origin: self.origin });
        }
    }

    /// Continues in another block.
    pub(crate) fn jump(&mut self, block: Block) {
        self.end(End::Jump(block));
    }

    /// Continues in one of two blocks.
    pub(crate) fn branch(
        &mut self,
        (left, test, right): (Reg, Test, Operand),
        width: Width,
        then: Block,
        otherwise: Block,
    ) {
        self.end(End::Branch { test, width, left, right, then, otherwise, leaves: false });
    }

    /// Continues with what follows if a test holds, and else leaves a loop for `otherwise`.
    ///
    /// The verifier looks at what follows a test first, and keeps the test's target for later, of which it keeps at most
    /// 8,192 (`BPF_COMPLEXITY_LIMIT_JMP_SEQ`, kernel/bpf/verifier.c). So the way out follows the test: a target in each
    /// round would be kept until the last.
    pub(crate) fn leave_unless(
        &mut self,
        (left, test, right): (Reg, Test, Operand),
        width: Width,
        otherwise: Block,
    ) {
        let then = self.block();
        self.end(End::Branch { test, width, left, right, then, otherwise, leaves: true });
        self.begin(then);
    }

    /// Continues in `then` if a test holds, and else with what follows.
    pub(crate) fn branch_if(&mut self, test: (Reg, Test, Operand), width: Width, then: Block) {
        let next = self.block();
        self.branch(test, width, then, next);
        self.begin(next);
    }

    /// Returns a number in a register.
    pub(crate) fn constant(&mut self, value: u64) -> Reg {
        let to = self.reg();
        match i32::try_from(value as i64) {
            Ok(value) => self.push(Op::Move { width: Width::Whole, to, from: Operand::Imm(value) }),
            Err(_) if value <= u64::from(u32::MAX) => {
                self.push(Op::Move { width: Width::Half, to, from: Operand::Imm(value as u32 as i32) });
            }
            Err(_) => self.push(Op::Wide { to, value }),
        }
        to
    }

    /// Returns a number as an operand of 64 bits.
    pub(crate) fn operand(&mut self, value: u64) -> Operand {
        match i32::try_from(value as i64) {
            Ok(value) => Operand::Imm(value),
            Err(_) => Operand::Reg(self.constant(value)),
        }
    }

    /// Returns a copy of a register.
    pub(crate) fn copy(&mut self, from: Reg) -> Reg {
        let to = self.reg();
        self.push(Op::Move { width: Width::Whole, to, from: Operand::Reg(from) });
        to
    }

    /// Computes on a register.
    pub(crate) fn alu(&mut self, to: Reg, op: Alu, by: Operand) {
        self.push(Op::Alu { op, width: Width::Whole, to, by });
    }

    /// Computes with an aspect of a place in the kernel's types.
    pub(crate) fn relocated(&mut self, to: Reg, op: Option<Alu>, access: &Access, aspect: Aspect) {
        let known = self.accesses.iter().position(|known| known == access);
        let access = known.unwrap_or_else(|| {
            self.accesses.push(access.clone());
            self.accesses.len() - 1
        });
        let number = Relocation { access: access as u32, aspect };
        self.push(Op::Relocated { op, to, number });
    }

    /// Returns what memory holds.
    pub(crate) fn load(&mut self, size: Size, base: Base, offset: i16) -> Reg {
        let to = self.reg();
        self.push(Op::Load { size, to, base, offset });
        to
    }

    /// Writes to memory.
    pub(crate) fn store(&mut self, size: Size, base: Base, offset: i16, from: Operand) {
        self.push(Op::Store { size, base, offset, from });
    }

    /// Calls a helper and returns its result.
    pub(crate) fn call(&mut self, helper: Helper, arguments: Vec<Argument>) -> Reg {
        debug_assert_eq!(helper.arguments, arguments.len(), "{}", helper.name);
        let result = self.reg();
        self.push(Op::Call { helper, arguments, result: Some(result) });
        result
    }

    /// Calls a helper whose result is not needed.
    pub(crate) fn call_only(&mut self, helper: Helper, arguments: Vec<Argument>) {
        debug_assert_eq!(helper.arguments, arguments.len(), "{}", helper.name);
        self.push(Op::Call { helper, arguments, result: None });
    }

    /// Returns how many operations have been added, those of ends of blocks included.
    pub(crate) fn length(&self) -> usize {
        let ended = self.blocks.iter().flatten().map(|content| content.ops.len() + 1);
        ended.sum::<usize>() + self.current.as_ref().map_or(0, |(_, ops)| ops.len())
    }

    pub(super) fn content(&self, block: Block) -> Option<&Content> {
        self.blocks.get(block.0 as usize).and_then(Option::as_ref)
    }
}

impl Size {
    /// Returns the size of so many bytes, of which there are 1, 2, 4 or 8.
    pub(crate) fn of(bytes: u32) -> Size {
        match bytes {
            1 => Size::B1,
            2 => Size::B2,
            3 | 4 => Size::B4,
            _ => Size::B8,
        }
    }

    /// Returns how many bytes it is.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Size::B1 => 1,
            Size::B2 => 2,
            Size::B4 => 4,
            Size::B8 => 8,
        }
    }
}

impl Test {
    /// Returns the test that holds where this does not; there is none for bits.
    pub(crate) fn opposite(self) -> Option<Test> {
        Some(match self {
            Test::Eq => Test::Ne,
            Test::Ne => Test::Eq,
            Test::Lt => Test::Ge,
            Test::Le => Test::Gt,
            Test::Gt => Test::Le,
            Test::Ge => Test::Lt,
            Test::SLt => Test::SGe,
            Test::SLe => Test::SGt,
            Test::SGt => Test::SLe,
            Test::SGe => Test::SLt,
            Test::Bits => return None,
        })
    }
}

impl Op {
    /// Calls a function with each register that is read.
    pub(super) fn reads(&self, mut read: impl FnMut(Reg)) {
        let mut operand = |operand: &Operand| {
            if let Operand::Reg(reg) = operand {
                read(*reg);
            }
        };
        match self {
            Op::Move { from, .. } => operand(from),
            Op::Alu { to, by, .. } => {
                operand(&Operand::Reg(*to));
                operand(by);
            }
            Op::Negate { to } | Op::Relocated { op: Some(_), to, .. } => operand(&Operand::Reg(*to)),
            Op::Load { base, .. } => base.reads(read),
            Op::Store { base, from, .. } => {
                operand(from);
                base.reads(read);
            }
            Op::Add { base, from, .. } | Op::Exchange { base, with: from, .. } => {
                read(*from);
                base.reads(read);
            }
            Op::Wide { .. } | Op::Address { .. } | Op::Value { .. } | Op::Relocated { op: None, .. } => {}
            Op::Call { arguments, .. } => {
                for argument in arguments {
                    if let Argument::Reg(reg) = argument {
                        read(*reg);
                    }
                }
            }
        }
    }

    /// Returns the register that is written.
    pub(super) fn written(&self) -> Option<Reg> {
        match self {
            Op::Move { to, .. }
            | Op::Wide { to, .. }
            | Op::Alu { to, .. }
            | Op::Negate { to }
            | Op::Relocated { to, .. }
            | Op::Load { to, .. }
            | Op::Address { to, .. }
            | Op::Value { to, .. } => Some(*to),
            Op::Exchange { with, .. } => Some(*with),
            Op::Store { .. } | Op::Add { .. } => None,
            Op::Call { result, .. } => *result,
        }
    }

    /// Replaces a register that is read or written.
    pub(super) fn rename(&mut self, old: Reg, new: Reg) {
        let swap = |reg: &mut Reg| {
            if *reg == old {
                *reg = new;
            }
        };
        let operand = |operand: &mut Operand| {
            if let Operand::Reg(reg) = operand {
                swap(reg);
            }
        };
        let of_base = |base: &mut Base| {
            if let Base::Reg(reg) = base {
                swap(reg);
            }
        };
        match self {
            Op::Move { to, from, .. } => {
                swap(to);
                operand(from);
            }
            Op::Alu { to, by, .. } => {
                swap(to);
                operand(by);
            }
            Op::Wide { to, .. }
            | Op::Negate { to }
            | Op::Relocated { to, .. }
            | Op::Address { to, .. }
            | Op::Value { to, .. } => swap(to),
            Op::Load { to, base, .. } => {
                swap(to);
                of_base(base);
            }
            Op::Store { base, from, .. } => {
                of_base(base);
                operand(from);
            }
            Op::Add { base, from, .. } | Op::Exchange { base, with: from, .. } => {
                of_base(base);
                swap(from);
            }
            Op::Call { arguments, result, .. } => {
                for argument in arguments {
                    if let Argument::Reg(reg) = argument {
                        swap(reg);
                    }
                }
                result.iter_mut().for_each(swap);
            }
        }
    }
}

impl Base {
    fn reads(self, mut read: impl FnMut(Reg)) {
        if let Base::Reg(reg) = self {
            read(reg);
        }
    }
}

impl End {
    /// Calls a function with each register that is read.
    pub(super) fn reads(&self, mut read: impl FnMut(Reg)) {
        if let End::Branch { left, right, .. } = self {
            read(*left);
            if let Operand::Reg(reg) = right {
                read(*reg);
            }
        }
    }

    /// Replaces a register that is read.
    pub(super) fn rename(&mut self, old: Reg, new: Reg) {
        if let End::Branch { left, right, .. } = self {
            if *left == old {
                *left = new;
            }
            if *right == Operand::Reg(old) {
                *right = Operand::Reg(new);
            }
        }
    }

    /// Calls a function with each block that can follow.
    pub(super) fn successors(&self, mut follow: impl FnMut(Block)) {
        match self {
            End::Jump(block) => follow(*block),
            End::Branch { then, otherwise, .. } => {
                follow(*then);
                follow(*otherwise);
            }
            End::Return(_) => {}
        }
    }
}

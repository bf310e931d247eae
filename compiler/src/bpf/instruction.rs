//! Instructions as the kernel reads them: 8 bytes each (Documentation/bpf/standardization/instruction-set.rst).

use super::code::{Alu, Size, Test, Width};

/// The class of loads of 64-bit numbers.
const LD: u8 = 0x00;
/// The class of loads from memory.
const LDX: u8 = 0x01;
/// The class of stores of numbers.
const ST: u8 = 0x02;
/// The class of stores of registers.
const STX: u8 = 0x03;
/// The class of operations on 32 bits.
const ALU: u8 = 0x04;
/// The class of jumps that compare 64 bits.
const JMP: u8 = 0x05;
/// The class of jumps that compare 32 bits.
const JMP32: u8 = 0x06;
/// The class of operations on 64 bits.
const ALU64: u8 = 0x07;
/// The mode of memory at an address.
const MEM: u8 = 0x60;
/// The mode of operations on memory at once.
const ATOMIC: u8 = 0xc0;
/// The source of an operand is a register.
const X: u8 = 0x08;

/// The register of the stack.
pub(crate) const STACK: u8 = 10;

/// What the first of the two instructions of a 64-bit number names, in the place of the source: a map
/// (`BPF_PSEUDO_MAP_FD`), or the value of one (`BPF_PSEUDO_MAP_VALUE`).
pub(crate) const MAP: u8 = 1;
/// See [`MAP`].
pub(crate) const MAP_VALUE: u8 = 2;

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) code: u8,
    pub(crate) to: u8,
    pub(crate) from: u8,
    pub(crate) offset: i16,
    pub(crate) number: i32,
}

/// The second operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Reg(u8),
    Imm(i32),
}

/// The number of `BPF_XCHG`, which fetches what was there.
pub(crate) const XCHG: i32 = 0xe1;

impl Instruction {
    /// Returns its bytes, little-endian.
    pub(crate) fn bytes(self) -> [u8; 8] {
        let [a, b] = self.offset.to_le_bytes();
        let [c, d, e, f] = self.number.to_le_bytes();
        [self.code, (self.from << 4) | self.to, a, b, c, d, e, f]
    }

    fn with(class: u8, op: u8, to: u8, source: Source, offset: i16) -> Instruction {
        match source {
            Source::Reg(from) => Instruction { code: class | op | X, to, from, offset, number: 0 },
            Source::Imm(number) => Instruction { code: class | op, to, from: 0, offset, number },
        }
    }

    pub(crate) fn mov(width: Width, to: u8, from: Source) -> Instruction {
        Instruction::with(alu_class(width), 0xb0, to, from, 0)
    }

    pub(crate) fn alu(width: Width, op: Alu, to: u8, by: Source) -> Instruction {
        let op = match op {
            Alu::Add => 0x00,
            Alu::Sub => 0x10,
            Alu::Mul => 0x20,
            Alu::Div => 0x30,
            Alu::Or => 0x40,
            Alu::And => 0x50,
            Alu::Shl => 0x60,
            Alu::Shr => 0x70,
            Alu::Rem => 0x90,
            Alu::Xor => 0xa0,
            Alu::Sar => 0xc0,
        };
        Instruction::with(alu_class(width), op, to, by, 0)
    }

    pub(crate) fn negate(to: u8) -> Instruction {
        Instruction { code: ALU64 | 0x80, to, from: 0, offset: 0, number: 0 }
    }

    /// Returns the two instructions of a 64-bit number.
    pub(crate) fn wide(to: u8, from: u8, low: u32, high: u32) -> [Instruction; 2] {
        let first = Instruction { code: LD | 0x18, to, from, offset: 0, number: low as i32 };
        [first, Instruction { code: 0, to: 0, from: 0, offset: 0, number: high as i32 }]
    }

    pub(crate) fn load(size: Size, to: u8, from: u8, offset: i16) -> Instruction {
        Instruction { code: LDX | MEM | mode(size), to, from, offset, number: 0 }
    }

    pub(crate) fn store(size: Size, to: u8, offset: i16, from: Source) -> Instruction {
        match from {
            Source::Reg(from) => Instruction { code: STX | MEM | mode(size), to, from, offset, number: 0 },
            Source::Imm(number) => Instruction { code: ST | MEM | mode(size), to, from: 0, offset, number },
        }
    }

    /// Returns an addition to 8 bytes of memory at once.
    pub(crate) fn add_at_once(to: u8, offset: i16, from: u8) -> Instruction {
        Instruction { code: STX | ATOMIC | mode(Size::B8), to, from, offset, number: 0 }
    }

    /// Returns an exchange of a register with 8 bytes of memory at once (`BPF_XCHG`, since Linux 5.12).
    pub(crate) fn exchange(to: u8, offset: i16, with: u8) -> Instruction {
        Instruction { number: XCHG, ..Instruction::add_at_once(to, offset, with) }
    }

    pub(crate) fn jump(offset: i16) -> Instruction {
        Instruction { code: JMP, to: 0, from: 0, offset, number: 0 }
    }

    pub(crate) fn branch(width: Width, test: Test, left: u8, right: Source, offset: i16) -> Instruction {
        let op = match test {
            Test::Eq => 0x10,
            Test::Gt => 0x20,
            Test::Ge => 0x30,
            Test::Bits => 0x40,
            Test::Ne => 0x50,
            Test::SGt => 0x60,
            Test::SGe => 0x70,
            Test::Lt => 0xa0,
            Test::Le => 0xb0,
            Test::SLt => 0xc0,
            Test::SLe => 0xd0,
        };
        let class = match width {
            Width::Half => JMP32,
            Width::Whole => JMP,
        };
        Instruction::with(class, op, left, right, offset)
    }

    pub(crate) fn call(number: i32) -> Instruction {
        Instruction { code: JMP | 0x80, to: 0, from: 0, offset: 0, number }
    }

    pub(crate) fn exit() -> Instruction {
        Instruction { code: JMP | 0x90, to: 0, from: 0, offset: 0, number: 0 }
    }
}

fn alu_class(width: Width) -> u8 {
    match width {
        Width::Half => ALU,
        Width::Whole => ALU64,
    }
}

fn mode(size: Size) -> u8 {
    match size {
        Size::B4 => 0x00,
        Size::B2 => 0x08,
        Size::B1 => 0x10,
        Size::B8 => 0x18,
    }
}

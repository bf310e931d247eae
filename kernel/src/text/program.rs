//! The program of a text: instructions for a stack machine, and its constants.

use std::collections::BTreeSet;

use super::memory::{Memory, Value};
use super::style::Dialect;
use crate::append::{push_short, push_start};
use crate::bytes::ByteOrder;
use crate::tables::c_types::IntegerType;

/// A compiled text.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) code: Vec<Op>,
    /// Literal texts, and [`BLOCK`] bytes behind them.
    pub(super) texts: Vec<u8>,
    /// Names, strings with their NUL, and arrays.
    pub(super) data: Vec<u8>,
    pub(super) names: Vec<Names>,
    pub(super) numbers: Vec<NumberFormat>,
    pub(super) functions: Vec<&'static TextFunction>,
    /// The greatest number of values that are on the stack at once.
    pub(super) stack: usize,
    /// The number of local variables.
    pub(super) locals: usize,
    pub(super) order: ByteOrder,
    /// Whose `printf` prints numbers, addresses and symbols.
    pub(super) dialect: Dialect,
    /// See [`Text::needs_hashing`](super::Text::needs_hashing).
    pub(super) hashes: bool,
    /// See [`Text::unknown`](super::Text::unknown).
    pub(super) unknown: BTreeSet<&'static str>,
}

/// The size of a block that is copied at once.
pub(super) const BLOCK: usize = 16;

/// A range of the program's data, or of its texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) length: u32,
}

impl Range {
    pub(super) fn of(self, data: &[u8]) -> &[u8] {
        let start = self.start as usize;
        data.get(start..start + self.length as usize).unwrap_or_default()
    }

    /// Appends its bytes of the program's texts. Most are shorter than a block, and are copied as one.
    #[inline]
    pub(super) fn push(self, texts: &[u8], out: &mut Vec<u8>) {
        let block = texts.get(self.start as usize..).and_then(|rest| rest.first_chunk::<BLOCK>());
        match block {
            Some(block) if self.length as usize <= BLOCK => push_start(out, block, self.length as usize),
            _ => push_short(out, self.of(texts)),
        }
    }
}

/// An instruction. Those that compute pop their operands, the last one first, and push their result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Pushes a number.
    Number(u64),
    /// Pushes an integer of the record.
    Field { offset: u32, integer: Small },
    /// Pushes a number that is not known.
    Unknown,
    /// Pushes the address of a place in the record.
    Record(u32),
    /// Pushes the address of a place in the program's data.
    Data(u32),
    /// Pushes the address that a location word in the record gives, which is on the stack.
    Locate { relative: bool },
    /// Replaces the address of a location word by the length that it gives.
    LocatedLength,
    /// Replaces an address by the integer at it.
    Load(Small),
    /// Pushes a local variable.
    Local(u16),
    /// Pops into a local variable.
    SetLocal(u16),
    /// Replaces an index by the address of a string, of `count` that follow a table of offsets in the data.
    StringOf { table: u32, count: u32 },
    /// Extends the low bytes of a number to 64 bits.
    Extend(Small),
    /// 1 for a number that is not 0.
    Truth,
    /// 1 for 0.
    Not,
    /// Computes on two numbers of the same type; the result has to be extended.
    Binary(Arithmetic),
    /// Reverses the order of so many low bytes.
    SwapBytes(u8),
    /// Counts the zero bits below the lowest one.
    TrailingZeroes,
    /// Pushes the top of the stack again.
    Duplicate,
    /// Pops.
    Drop,
    /// Goes on at another instruction.
    Jump(u32),
    /// Pops, and goes on at another instruction if it is 0.
    JumpIfZero(u32),
    /// Pops, and goes on at another instruction if it is not 0.
    JumpIfNotZero(u32),
    /// Appends text.
    Text(Range),
    /// Pops a number and appends it.
    Print { style: NumberStyle, integer: Small },
    /// Appends an integer of the record.
    PrintField(NumberField),
    /// Appends text, and an integer of the record.
    TextField(Range, NumberField),
    /// Pops a number, a precision and a width, and appends the number.
    PrintPadded { format: u16, integer: Small },
    /// Pops a number and appends it as a character.
    PrintCharacter,
    /// Pops an address and appends the string at it.
    PrintString,
    /// Appends the string that a location word in the record refers to.
    PrintLocated { word: u32, relative: bool },
    /// Pushes the length of the output.
    Begin,
    /// Pops what [`Begin`](Self::Begin) has pushed, a precision and a width, and pads what was appended since.
    End { left: bool },
    /// Pops a number and appends its name.
    Symbolic(u16),
    /// Pops a number and appends the names of its bits.
    Flags(u16),
    /// Pops an address and a number of bytes, and appends them as `aa bb`, or `aabb`.
    Hex { joined: bool },
    /// Pops an address, a count and the size of an element, and appends `{0x1,0x2}`.
    Array,
    /// Pops an address and a number of bytes, and appends them as a bitmap.
    Bitmask,
    /// Pops an address and a number of bytes, and appends the symbols of a stack.
    Stack,
    /// Pops a flag for characters, a length, an address, the bytes of a group and of a row, the kind of prefix, and
    /// the prefix, and appends lines.
    HexDump,
    /// Pops an address, a precision and a width (-1 where it has none), and appends what is at it.
    Pointer { extension: Extension, left: bool, zero: bool },
    /// Pops the arguments of a function, and appends its text.
    Function(u16),
}

/// The size and sign of an integer in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Small {
    pub(super) bytes: u8,
    pub(super) signed: bool,
}

impl Small {
    /// Extends the low bytes of a value to 64 bits.
    pub(super) fn extend(self, value: u64) -> u64 {
        let unused = 64 - 8 * u32::from(self.bytes.clamp(1, 8));
        if self.signed { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused }
    }
}

impl From<IntegerType> for Small {
    fn from(integer: IntegerType) -> Self {
        Small { bytes: integer.bytes as u8, signed: integer.signed }
    }
}

/// A binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide { signed: bool },
    Remainder { signed: bool },
    ShiftLeft { bits: u8 },
    ShiftRight { bits: u8, signed: bool },
    And,
    Or,
    Xor,
    Equal,
    Less { signed: bool },
    LessEqual { signed: bool },
}

/// An integer of the record that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberField {
    pub(super) offset: u32,
    pub(super) field: Small,
    pub(super) style: NumberStyle,
    /// What reaches the directive.
    pub(super) integer: Small,
}

/// How a number is printed. Nearly all are printed in one of the first forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberStyle {
    /// `%u`.
    Unsigned,
    /// `%d`.
    Signed,
    /// `%x`.
    Hexadecimal,
    /// One digit as it is, more as `%#x`: the arguments of system calls.
    Marked,
    /// The form at an index.
    Form(u16),
}

/// The form of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberFormat {
    pub(super) base: u8,
    pub(super) signed: bool,
    pub(super) upper: bool,
    pub(super) alternate: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) padding: Padding,
}

impl NumberFormat {
    /// Returns the style of a number without padding, sign or prefix.
    pub(super) fn plain(&self) -> Option<NumberStyle> {
        let marks = self.alternate || self.plus || self.space || self.upper;
        if marks || self.padding.width > 0 || self.padding.precision > 0 {
            return None;
        }
        match self.base {
            16 => Some(NumberStyle::Hexadecimal),
            10 if self.signed => Some(NumberStyle::Signed),
            10 => Some(NumberStyle::Unsigned),
            _ => None,
        }
    }
}

/// The field that a number or text is put into. Without a width or precision they are -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Padding {
    pub(super) width: i32,
    pub(super) precision: i32,
    pub(super) left: bool,
    pub(super) zero: bool,
}

/// The names of a value.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) entries: Vec<(u64, Range)>,
    /// The position plus one of the first entry of each small value.
    pub(super) small: Vec<u16>,
    pub(super) delimiter: Range,
}

/// What a `%p` extension prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    /// The address as a number.
    Address,
    /// The symbol of an address, with offset or without, of the instruction before it (`%pB`).
    Symbol {
        offset: bool,
        before: bool,
    },
    /// The name of an error.
    Error,
    /// Six bytes of a hardware address.
    Hardware {
        separator: Option<u8>,
        reversed: bool,
    },
    Ipv4 {
        zeroes: bool,
        reversed: bool,
    },
    Ipv6 {
        compressed: bool,
        colons: bool,
    },
    Socket {
        port: bool,
        flow: bool,
        scope: bool,
        compressed: bool,
        plain: bool,
        reversed: bool,
    },
    Uuid {
        upper: bool,
        guid: bool,
    },
    Hex {
        separator: Option<u8>,
    },
    Bitmap {
        list: bool,
    },
    /// Eight bytes as a number with `0x` and all digits.
    Word,
}

/// The greatest number of arguments of a function.
pub(super) const MOST_ARGUMENTS: usize = 12;

/// A function whose result is a string.
pub(super) struct TextFunction {
    /// Its name in the kernel.
    pub(super) name: &'static str,
    /// The number of its arguments; `p`, the sequence that the kernel's functions print into, is one of them.
    pub(super) arguments: u8,
    /// Appends its string.
    pub(super) print: fn(&[Value], &Memory<'_>, &mut Vec<u8>),
}

impl std::fmt::Debug for TextFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

//! The machine that runs the program of a text.

use super::environment::Environment;
use super::memory::{Memory, Space, Value};
use super::program::{
    Arithmetic, MOST_ARGUMENTS, NumberField, NumberFormat, NumberStyle, Op, Padding, Program, Small,
};
use super::style::Dialect;
use super::{number, print};
use crate::append::{push_decimal, push_hex, push_short, push_signed};

/// Values that nearly all programs need room for.
const FEW: usize = 16;

/// The greatest number of values that a program may have on its stack or as local variables.
pub(super) const MOST: usize = 128;

/// Appends the text of a record.
pub(super) fn run(
    program: &Program,
    record: &[u8],
    environment: &dyn Environment,
    escape: bool,
    out: &mut Vec<u8>,
) {
    let memory = Memory { record, data: &program.data, order: program.order };
    let values = program.stack + program.locals;
    if values <= FEW {
        let mut machine = Machine::<FEW> {
            program,
            memory,
            environment,
            escape,
            values: [Value::ZERO; FEW],
            top: program.locals,
        };
        machine.run(out);
    } else {
        let mut machine = Machine::<{ 2 * MOST }> {
            program,
            memory,
            environment,
            escape,
            values: [Value::ZERO; 2 * MOST],
            top: program.locals,
        };
        machine.run(out);
    }
}

/// Returns the value of a constant expression, which is left on the stack.
pub(super) fn constant(program: &Program, environment: &dyn Environment) -> Value {
    let memory = Memory { record: &[], data: &program.data, order: program.order };
    let mut machine = Machine::<{ 2 * MOST }> {
        program,
        memory,
        environment,
        escape: false,
        values: [Value::ZERO; 2 * MOST],
        top: program.locals,
    };
    machine.run(&mut Vec::new());
    machine.pop()
}

/// Local variables, and the stack above them. `N` is a power of two, and the compiler knows that no program needs more.
struct Machine<'a, const N: usize> {
    program: &'a Program,
    memory: Memory<'a>,
    environment: &'a dyn Environment,
    escape: bool,
    values: [Value; N],
    top: usize,
}

impl<const N: usize> Machine<'_, N> {
    fn push(&mut self, value: Value) {
        self.values[self.top & (N - 1)] = value;
        self.top = self.top.wrapping_add(1);
    }

    fn pop(&mut self) -> Value {
        self.top = self.top.wrapping_sub(1);
        self.values[self.top & (N - 1)]
    }

    fn pop_int(&mut self) -> i32 {
        self.pop().bits as i32
    }

    fn field(&self, offset: u32, integer: Small) -> u64 {
        let value = self.memory.order.uint(self.memory.record, offset as usize, usize::from(integer.bytes));
        integer.extend(value.unwrap_or(0))
    }

    /// Returns the address and the length that a location word gives.
    fn located(&self, word: Value, relative: bool) -> (Value, u64) {
        let location = self.memory.uint(word, 4).unwrap_or(0);
        let base = if relative { word.bits.wrapping_add(4) } else { 0 };
        (Value { bits: base.wrapping_add(location & 0xffff), space: Space::Record }, location >> 16)
    }

    fn format(&self, format: u16) -> &NumberFormat {
        const NONE: NumberFormat = NumberFormat {
            base: 10,
            signed: false,
            upper: false,
            alternate: false,
            plus: false,
            space: false,
            padding: Padding { width: -1, precision: -1, left: false, zero: false },
        };
        self.program.numbers.get(usize::from(format)).unwrap_or(&NONE)
    }

    #[inline]
    fn print_number(&self, out: &mut Vec<u8>, value: u64, style: NumberStyle) {
        match style {
            NumberStyle::Unsigned => push_decimal(out, value),
            NumberStyle::Signed => push_signed(out, value as i64),
            NumberStyle::Hexadecimal => push_hex(out, value),
            NumberStyle::Marked => {
                if value >= 10 {
                    out.extend_from_slice(b"0x");
                }
                push_hex(out, value);
            }
            NumberStyle::Form(format) => {
                let format = self.format(format);
                self.push_number(out, value, format, format.padding);
            }
        }
    }

    #[inline]
    fn print_field(&self, out: &mut Vec<u8>, printed: &NumberField) {
        let value = self.field(printed.offset, printed.field);
        self.print_number(out, printed.integer.extend(value), printed.style);
    }

    /// Appends a number. The kernel marks each number of `%#x`, C does not mark 0.
    fn push_number(&self, out: &mut Vec<u8>, value: u64, format: &NumberFormat, padding: Padding) {
        if value == 0 && format.alternate && self.program.dialect == Dialect::TraceCmd {
            return number::push(out, 0, &NumberFormat { alternate: false, ..*format }, padding);
        }
        number::push(out, value, format, padding);
    }

    fn print_string(&self, out: &mut Vec<u8>, address: Value) {
        if address == Value::UNKNOWN {
            return out.push(b'?');
        }
        if address.space == Space::Kernel && self.program.dialect == Dialect::TraceCmd {
            return match self.environment.string(address.bits) {
                Some(text) if self.escape => print::escaped(out, text),
                Some(text) => out.extend_from_slice(text),
                None => push_hex(out, address.bits),
            };
        }
        if address.space == Space::Kernel {
            return print::kernel_string(out, address.bits, self.environment, self.escape);
        }
        match self.memory.string(address) {
            Some(text) if self.escape && address.space == Space::Record => print::escaped(out, text),
            Some(text) => push_short(out, text),
            None => out.extend_from_slice(address.fault()),
        }
    }

    fn run(&mut self, out: &mut Vec<u8>) {
        let program = self.program;
        let mut at = 0;
        // All jumps of the compiler go forward, so that this ends.
        while let Some(op) = program.code.get(at) {
            at += 1;
            // By reference: a copy of the instruction would be put together in memory, and read again in other pieces.
            match *op {
                Op::Text(range) => range.push(&program.texts, out),
                Op::PrintField(ref field) => self.print_field(out, field),
                Op::TextField(range, ref field) => {
                    range.push(&program.texts, out);
                    self.print_field(out, field);
                }
                Op::PrintLocated { word, relative } => {
                    let word = Value { bits: u64::from(word), space: Space::Record };
                    self.print_string(out, self.located(word, relative).0);
                }
                Op::Print { style, integer } => match self.pop() {
                    Value::UNKNOWN => out.push(b'?'),
                    value => self.print_number(out, integer.extend(value.bits), style),
                },
                Op::PrintString => {
                    let address = self.pop();
                    self.print_string(out, address);
                }
                Op::Number(value) => self.push(Value::number(value)),
                Op::Unknown => self.push(Value::UNKNOWN),
                Op::Field { offset, integer } => self.push(Value::number(self.field(offset, integer))),
                Op::Record(offset) => self.push(Value { bits: u64::from(offset), space: Space::Record }),
                Op::Data(offset) => self.push(Value { bits: u64::from(offset), space: Space::Data }),
                Op::Symbolic(names) => {
                    let value = self.pop();
                    match program.names.get(usize::from(names)) {
                        Some(names) if value != Value::UNKNOWN => {
                            print::symbolic(out, value.bits, names, &program.data)
                        }
                        _ => out.push(b'?'),
                    }
                }
                Op::Flags(names) => {
                    let value = self.pop();
                    match program.names.get(usize::from(names)) {
                        Some(names) if value != Value::UNKNOWN => {
                            print::flags(out, value.bits, names, &program.data, program.dialect)
                        }
                        _ => out.push(b'?'),
                    }
                }
                Op::Jump(target) => at = target as usize,
                Op::JumpIfZero(target) => {
                    if !self.pop().is_true() {
                        at = target as usize;
                    }
                }
                Op::JumpIfNotZero(target) => {
                    if self.pop().is_true() {
                        at = target as usize;
                    }
                }
                Op::Begin => self.push(Value::number(out.len() as u64)),
                _ => self.rare(op, out),
            }
        }
    }

    /// Runs the instructions that are not in most programs, or compute.
    fn rare(&mut self, op: &Op, out: &mut Vec<u8>) {
        match *op {
            Op::Locate { relative } => {
                let word = self.pop();
                let (address, _) = self.located(word, relative);
                self.push(address);
            }
            Op::LocatedLength => {
                let word = self.pop();
                let (_, length) = self.located(word, false);
                self.push(Value::number(length));
            }
            Op::Load(integer) => {
                let address = self.pop();
                let value = self.memory.uint(address, usize::from(integer.bytes)).unwrap_or(0);
                let unknown = address.space == Space::Unknown;
                self.push(if unknown { address } else { Value::number(integer.extend(value)) });
            }
            Op::Local(local) => self.push(self.values[usize::from(local) & (N - 1)]),
            Op::SetLocal(local) => self.values[usize::from(local) & (N - 1)] = self.pop(),
            Op::StringOf { table, count } => {
                let index = self.pop().bits;
                let address =
                    Value { bits: u64::from(table).wrapping_add(index.wrapping_mul(4)), space: Space::Data };
                let inside = index < u64::from(count);
                let string = inside.then(|| self.memory.uint(address, 4)).flatten();
                // Outside of the array the kernel would print what lies behind it.
                self.push(string.map_or(Value { bits: u64::MAX, space: Space::Data }, |bits| match bits {
                    0xffff_ffff => Value::ZERO,
                    bits => Value { bits, space: Space::Data },
                }));
            }
            Op::Extend(integer) => {
                let value = self.pop();
                let bits = if value == Value::UNKNOWN { 0 } else { integer.extend(value.bits) };
                self.push(Value { bits, ..value });
            }
            Op::Truth => {
                let truth = self.pop().is_true();
                self.push(Value::truth(truth));
            }
            Op::Not => {
                let truth = self.pop().is_true();
                self.push(Value::truth(!truth));
            }
            Op::Binary(operation) => {
                let (right, left) = (self.pop(), self.pop());
                self.push(compute(operation, left, right));
            }
            Op::SwapBytes(bytes) => {
                let value = self.pop().bits;
                self.push(Value::number(value.swap_bytes() >> (64 - 8 * u32::from(bytes.clamp(1, 8)))));
            }
            Op::TrailingZeroes => {
                let value = self.pop().bits;
                self.push(Value::number(u64::from(value.trailing_zeros())));
            }
            Op::Duplicate => {
                let value = self.pop();
                self.push(value);
                self.push(value);
            }
            Op::Drop => {
                self.pop();
            }
            _ => self.print(op, out),
        }
    }

    fn print(&mut self, op: &Op, out: &mut Vec<u8>) {
        match *op {
            Op::PrintPadded { format, integer } => {
                let value = self.pop();
                let format = *self.format(format);
                let (precision, width) = (self.pop_int(), self.pop_int());
                if value == Value::UNKNOWN {
                    return out.push(b'?');
                }
                let value = integer.extend(value.bits);
                self.push_number(out, value, &format, padding(format.padding, width, precision));
            }
            Op::PrintCharacter => {
                let character = [self.pop().bits as u8];
                if self.escape { print::escaped(out, &character) } else { out.extend_from_slice(&character) }
            }
            Op::End { left } => {
                let start = self.pop().bits as usize;
                let (precision, width) = (self.pop_int(), self.pop_int());
                let none = Padding { width: -1, precision: -1, left, zero: false };
                print::pad(out, start, padding(none, width, precision));
            }
            Op::Hex { joined } => {
                let (count, address) = (self.pop_int(), self.pop());
                print::hex(out, &self.memory, address, count, joined);
            }
            Op::Array => {
                let (size, count, address) = (self.pop().bits, self.pop_int(), self.pop());
                print::array(out, &self.memory, address, count, size);
            }
            Op::Bitmask => {
                let (bytes, address) = (self.pop().bits, self.pop());
                print::bitmap(out, &self.memory, address, (bytes as u32).wrapping_mul(8), false);
            }
            Op::Stack => {
                let (bytes, address) = (self.pop().bits, self.pop());
                print::stack(out, &self.memory, address, bytes, self.environment);
            }
            Op::HexDump => {
                let characters = self.pop().is_true();
                let (length, address) = (self.pop().bits, self.pop());
                let (group, row, kind, prefix) = (self.pop_int(), self.pop_int(), self.pop_int(), self.pop());
                let dump = print::Dump { prefix, kind, row, group, address, length, characters };
                print::hex_dump(out, &self.memory, dump);
            }
            Op::Pointer { extension, left, zero } => {
                let address = self.pop();
                let (precision, width) = (self.pop_int(), self.pop_int());
                let padding = padding(Padding { width: -1, precision: -1, left, zero }, width, precision);
                let kernel = (self.environment, self.program.dialect);
                print::pointer(out, &self.memory, address, extension, padding, kernel);
            }
            Op::Function(function) => {
                let Some(function) = self.program.functions.get(usize::from(function)) else { return };
                let mut arguments = [Value::ZERO; MOST_ARGUMENTS];
                let count = usize::from(function.arguments);
                for place in arguments.iter_mut().take(count).rev() {
                    *place = self.pop();
                }
                (function.print)(arguments.get(..count).unwrap_or_default(), &self.memory, out);
            }
            _ => {}
        }
    }
}

/// Returns a padding with a width and a precision that are known at run time: a negative width means `-`, and of a
/// precision that there is none (`set_field_width`, `set_precision` in lib/vsprintf.c). A width of -1 that was not
/// given by the event stays.
fn padding(format: Padding, width: i32, precision: i32) -> Padding {
    match width {
        -1 => Padding { precision, ..format },
        _ => Padding { width: width.saturating_abs(), precision, left: format.left || width < 0, ..format },
    }
}

fn compute(operation: Arithmetic, left: Value, right: Value) -> Value {
    let (a, b) = (left.bits, right.bits);
    if [left.space, right.space].contains(&Space::Unknown) {
        return Value::UNKNOWN;
    }
    let number = match operation {
        // The sum of an address and a number is in the address's memory.
        Arithmetic::Add => {
            let space = if left.space == Space::Kernel { right.space } else { left.space };
            return Value { bits: a.wrapping_add(b), space };
        }
        Arithmetic::Subtract => {
            let space = if right.space == left.space { Space::Kernel } else { left.space };
            return Value { bits: a.wrapping_sub(b), space };
        }
        Arithmetic::Multiply => a.wrapping_mul(b),
        Arithmetic::Divide { signed: true } => (a as i64).checked_div(b as i64).unwrap_or(0) as u64,
        Arithmetic::Divide { signed: false } => a.checked_div(b).unwrap_or(0),
        Arithmetic::Remainder { signed: true } => (a as i64).checked_rem(b as i64).unwrap_or(0) as u64,
        Arithmetic::Remainder { signed: false } => a.checked_rem(b).unwrap_or(0),
        Arithmetic::ShiftLeft { bits } => a << (b & u64::from(bits.wrapping_sub(1))),
        Arithmetic::ShiftRight { bits, signed: true } => {
            (a as i64 >> (b & u64::from(bits.wrapping_sub(1)))) as u64
        }
        Arithmetic::ShiftRight { bits, signed: false } => a >> (b & u64::from(bits.wrapping_sub(1))),
        Arithmetic::And => a & b,
        Arithmetic::Or => a | b,
        Arithmetic::Xor => a ^ b,
        Arithmetic::Equal => return Value::truth(left == right),
        Arithmetic::Less { signed: true } => return Value::truth((a as i64) < b as i64),
        Arithmetic::Less { signed: false } => return Value::truth(a < b),
        Arithmetic::LessEqual { signed: true } => return Value::truth(a as i64 <= b as i64),
        Arithmetic::LessEqual { signed: false } => return Value::truth(a <= b),
    };
    Value::number(number)
}

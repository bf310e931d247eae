//! The state of a compilation, and the program that it ends in.
//!
//! The tree of a `print fmt` has a limited depth, so that the functions which compile it may call each other.

use std::collections::BTreeSet;

use super::environment::Environment;
use super::error::{TextError, TextErrorKind};
use super::machine;
use super::memory::{Space, Value};
use super::program::{
    BLOCK, Names, NumberField, NumberFormat, NumberStyle, Op, Program, Range, Small, TextFunction,
};
use super::style::Dialect;
use super::types::Type;
use crate::bytes::ByteOrder;
use crate::c::{ExprId, Tree};
use crate::format::EventFormat;
use crate::format::print::PrintFmt;
use crate::tables::kernel_values;

pub(super) type Result<T> = std::result::Result<T, TextError>;

/// Compiles a `print fmt`.
pub(super) fn program(
    format: &EventFormat,
    print: &PrintFmt,
    environment: &dyn Environment,
    dialect: Dialect,
) -> Result<Program> {
    let mut compiler = Compiler::new(format, print.tree(), environment, dialect);
    let mut arguments = print.arguments().iter().copied();
    compiler.pieces(print.format().value(), print.format().pieces(), &mut arguments)?;
    compiler.finish()
}

/// A compilation: the program so far, and what is in scope.
pub(super) struct Compiler<'a> {
    pub(super) format: &'a EventFormat,
    pub(super) tree: &'a Tree,
    pub(super) environment: &'a dyn Environment,
    program: Program,
    /// The number of values on the stack here.
    depth: usize,
    /// Whether the program reads the record.
    pub(super) reads_record: bool,
    pub(super) scope: Vec<(Box<str>, Local)>,
}

/// A local variable of a block.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// A value.
    Slot { slot: u16, ty: Type },
    /// A struct or union of at most eight bytes, as one number.
    Packed { slot: u16, name: Box<str> },
    /// An array of strings, as offsets in the data.
    Strings { table: u32, count: u32 },
    /// An array of integers in the data.
    Array { data: u32, ty: Type },
    /// The place in the output where the text begins that a function prints (`trace_seq_buffer_ptr`).
    Output,
}

/// A place in the program that a jump goes to, which is not known yet.
pub(super) struct Patch(usize);

impl<'a> Compiler<'a> {
    pub(super) fn new(
        format: &'a EventFormat,
        tree: &'a Tree,
        environment: &'a dyn Environment,
        dialect: Dialect,
    ) -> Self {
        let program = Program {
            code: Vec::new(),
            texts: Vec::new(),
            data: Vec::new(),
            names: Vec::new(),
            numbers: Vec::new(),
            functions: Vec::new(),
            stack: 0,
            locals: 0,
            order: ByteOrder::little_if(environment.is_little_endian()),
            dialect,
            hashes: false,
            unknown: BTreeSet::new(),
        };
        Compiler { format, tree, environment, program, depth: 0, reads_record: false, scope: Vec::new() }
    }

    /// Returns the program, without instructions that do nothing, and with those joined that often follow each other.
    pub(super) fn finish(mut self) -> Result<Program> {
        let values = self.program.stack.max(self.program.locals);
        if values > machine::MOST {
            let range = crate::c::ByteRange::new(0, self.format.print_fmt.len());
            return Err(TextError::new(range, TextErrorKind::TooLarge));
        }
        tidy(&mut self.program);
        self.program.texts.extend_from_slice(&[0; BLOCK]);
        Ok(self.program)
    }

    pub(super) fn error<T>(&self, id: ExprId, kind: TextErrorKind) -> Result<T> {
        Err(TextError::new(self.tree.range(id), kind))
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, op: Op) {
        let (pops, pushes) = effect(op, &self.program);
        self.depth = self.depth.saturating_sub(pops) + pushes;
        self.program.stack = self.program.stack.max(self.depth);
        self.reads_record |= matches!(op, Op::Field { .. } | Op::Record(_) | Op::PrintLocated { .. });
        self.program.code.push(op);
    }

    /// Appends a jump, whose target [`land`](Self::land) sets.
    pub(super) fn jump(&mut self, op: fn(u32) -> Op) -> Patch {
        self.emit(op(u32::MAX));
        Patch(self.program.code.len() - 1)
    }

    /// Lets a jump go to the next instruction.
    pub(super) fn land(&mut self, patch: Patch) {
        let target = self.program.code.len() as u32;
        if let Some(Op::Jump(to) | Op::JumpIfZero(to) | Op::JumpIfNotZero(to)) =
            self.program.code.get_mut(patch.0)
        {
            *to = target;
        }
    }

    /// Notes that the next instruction is reached with so many values less on the stack: by another branch.
    pub(super) fn forget(&mut self, values: usize) {
        self.depth = self.depth.saturating_sub(values);
    }

    /// Appends an instruction that does nothing, in place of a conversion that depends on what follows.
    pub(super) fn reserve(&mut self) -> usize {
        self.program.code.push(NOTHING);
        self.program.code.len() - 1
    }

    pub(super) fn replace(&mut self, place: usize, op: Op) {
        if let Some(reserved) = self.program.code.get_mut(place) {
            *reserved = op;
        }
    }

    pub(super) fn add_data(&mut self, bytes: &[u8]) -> Range {
        // Like the texts, it can only grow as large as the print fmt, whose length fits.
        let start = self.program.data.len() as u32;
        self.program.data.extend_from_slice(bytes);
        Range { start, length: bytes.len() as u32 }
    }

    /// Adds a string with its NUL, and returns where it begins.
    pub(super) fn add_string(&mut self, text: &[u8]) -> u32 {
        let range = self.add_data(text);
        self.add_data(b"\0");
        range.start
    }

    /// Appends the instruction that prints these bytes.
    pub(super) fn literal(&mut self, text: &[u8]) {
        if !text.is_empty() {
            let start = self.program.texts.len() as u32;
            self.program.texts.extend_from_slice(text);
            self.emit(Op::Text(Range { start, length: text.len() as u32 }));
        }
    }

    pub(super) fn add_local(&mut self, id: ExprId) -> Result<u16> {
        let slot = self.program.locals;
        if slot >= machine::MOST {
            return self.error(id, TextErrorKind::TooLarge);
        }
        self.program.locals += 1;
        Ok(slot as u16)
    }

    /// Returns how a number of a form is printed.
    pub(super) fn number_style(&mut self, format: NumberFormat) -> NumberStyle {
        format.plain().unwrap_or_else(|| NumberStyle::Form(self.add_number(format)))
    }

    /// Adds to one of the program's tables, and returns the position.
    pub(super) fn add_number(&mut self, format: NumberFormat) -> u16 {
        position(&mut self.program.numbers, format)
    }

    pub(super) fn add_function(&mut self, function: &'static TextFunction) -> u16 {
        self.program.functions.push(function);
        (self.program.functions.len() - 1) as u16
    }

    pub(super) fn add_names(&mut self, id: ExprId, names: Names) -> Result<u16> {
        self.program.names.push(names);
        match u16::try_from(self.program.names.len() - 1) {
            Ok(position) => Ok(position),
            Err(_) => self.error(id, TextErrorKind::TooLarge),
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.program.dialect
    }

    pub(super) fn hashes(&mut self) {
        self.program.hashes = true;
    }

    /// Appends a number that only the kernel knows. Returns whether it is a known one.
    pub(super) fn unknown(&mut self, name: &str) -> bool {
        let found = kernel_values::find(name);
        if let Some(found) = found {
            self.program.unknown.insert(found.name);
            self.emit(Op::Unknown);
        }
        found.is_some()
    }

    /// Returns the value of a constant expression, converted to 64 bits.
    pub(super) fn constant(&mut self, id: ExprId) -> Result<u64> {
        if let Some(constant) = self.tree.constant(id) {
            return Ok(constant.bits());
        }
        let mut inner = Compiler::new(self.format, self.tree, self.environment, self.dialect());
        inner.value(id)?;
        if inner.reads_record {
            return self.error(id, TextErrorKind::NotConstant);
        }
        let program = inner.finish()?;
        let value: Value = machine::constant(&program, self.environment);
        match value.space {
            Space::Unknown => self.error(id, TextErrorKind::NotConstant),
            _ => Ok(value.bits),
        }
    }
}

fn position<T: PartialEq>(table: &mut Vec<T>, item: T) -> u16 {
    let found = table.iter().position(|other| *other == item);
    let position = found.unwrap_or_else(|| {
        table.push(item);
        table.len() - 1
    });
    // A print fmt has at most as many directives as a format file bytes; a page holds 4096.
    position as u16
}

const NOTHING: Op = Op::Extend(Small { bytes: 8, signed: false });

/// Returns how many values an instruction pops and pushes.
fn effect(op: Op, program: &Program) -> (usize, usize) {
    match op {
        Op::Number(_)
        | Op::Unknown
        | Op::Field { .. }
        | Op::Record(_)
        | Op::Data(_)
        | Op::Local(_)
        | Op::Begin => (0, 1),
        Op::Locate { .. } | Op::LocatedLength | Op::Load(_) | Op::StringOf { .. } | Op::Extend(_) => (1, 1),
        Op::Truth | Op::Not | Op::SwapBytes(_) | Op::TrailingZeroes => (1, 1),
        Op::SetLocal(_) | Op::Drop | Op::JumpIfZero(_) | Op::JumpIfNotZero(_) => (1, 0),
        Op::Binary(_) => (2, 1),
        Op::Duplicate => (1, 2),
        Op::Jump(_) | Op::Text(_) | Op::PrintField(_) | Op::TextField(..) | Op::PrintLocated { .. } => (0, 0),
        Op::Print { .. } | Op::PrintCharacter | Op::PrintString | Op::Symbolic(_) | Op::Flags(_) => (1, 0),
        Op::PrintPadded { .. } | Op::End { .. } | Op::Array | Op::Pointer { .. } => (3, 0),
        Op::Hex { .. } | Op::Bitmask | Op::Stack => (2, 0),
        Op::HexDump => (7, 0),
        Op::Function(function) => {
            let function = program.functions.get(usize::from(function));
            (function.map_or(0, |function| usize::from(function.arguments)), 0)
        }
    }
}

/// Removes instructions that do nothing, joins a load with the print that follows it, and that with the text before it, and
/// adjusts the jumps.
fn tidy(program: &mut Program) {
    let target = |op: &Op| match op {
        Op::Jump(to) | Op::JumpIfZero(to) | Op::JumpIfNotZero(to) => Some(*to as usize),
        _ => None,
    };
    let mut reached = vec![false; program.code.len() + 1];
    for to in program.code.iter().filter_map(target) {
        if let Some(place) = reached.get_mut(to) {
            *place = true;
        }
    }
    let mut code: Vec<Op> = Vec::with_capacity(program.code.len());
    let mut moved = Vec::with_capacity(program.code.len() + 1);
    // Nothing may be joined across a place that a jump goes to.
    let mut barrier = 0;
    for (op, reached) in program.code.iter().zip(&reached) {
        if *reached {
            barrier = code.len();
        }
        moved.push(code.len() as u32);
        if *op == NOTHING {
            continue;
        }
        let before = code.last().copied().filter(|_| code.len() > barrier);
        let joined = match (before, *op) {
            (Some(Op::Field { offset, integer: field }), Op::Print { style, integer }) => {
                Some(Op::PrintField(NumberField { offset, field, style, integer }))
            }
            (Some(Op::Text(a)), Op::Text(b)) if a.start + a.length == b.start => {
                Some(Op::Text(Range { start: a.start, length: a.length + b.length }))
            }
            (Some(Op::Number(value)), Op::Extend(integer)) => Some(Op::Number(integer.extend(value))),
            _ => None,
        };
        match joined {
            Some(joined) => {
                code.pop();
                let text = code.last().copied().filter(|_| code.len() > barrier);
                let joined = match (text, joined) {
                    (Some(Op::Text(text)), Op::PrintField(field)) => {
                        code.pop();
                        Op::TextField(text, field)
                    }
                    _ => joined,
                };
                code.push(joined);
            }
            None => code.push(*op),
        }
    }
    moved.push(code.len() as u32);
    for op in &mut code {
        if let Op::Jump(to) | Op::JumpIfZero(to) | Op::JumpIfNotZero(to) = op {
            *to = moved.get(*to as usize).copied().unwrap_or(u32::MAX);
        }
    }
    program.code = code;
}

//! The writer of instructions: loads of records, constants and state, and branches.
//!
//! A load of a record is written only where the record is known to be long enough; [`Bounds`] carries that knowledge.
//! Loads of records may not be moved: a check in front of one holds only behind it.

use cranelift::codegen::ir::{AliasRegion, AliasRegionData, Endianness, SourceLoc, Type};
use cranelift::prelude::*;

use super::tables::Tables;

/// The writer of one function.
pub(super) struct Emitter<'a> {
    /// The function.
    pub(super) to: FunctionBuilder<'a>,
    /// The tables that it reads.
    pub(super) tables: Tables,
    /// The address of the state.
    pub(super) state: Value,
    part: Part,
    records: MemFlagsData,
    constants: MemFlagsData,
    own: MemFlagsData,
}

/// A record, and what is known of its length.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// The address of its bytes.
    pub(super) data: Value,
    /// The number of its bytes, in 64 bits.
    pub(super) size: Value,
    /// The number of bytes that it has at least.
    pub(super) known: u64,
}

/// Where a decision continues.
#[derive(Clone, Copy)]
pub(super) struct Exits {
    /// If it is true.
    pub(super) then: Block,
    /// If it is false.
    pub(super) otherwise: Block,
}

/// The part of the code that an instruction belongs to: its source location in Cranelift's intermediate form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The walk over the page, the dispatch, and what is selected.
    Walk,
    /// A check of a record's length.
    Length,
    /// A number.
    Number,
    /// A set of numbers.
    Set,
    /// The place of dynamic data.
    Location,
    /// A text.
    Text,
    /// A pattern with a search.
    Pattern,
    /// A set of CPUs.
    Mask,
    /// A check that there is room for what is selected.
    Room,
    /// A check that a record lies before the end of the page.
    End,
}

impl Part {
    /// Returns the number in the source location.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }
}

impl Exits {
    /// Returns those of the opposite decision.
    pub(super) fn swapped(self) -> Exits {
        Exits { then: self.otherwise, otherwise: self.then }
    }

    /// Returns those of a decision, or of the opposite.
    pub(super) fn swapped_if(self, opposite: bool) -> Exits {
        if opposite { self.swapped() } else { self }
    }
}

impl<'a> Emitter<'a> {
    /// Begins a function whose argument is the address of the state.
    pub(super) fn new(mut to: FunctionBuilder<'a>) -> Emitter<'a> {
        let entry = to.create_block();
        to.append_block_params_for_function_params(entry);
        to.switch_to_block(entry);
        let state = to.block_params(entry)[0];
        let mut region = |user_id, description: &'static str| -> AliasRegion {
            to.func.dfg.alias_regions.insert(AliasRegionData { user_id, description: description.into() })
        };
        let (records, constants, own) = (region(0, "records"), region(1, "tables"), region(2, "state"));
        let flags = |region| {
            MemFlagsData::new()
                .with_notrap()
                .with_endianness(Endianness::Little)
                .with_alias_region(Some(region))
        };
        Emitter {
            to,
            tables: Tables::default(),
            state,
            part: Part::Walk,
            records: flags(records),
            constants: flags(constants),
            own: flags(own),
        }
    }

    /// Writes instructions of a part.
    pub(super) fn part<T>(&mut self, part: Part, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.part, part);
        self.to.set_srcloc(SourceLoc::new(part.number()));
        let value = write(self);
        self.part = before;
        self.to.set_srcloc(SourceLoc::new(before.number()));
        value
    }

    /// Returns a constant.
    pub(super) fn constant(&mut self, of: Type, value: i64) -> Value {
        let bits = of.bits().min(64);
        let value = if bits == 64 { value } else { value & ((1 << bits) - 1) };
        self.to.ins().iconst(of, value)
    }

    /// Returns a value of the record.
    pub(super) fn load(&mut self, of: Type, at: Value, offset: i32) -> Value {
        self.to.ins().load(of, self.records, at, offset)
    }

    /// Returns a value of the record, extended to 64 bits.
    pub(super) fn load_wide(&mut self, of: Type, signed: bool, at: Value, offset: i32) -> Value {
        let flags = self.records;
        let to = self.to.ins();
        match (of, signed) {
            (types::I8, false) => to.uload8(types::I64, flags, at, offset),
            (types::I8, true) => to.sload8(types::I64, flags, at, offset),
            (types::I16, false) => to.uload16(types::I64, flags, at, offset),
            (types::I16, true) => to.sload16(types::I64, flags, at, offset),
            (types::I32, false) => to.uload32(flags, at, offset),
            (types::I32, true) => to.sload32(flags, at, offset),
            _ => to.load(of, flags, at, offset),
        }
    }

    /// Returns a value extended to 64 bits.
    pub(super) fn widen(&mut self, value: Value, signed: bool) -> Value {
        match (self.to.func.dfg.value_type(value), signed) {
            (types::I64, _) => value,
            (_, true) => self.to.ins().sextend(types::I64, value),
            (_, false) => self.to.ins().uextend(types::I64, value),
        }
    }

    /// Returns the address of a table.
    pub(super) fn table(&mut self, table: Vec<u8>) -> Value {
        let offset = self.tables.intern(table);
        let tables = self.state(types::I64, super::entry::TABLES);
        self.to.ins().iadd_imm_s(tables, offset)
    }

    /// Returns a value of a table.
    pub(super) fn load_constant(&mut self, of: Type, at: Value, offset: i32) -> Value {
        self.to.ins().load(of, self.constants, at, offset)
    }

    /// Returns a field of the state.
    pub(super) fn state(&mut self, of: Type, offset: i32) -> Value {
        self.to.ins().load(of, self.own, self.state, offset)
    }

    /// Sets a field of the state, or of what it points to.
    pub(super) fn store(&mut self, value: Value, at: Value, offset: i32) {
        self.to.ins().store(self.own, value, at, offset);
    }

    /// Returns the result of a condition that was decided before.
    pub(super) fn result(&mut self, cell: usize) -> Value {
        let results = self.state(types::I64, super::entry::RESULTS);
        self.to.ins().load(types::I8, self.own, results, cell as i32)
    }

    /// Keeps the result of a condition.
    pub(super) fn set_result(&mut self, cell: usize, holds: bool) {
        let results = self.state(types::I64, super::entry::RESULTS);
        let holds = self.constant(types::I8, holds.into());
        self.store(holds, results, cell as i32);
    }

    /// Returns a new block.
    pub(super) fn block(&mut self) -> Block {
        self.to.create_block()
    }

    /// Returns a new block with parameters of 64 bits.
    pub(super) fn block_of(&mut self, parameters: usize) -> Block {
        let block = self.to.create_block();
        (0..parameters).for_each(|_| {
            self.to.append_block_param(block, types::I64);
        });
        block
    }

    /// Continues with a block; returns its parameters.
    pub(super) fn begin<const N: usize>(&mut self, block: Block) -> [Value; N] {
        self.to.switch_to_block(block);
        let parameters = self.to.block_params(block);
        std::array::from_fn(|index| parameters[index])
    }

    /// Ends the block with a jump.
    pub(super) fn jump(&mut self, to: Block, arguments: &[Value]) {
        let arguments: Vec<_> = arguments.iter().map(|value| (*value).into()).collect();
        self.to.ins().jump(to, &arguments);
    }

    /// Ends the block with a branch.
    pub(super) fn branch(&mut self, condition: Value, exits: Exits) {
        self.to.ins().brif(condition, exits.then, &[], exits.otherwise, &[]);
    }

    /// Continues in a new block if a condition holds, else in another.
    pub(super) fn require(&mut self, condition: Value, otherwise: Block) {
        let then = self.block();
        self.branch(condition, Exits { then, otherwise });
        self.to.switch_to_block(then);
    }

    /// Continues in a new block if a condition does not hold, else in another.
    pub(super) fn forbid(&mut self, condition: Value, then: Block) {
        let otherwise = self.block();
        self.branch(condition, Exits { then, otherwise });
        self.to.switch_to_block(otherwise);
    }

    /// Compares two values.
    pub(super) fn compare(&mut self, op: IntCC, left: Value, right: Value) -> Value {
        self.to.ins().icmp(op, left, right)
    }

    /// Compares a value with a constant.
    pub(super) fn compare_with(&mut self, op: IntCC, left: Value, right: i64) -> Value {
        let of = self.to.func.dfg.value_type(left);
        let right = self.constant(of, right);
        self.to.ins().icmp(op, left, right)
    }

    /// Adds a constant.
    pub(super) fn add(&mut self, left: Value, right: i64) -> Value {
        match right {
            0 => left,
            _ => {
                let of = self.to.func.dfg.value_type(left);
                let right = self.constant(of, right);
                self.to.ins().iadd(left, right)
            }
        }
    }

    /// Requires that the record has so many bytes.
    pub(super) fn require_length(&mut self, record: Bounds, length: u64, otherwise: Block) -> Bounds {
        if length <= record.known {
            return record;
        }
        self.part(Part::Length, |emitter| {
            let is_shorter = emitter.compare_with(IntCC::UnsignedLessThan, record.size, length as i64);
            emitter.forbid(is_shorter, otherwise);
        });
        Bounds { known: length, ..record }
    }
}

/// Returns the integer type with so many bytes: 1, 2, 4 or 8.
pub(super) fn integer(bytes: u32) -> Type {
    match bytes {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        _ => types::I64,
    }
}

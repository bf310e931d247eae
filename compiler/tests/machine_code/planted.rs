//! Errors in the function that is written for conditions. Most leave every load where it was, so that the code with the
//! error reads no other memory; the law has to find them by what is selected. Those that drop a check read or write
//! beside their memory, where there are guards: they are tried in processes of their own, which end by it.

use cranelift::codegen::ir::{Function, Inst, InstructionData, Opcode, types};
use cranelift::prelude::IntCC;
use tracec_compiler::target::host::{Code, Part};
use tracec_kernel::selection::Selection;

/// An error, and the edit that makes it.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    part: Part,
    edit: Edit,
}

/// The edit of each instruction of a part that it fits.
enum Edit {
    /// A comparison becomes another.
    Compare(IntCC, IntCC),
    /// An operation becomes another.
    Operation(Opcode, Opcode),
    /// The result of an operation becomes its operand.
    Dropped(Opcode, usize),
    /// A constant of 64 bits becomes another.
    Constant(i64, i64),
    /// A comparison never holds.
    Never(IntCC),
}

use Edit::*;

pub(crate) const ERRORS: &[Planted] = &[
    error(
        "a comparison of signed numbers is one of unsigned ones",
        Part::Set,
        Compare(IntCC::SignedLessThanOrEqual, IntCC::UnsignedLessThanOrEqual),
    ),
    error(
        "the last of a run is not in it",
        Part::Set,
        Compare(IntCC::UnsignedLessThanOrEqual, IntCC::UnsignedLessThan),
    ),
    error("half of the vectors is not compared", Part::Set, Dropped(Opcode::Bor, 0)),
    error("all lanes have to be equal", Part::Set, Operation(Opcode::VanyTrue, Opcode::VallTrue)),
    error("a bit is looked for in the wrong direction", Part::Set, Operation(Opcode::Ushr, Opcode::Ishl)),
    error(
        "the last of a set is not in it",
        Part::Set,
        Compare(IntCC::UnsignedGreaterThan, IntCC::UnsignedGreaterThanOrEqual),
    ),
    error("a number is not extended by its sign", Part::Number, Operation(Opcode::Sextend, Opcode::Uextend)),
    error(
        "an unsigned number is extended by its top bit",
        Part::Number,
        Operation(Opcode::Uextend, Opcode::Sextend),
    ),
    error("bits that one number has count", Part::Number, Operation(Opcode::Band, Opcode::Bxor)),
    error("a difference is a sum", Part::Number, Operation(Opcode::Isub, Opcode::Iadd)),
    error(
        "a quotient of signed numbers is one of unsigned ones",
        Part::Number,
        Operation(Opcode::Sdiv, Opcode::Udiv),
    ),
    error(
        "a right shift of a negative number loses its sign",
        Part::Number,
        Operation(Opcode::Sshr, Opcode::Ushr),
    ),
    error(
        "a count of 64 is valid",
        Part::Number,
        Compare(IntCC::UnsignedGreaterThan, IntCC::SignedGreaterThanOrEqual),
    ),
    error(
        "a comparison across signs takes a negative number for a large one",
        Part::Number,
        Dropped(Opcode::Select, 2),
    ),
    error(
        "a greater number is a less one",
        Part::Number,
        Compare(IntCC::SignedGreaterThan, IntCC::SignedLessThan),
    ),
    error(
        "a record needs a byte behind its fields",
        Part::Length,
        Compare(IntCC::UnsignedLessThan, IntCC::UnsignedLessThanOrEqual),
    ),
    error(
        "located bytes end before the record does",
        Part::Location,
        Compare(IntCC::UnsignedGreaterThan, IntCC::UnsignedGreaterThanOrEqual),
    ),
    error(
        "located bytes of length 0 have a place",
        Part::Location,
        Compare(IntCC::NotEqual, IntCC::UnsignedGreaterThanOrEqual),
    ),
    error("bytes behind a text count", Part::Text, Dropped(Opcode::Band, 0)),
    error(
        "a text with a longer beginning is equal",
        Part::Text,
        Compare(IntCC::Equal, IntCC::UnsignedGreaterThanOrEqual),
    ),
    error(
        "a piece is looked for in the wrong direction",
        Part::Pattern,
        Operation(Opcode::Ushr, Opcode::Ishl),
    ),
    error("sets of CPUs with one in common are equal", Part::Mask, Operation(Opcode::Bxor, Opcode::Band)),
    error("sets of CPUs that differ have one in common", Part::Mask, Operation(Opcode::Band, Opcode::Bxor)),
    error("a delta of time is twice as long", Part::Walk, Constant(5, 4)),
    error("a record is rejected where a condition holds", Part::Walk, Compare(IntCC::NotEqual, IntCC::Equal)),
];

/// Errors that drop a check of a place in memory.
pub(crate) const DEADLY: &[Planted] = &[
    error("records are written where there is no room", Part::Room, Never(IntCC::UnsignedGreaterThan)),
    error("records may reach past the end of the page", Part::End, Never(IntCC::UnsignedGreaterThan)),
    error("fields may be behind the end of the record", Part::Length, Never(IntCC::UnsignedLessThan)),
    error("located bytes may be behind the record", Part::Location, Never(IntCC::UnsignedGreaterThan)),
];

const fn error(name: &'static str, part: Part, edit: Edit) -> Planted {
    Planted { name, part, edit }
}

impl Planted {
    /// Compiles a selection with the error.
    pub(crate) fn compile(&self, selection: &Selection) -> Code {
        // SAFETY: no edit of `ERRORS` changes an address, or lets a load be reached that was not. Those of `DEADLY` do; their
        // code walks in a process of its own, in memory with guards that are larger than what it could be off by.
        let code = unsafe { Code::edited(selection, |function| self.edit(function)) };
        code.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn edit(&self, function: &mut Function) {
        let blocks: Vec<_> = function.layout.blocks().collect();
        let all: Vec<Inst> = blocks
            .into_iter()
            .flat_map(|block| function.layout.block_insts(block).collect::<Vec<_>>())
            .collect();
        for inst in all {
            if function.srcloc(inst).bits() == self.part.number() {
                self.edit.apply(function, inst);
            }
        }
    }
}

impl Edit {
    fn apply(&self, function: &mut Function, inst: Inst) {
        let data = &mut function.dfg.insts[inst];
        match (self, data) {
            (Compare(from, to), InstructionData::IntCompare { cond, .. }) if cond == from => *cond = *to,
            (
                Operation(from, to),
                InstructionData::Unary { opcode, .. } | InstructionData::Binary { opcode, .. },
            ) if opcode == from => *opcode = *to,
            (Constant(from, to), InstructionData::UnaryImm { opcode: Opcode::Iconst, imm })
                if imm.bits() == *from =>
            {
                *imm = (*to).into();
            }
            (Never(of), data @ InstructionData::IntCompare { .. }) if data.cond_code() == Some(*of) => {
                *data = InstructionData::UnaryImm { opcode: Opcode::Iconst, imm: 0.into() };
            }
            (Dropped(of, operand), data) if data.opcode() == *of => {
                let kept = function.dfg.inst_args(inst)[*operand];
                let result = function.dfg.first_result(inst);
                // Selects of 64 bits belong to divisions, which would trap.
                if *of == Opcode::Select && function.dfg.value_type(result) != types::I8 {
                    return;
                }
                function.dfg.clear_results(inst);
                function.dfg.change_to_alias(result, kept);
                function.layout.remove_inst(inst);
            }
            _ => {}
        }
    }
}

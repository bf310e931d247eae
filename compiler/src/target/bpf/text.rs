//! Tests of texts: where the bytes are, and equality and patterns on them.
//!
//! A text that the program can load from its context is compared there, in words. Others are copied: as much of them as
//! the test looks at.

use tracec_kernel::condition::glob::GlobToken;
use tracec_kernel::condition::ir::TextTest;
use tracec_kernel::tables::bpf_helpers;
use tracec_kernel::tables::limits::{self, PROGRAM_RECORD_BYTES};

use super::bytes::{Bytes, Located, begun, located, pointer};
use super::sequence::sequence;
use super::writer::{Exits, Writer};
use super::{automaton, bytes};
use crate::bpf::code::{Alu, Argument, Base, Block, Operand, Reg, Size, Test, Width};
use crate::decoder::TextPlace;

/// What a test looks at.
enum Shape<'a> {
    /// The whole text, whose bytes are as many as there are tokens.
    Whole(Vec<&'a GlobToken>),
    /// The first bytes.
    Begin(&'a [GlobToken]),
    /// The last bytes.
    End(&'a [GlobToken]),
    /// All of it, byte by byte.
    All(&'a [GlobToken]),
}

impl<'a> Shape<'a> {
    fn of(tokens: &'a [GlobToken]) -> Shape<'a> {
        let stars = tokens.iter().filter(|token| **token == GlobToken::Star).count();
        match tokens {
            _ if stars == 0 => Shape::Whole(tokens.iter().collect()),
            [begin @ .., GlobToken::Star] if stars == 1 => Shape::Begin(begin),
            [GlobToken::Star, end @ ..] if stars == 1 => Shape::End(end),
            _ => Shape::All(tokens),
        }
    }
}

/// Returns whether a test looks at a text byte by byte.
pub(super) fn loops(test: &TextTest) -> bool {
    match test {
        TextTest::Eq(_) | TextTest::Ne(_) => false,
        TextTest::Glob(pattern) => matches!(Shape::of(pattern.tokens()), Shape::End(_) | Shape::All(_)),
    }
}

/// Writes the decision of a test of a text.
pub(super) fn write(to: &mut Writer<'_>, place: TextPlace, test: &TextTest, exits: Exits) {
    let literal = literal(test);
    let (tokens, asked) = asked(test, &literal, exits);
    // A text that cannot be read meets no test.
    let failed = exits.otherwise;
    let shape = Shape::of(tokens);
    match place {
        TextPlace::Fixed { offset, size } => {
            to.forbid_fault(offset, failed);
            let record = to.record();
            let field = Bytes { base: Base::Reg(record), offset: offset as i16, room: size };
            match shape {
                Shape::Whole(_) | Shape::Begin(_) if to.can_load(offset) => array(to, field, &shape, asked),
                Shape::Whole(_) | Shape::Begin(_) => {
                    let copy = bytes::copied(to, (offset, size), failed);
                    array(to, copy, &shape, asked);
                }
                Shape::End(_) | Shape::All(_) => {
                    let copy = bytes::copied(to, (offset, size), failed);
                    automaton::write(to, copy, tokens, asked);
                }
            }
        }
        TextPlace::Comm => {
            let base = to.comm();
            let name = Bytes { base, offset: 0, room: limits::TASK_COMM_LEN as u32 };
            match shape {
                Shape::Whole(_) | Shape::Begin(_) => array(to, name, &shape, asked),
                Shape::End(_) | Shape::All(_) => automaton::write(to, name, tokens, asked),
            }
        }
        TextPlace::Located { word, relative } => {
            let source = match shape {
                Shape::Whole(_) | Shape::Begin(_) => begun(to, (word, relative), failed),
                Shape::End(_) | Shape::All(_) => located(to, (word, relative), failed),
            };
            copied(to, Source::Record(source), &shape, tokens, asked, failed);
        }
    }
}

/// Writes the decision of a test of a text in memory.
pub(super) fn pointed(to: &mut Writer<'_>, (offset, user): (u32, bool), test: &TextTest, exits: Exits) {
    let failed = exits.otherwise;
    let literal = literal(test);
    let (tokens, asked) = asked(test, &literal, exits);
    let at = pointer(to, offset, failed);
    copied(to, Source::Memory { at, user }, &Shape::of(tokens), tokens, asked, failed);
}

/// Returns the tokens of a text; of a pattern none.
fn literal(test: &TextTest) -> Vec<GlobToken> {
    match test {
        TextTest::Eq(text) | TextTest::Ne(text) => text.bytes().map(GlobToken::Byte).collect(),
        TextTest::Glob(_) => Vec::new(),
    }
}

/// Returns the tokens of a test, and the exits of the match.
fn asked<'a>(test: &'a TextTest, literal: &'a [GlobToken], exits: Exits) -> (&'a [GlobToken], Exits) {
    match test {
        TextTest::Eq(_) => (literal, exits),
        TextTest::Ne(_) => (literal, exits.swapped()),
        TextTest::Glob(pattern) => (pattern.tokens(), exits),
    }
}

/// Writes a test of a text in an array, which ends at its first NUL or with the array.
fn array(to: &mut Writer<'_>, bytes: Bytes, shape: &Shape<'_>, exits: Exits) {
    let (tokens, ends): (Vec<&GlobToken>, bool) = match shape {
        Shape::Whole(tokens) => (tokens.clone(), (tokens.len() as u32) < bytes.room),
        Shape::Begin(tokens) | Shape::End(tokens) | Shape::All(tokens) => (tokens.iter().collect(), false),
    };
    if tokens.len() as u32 > bytes.room {
        return to.code.jump(exits.otherwise);
    }
    let nul = GlobToken::Byte(0);
    let all: Vec<&GlobToken> = tokens.into_iter().chain(Some(&nul).filter(|_| ends)).collect();
    sequence(to, bytes, &all, exits.otherwise);
    to.code.jump(exits.then);
}

/// Where a text is that has to be copied.
#[derive(Clone, Copy)]
enum Source {
    /// In the record, behind its fixed part.
    Record(Located),
    /// In memory.
    Memory { at: Reg, user: bool },
}

impl Source {
    fn at(self) -> Reg {
        match self {
            Source::Record(Located { at, .. }) | Source::Memory { at, .. } => at,
        }
    }

    /// Copies bytes up to the first NUL; the copy always has one. Returns how many bytes it has.
    fn copy(self, to: &mut Writer<'_>, buffer: Base, size: Argument, failed: Block) -> Reg {
        let helper = match self {
            Source::Memory { user: true, .. } => bpf_helpers::PROBE_READ_USER_STR,
            Source::Memory { user: false, .. } | Source::Record(_) => bpf_helpers::PROBE_READ_KERNEL_STR,
        };
        let buffer = to.argument(buffer);
        to.call_or(helper, vec![buffer, size, Argument::Reg(self.at())], failed)
    }
}

/// Writes a test of a text that is copied first.
fn copied(
    to: &mut Writer<'_>,
    source: Source,
    shape: &Shape<'_>,
    tokens: &[GlobToken],
    exits: Exits,
    failed: Block,
) {
    match shape {
        Shape::Whole(tokens) => {
            let count = tokens.len() as u32;
            shorter(to, source, count, exits.otherwise);
            // One byte more than there are tokens shows whether the text ends there.
            let room = count + 2;
            let base = to.text_buffer(room);
            source.copy(to, base, Argument::Imm(room as i32), failed);
            sequence(to, Bytes { base, offset: 0, room }, tokens, exits.otherwise);
            if let Source::Record(Located { length, .. }) = source {
                // The data may end without a NUL.
                to.forbid((length, Test::Eq, Operand::Imm(count as i32)), Width::Whole, exits.then);
            }
            let end = to.code.load(Size::B1, base, count as i16);
            to.code.branch((end, Test::Eq, Operand::Imm(0)), Width::Half, exits.then, exits.otherwise);
        }
        Shape::Begin(tokens) => {
            let count = tokens.len() as u32;
            shorter(to, source, count, exits.otherwise);
            let room = count + 1;
            let base = to.text_buffer(room);
            source.copy(to, base, Argument::Imm(room as i32), failed);
            let all: Vec<&GlobToken> = tokens.iter().collect();
            sequence(to, Bytes { base, offset: 0, room }, &all, exits.otherwise);
            to.code.jump(exits.then);
        }
        Shape::End(tokens) => {
            let (base, copied, _) = whole(to, source, failed);
            let count = tokens.len() as i32;
            to.forbid((copied, Test::SLe, Operand::Imm(count)), Width::Whole, exits.otherwise);
            to.code.alu(copied, Alu::Sub, Operand::Imm(count + 1));
            to.code.alu(copied, Alu::Add, Operand::Reg(base));
            let all: Vec<&GlobToken> = tokens.iter().collect();
            let room = tokens.len() as u32 + 1;
            sequence(to, Bytes { base: Base::Reg(copied), offset: 0, room }, &all, exits.otherwise);
            to.code.jump(exits.then);
        }
        Shape::All(_) => {
            let (base, _, room) = whole(to, source, failed);
            automaton::write(to, Bytes { base: Base::Reg(base), offset: 0, room }, tokens, exits);
        }
    }
}

/// Continues at `otherwise` where the data of a text has fewer bytes than are needed.
fn shorter(to: &mut Writer<'_>, source: Source, count: u32, otherwise: Block) {
    if let Source::Record(Located { length, .. }) = source
        && count > 0
    {
        to.forbid((length, Test::Lt, Operand::Imm(count as i32)), Width::Whole, otherwise);
    }
}

/// Copies a whole text into the program's own memory. Returns its address, how many bytes it has with its NUL, and how
/// many it can have.
fn whole(to: &mut Writer<'_>, source: Source, failed: Block) -> (Reg, Reg, u32) {
    let memory = to.memory();
    let (size, room) = match source {
        Source::Record(Located { length, .. }) => {
            let size = to.code.copy(length);
            to.code.alu(size, Alu::Add, Operand::Imm(1));
            (Argument::Reg(size), PROGRAM_RECORD_BYTES)
        }
        Source::Memory { .. } => {
            let room = limits::POINTED_TEXT_BYTES as u32;
            (Argument::Imm(room as i32), room)
        }
    };
    let copied = source.copy(to, Base::Reg(memory), size, failed);
    (memory, copied, room)
}

//! Tests of sets of CPUs: the words of the record compared with a table of words.

use tracec_kernel::condition::ir::MaskTest;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::tables::bpf_helpers;
use tracec_kernel::tables::limits::CPUMASK_BYTES;

use super::bytes::{Located, located};
use super::writer::{Exits, Writer};
use crate::bpf::code::{Alu, Argument, Base, Block, Operand, Reg, Size, Test, Width};

/// Writes the decision of a test of a mask.
pub(super) fn write(to: &mut Writer<'_>, place: (u32, bool), test: MaskTest, cpus: &Ranges, exits: Exits) {
    let Located { at, length } = located(to, place, exits.otherwise);
    to.forbid((length, Test::Gt, Operand::Imm(CPUMASK_BYTES as i32)), Width::Whole, exits.otherwise);
    let memory = to.memory();
    // The last word may have fewer bytes; the others are 0.
    let last = to.code.copy(length);
    to.code.alu(last, Alu::And, Operand::Imm(-8));
    to.code.alu(last, Alu::Add, Operand::Reg(memory));
    to.code.store(Size::B8, Base::Reg(last), 0, Operand::Imm(0));
    let arguments = vec![Argument::Reg(memory), Argument::Reg(length), Argument::Reg(at)];
    to.call_or(bpf_helpers::PROBE_READ_KERNEL, arguments, exits.otherwise);
    let words = words(cpus);
    match test {
        MaskTest::Any => any(to, memory, length, &words, exits),
        MaskTest::Equal => equal(to, memory, length, &words, exits),
        MaskTest::Differ => equal(to, memory, length, &words, exits.swapped()),
    }
}

/// Returns the words with the bits of CPUs, and whether one is beyond every record.
fn words(cpus: &Ranges) -> Vec<u64> {
    let most = i128::from(8 * CPUMASK_BYTES) - 1;
    let listed = cpus.intersection(&Ranges::new([(0, most)]));
    let is_beyond = listed != *cpus;
    let last = listed.iter().last().map_or(0, |(_, last)| last);
    let mut words = vec![0_u64; (last / 64 + 1) as usize];
    for cpu in listed.iter().flat_map(|(first, last)| first..=last) {
        words[(cpu / 64) as usize] |= 1 << (cpu % 64);
    }
    if is_beyond {
        // No mask is as long as this.
        words.resize(CPUMASK_BYTES as usize / 8, 0);
        words.push(1);
    }
    words
}

/// Writes whether a listed bit is in the mask.
fn any(to: &mut Writer<'_>, memory: Reg, length: Reg, words: &[u64], exits: Exits) {
    let walk = Walk::begin(to, memory, words);
    let next = walk.next(to, length, words.len(), exits.otherwise, exits.otherwise);
    let word = walk.word(to);
    let listed = walk.listed(to);
    to.forbid((word, Test::Bits, Operand::Reg(listed)), Width::Whole, exits.then);
    walk.advance(to, next);
}

/// Writes whether the bits of a mask are those that are listed.
fn equal(to: &mut Writer<'_>, memory: Reg, length: Reg, words: &[u64], exits: Exits) {
    let walk = Walk::begin(to, memory, words);
    let beyond = to.code.block();
    // The last listed word has a bit, so a mask that ends before differs.
    let next = walk.next(to, length, words.len(), exits.otherwise, beyond);
    let word = walk.word(to);
    let listed = walk.listed(to);
    to.forbid((word, Test::Ne, Operand::Reg(listed)), Width::Whole, exits.otherwise);
    walk.advance(to, next);
    to.code.begin(beyond);
    let most = CPUMASK_BYTES as usize / 8;
    let next = walk.next(to, length, most, exits.then, exits.then);
    let word = walk.word(to);
    to.forbid((word, Test::Ne, Operand::Imm(0)), Width::Whole, exits.otherwise);
    walk.advance(to, next);
}

/// A walk over the words of a mask and of a table.
struct Walk {
    at: Reg,
    listed: Reg,
    /// The bytes that were walked over.
    done: Reg,
}

impl Walk {
    fn begin(to: &mut Writer<'_>, memory: Reg, words: &[u64]) -> Walk {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let table = to.constants.add(bytes);
        let listed = to.constant_address(table);
        let at = to.code.copy(memory);
        let done = to.code.constant(0);
        Walk { at, listed, done }
    }

    /// Begins a round, if the mask has a word more and the walk is before the word of an index.
    fn next(&self, to: &mut Writer<'_>, length: Reg, words: usize, at_end: Block, at_index: Block) -> Block {
        let next = to.code.block();
        to.code.jump(next);
        to.code.begin(next);
        to.forbid((self.done, Test::Ge, Operand::Imm(8 * words as i32)), Width::Whole, at_index);
        to.forbid((self.done, Test::Ge, Operand::Reg(length)), Width::Whole, at_end);
        next
    }

    fn word(&self, to: &mut Writer<'_>) -> Reg {
        to.code.load(Size::B8, Base::Reg(self.at), 0)
    }

    fn listed(&self, to: &mut Writer<'_>) -> Reg {
        to.code.load(Size::B8, Base::Reg(self.listed), 0)
    }

    fn advance(&self, to: &mut Writer<'_>, next: Block) {
        for reg in [self.at, self.listed, self.done] {
            to.code.alu(reg, Alu::Add, Operand::Imm(8));
        }
        to.code.jump(next);
    }
}

//! Patterns with stars, as an automaton that reads each byte once: bit i of its state says that the first i tokens between
//! stars match what was read. The bytes that a token matches are in a table, so that every pattern is the same loop, of
//! as many rounds as the text can have.

use tracec_kernel::condition::glob::GlobToken;

use super::bytes::Bytes;
use super::writer::{Exits, Writer};
use crate::bpf::code::{Alu, Base, Operand, Reg, Size, Test, Width};

/// A pattern as an automaton.
struct Automaton {
    /// The words of a state.
    words: usize,
    /// The bits of the states in which a star takes any byte.
    stays: Vec<u64>,
    /// For each byte, the states from which it leads to the next.
    table: Vec<u8>,
    /// The state in which all tokens match.
    last: usize,
}

impl Automaton {
    fn of(tokens: &[GlobToken]) -> Automaton {
        let steps: Vec<&GlobToken> = tokens.iter().filter(|token| **token != GlobToken::Star).collect();
        let words = (steps.len() + 1).div_ceil(64);
        let mut stays = vec![0; words];
        let mut at = 0;
        for token in tokens {
            match token {
                GlobToken::Star => stays[at / 64] |= 1 << (at % 64),
                _ => at += 1,
            }
        }
        let mut table = Vec::with_capacity(256 * words * 8);
        for byte in 0..=u8::MAX {
            let mut row = vec![0_u64; words];
            for (index, token) in steps.iter().enumerate() {
                let matches = match token {
                    GlobToken::Byte(wanted) => *wanted == byte,
                    GlobToken::One => byte != 0,
                    GlobToken::Class(class) => byte != 0 && class.contains(byte),
                    GlobToken::Star => false,
                };
                if matches {
                    row[index / 64] |= 1 << (index % 64);
                }
            }
            table.extend(row.into_iter().flat_map(u64::to_le_bytes));
        }
        Automaton { words, stays, table, last: steps.len() }
    }
}

/// Writes whether a text is matched by tokens that hold a star. It ends at its first NUL, or with its bytes.
pub(super) fn write(to: &mut Writer<'_>, bytes: Bytes, tokens: &[GlobToken], exits: Exits) {
    let Automaton { words, stays, table, last } = Automaton::of(tokens);
    let table = to.constants.add(table);
    let state: Vec<Reg> = (0..words).map(|word| to.code.constant(u64::from(word == 0))).collect();
    let at = to.address(bytes.base);
    if bytes.offset != 0 {
        to.code.alu(at, Alu::Add, Operand::Imm(bytes.offset.into()));
    }
    let count = to.code.constant(0);
    let (next, body, end) = (to.code.block(), to.code.block(), to.code.block());
    to.code.jump(next);
    to.code.begin(next);
    let before = to.code.length();
    let byte = to.code.load(Size::B1, Base::Reg(at), 0);
    // The way out follows its test, see `Code::leave_unless`.
    to.code.branch((byte, Test::Ne, Operand::Imm(0)), Width::Half, body, end);
    to.code.begin(end);
    accept(to, state[last / 64], last, exits);
    to.code.begin(body);
    step(to, byte, table, &state, &stays);
    if let [state] = state[..] {
        to.code.leave_unless((state, Test::Ne, Operand::Imm(0)), Width::Whole, exits.otherwise);
    }
    to.code.alu(at, Alu::Add, Operand::Imm(1));
    to.code.alu(count, Alu::Add, Operand::Imm(1));
    to.code.branch((count, Test::Lt, Operand::Imm(bytes.room as i32)), Width::Whole, next, end);
    to.loops((to.code.length() - before) as u64, bytes.room);
}

/// Writes the states behind a byte.
fn step(to: &mut Writer<'_>, byte: Reg, table: u32, state: &[Reg], stays: &[u64]) {
    let words = state.len();
    to.code.alu(byte, Alu::Mul, Operand::Imm(8 * words as i32));
    let row = to.constant_address(table);
    to.code.alu(row, Alu::Add, Operand::Reg(byte));
    // The bit that one word of the state hands to the next.
    let mut carry: Option<Reg> = None;
    for (word, (state, stays)) in state.iter().zip(stays).enumerate() {
        let row = to.code.load(Size::B8, Base::Reg(row), 8 * word as i16);
        let kept = (*stays != 0).then(|| {
            let kept = to.code.copy(*state);
            let stays = to.code.operand(*stays);
            to.code.alu(kept, Alu::And, stays);
            kept
        });
        to.code.alu(*state, Alu::And, Operand::Reg(row));
        let out = (word + 1 < words).then(|| {
            let out = to.code.copy(*state);
            to.code.alu(out, Alu::Shr, Operand::Imm(63));
            out
        });
        to.code.alu(*state, Alu::Shl, Operand::Imm(1));
        for part in [kept, carry].into_iter().flatten() {
            to.code.alu(*state, Alu::Or, Operand::Reg(part));
        }
        carry = out;
    }
}

/// Writes whether the state in which all tokens match is among those of its word.
fn accept(to: &mut Writer<'_>, state: Reg, last: usize, exits: Exits) {
    let bit = last % 64;
    match 1_i32.checked_shl(bit as u32).filter(|bit| *bit > 0) {
        Some(bit) => {
            to.code.branch((state, Test::Bits, Operand::Imm(bit)), Width::Whole, exits.then, exits.otherwise);
        }
        None => {
            let bits = to.code.copy(state);
            to.code.alu(bits, Alu::Shr, Operand::Imm(bit as i32));
            to.code.branch((bits, Test::Bits, Operand::Imm(1)), Width::Whole, exits.then, exits.otherwise);
        }
    }
}

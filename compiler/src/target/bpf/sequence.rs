//! Bytes at an address, compared with as many tokens of a pattern, in as few instructions as there can be.

use tracec_kernel::condition::glob::{CharClass, GlobToken};
use tracec_kernel::condition::ranges::Ranges;

use super::bytes::Bytes;
use super::set::{self, Domain};
use super::writer::{Exits, Writer};
use crate::bpf::code::{Alu, Base, Block, Op, Operand, Size, Test, Width};

/// Writes that each of the first bytes at an address is matched by its token; it continues at `otherwise` at the first
/// that is not. There are at least as many bytes.
pub(super) fn sequence(to: &mut Writer<'_>, bytes: Bytes, tokens: &[&GlobToken], otherwise: Block) {
    let mut at = 0;
    while at < tokens.len() {
        let run = tokens[at..].iter().map_while(|token| match token {
            GlobToken::Byte(byte) => Some(*byte),
            _ => None,
        });
        let run: Vec<u8> = run.collect();
        if run.is_empty() {
            one(to, bytes, at as i16, tokens[at], otherwise);
            at += 1;
        } else {
            equal(to, bytes, at as u32, &run, otherwise);
            at += run.len();
        }
    }
}

/// Writes that a byte is matched by a token that is neither a star nor a byte.
fn one(to: &mut Writer<'_>, bytes: Bytes, at: i16, token: &GlobToken, otherwise: Block) {
    let byte = to.code.load(Size::B1, bytes.base, bytes.offset + at);
    match token {
        GlobToken::Class(class) => {
            let then = to.code.block();
            let domain = Domain { bytes: 1, signed: false };
            set::write(to, byte, domain, &members(class), Exits { then, otherwise });
            to.code.begin(then);
        }
        GlobToken::One | GlobToken::Star | GlobToken::Byte(_) => {
            to.forbid((byte, Test::Eq, Operand::Imm(0)), Width::Half, otherwise);
        }
    }
}

/// Returns the bytes of a class; a NUL, which no text contains, is not one.
pub(super) fn members(class: &CharClass) -> Ranges {
    Ranges::new((1..=u8::MAX).filter(|byte| class.contains(*byte)).map(|byte| (byte.into(), byte.into())))
}

/// Writes that bytes are equal to others.
fn equal(to: &mut Writer<'_>, bytes: Bytes, from: u32, wanted: &[u8], otherwise: Block) {
    let mut done = 0;
    while done < wanted.len() {
        let rest = (wanted.len() - done) as u32;
        let at = from + done as u32;
        let (size, count) = access(bytes, at, rest);
        let chunk = &wanted[done..done + count as usize];
        let value = chunk.iter().rev().fold(0_u32, |value, byte| (value << 8) | u32::from(*byte));
        let word = to.code.load(size, bytes.base, bytes.offset + at as i16);
        if count == 3 {
            // One byte more is loaded than is wanted.
            let mask = Operand::Imm(0x00ff_ffff);
            to.code.push(Op::Alu { op: Alu::And, width: Width::Half, to: word, by: mask });
        }
        to.forbid((word, Test::Ne, Operand::Imm(value as i32)), Width::Half, otherwise);
        done += count as usize;
    }
}

/// Returns the size of an access at an offset, and how many bytes of it count. Half words are compared, since an
/// instruction holds a number of 32 bits.
fn access(bytes: Bytes, at: u32, rest: u32) -> (Size, u32) {
    let place = (i64::from(bytes.offset) + i64::from(at)) as u32;
    // What is copied to the program's own memory may be read anywhere; the stack and the context are read in aligned words.
    let is_free = matches!(bytes.base, Base::Reg(_)) && bytes.offset == 0;
    let is_aligned = |size: u32| is_free || place.is_multiple_of(size);
    match rest {
        4.. if is_aligned(4) => (Size::B4, 4),
        3 if is_aligned(4) && at + 4 <= bytes.room => (Size::B4, 3),
        2.. if is_aligned(2) => (Size::B2, 2),
        _ => (Size::B1, 1),
    }
}

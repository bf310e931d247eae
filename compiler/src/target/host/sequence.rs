//! Bytes at an address, compared with as many tokens of a pattern, in as few loads as there can be.

use cranelift::prelude::*;
use tracec_kernel::condition::glob::{CharClass, GlobToken};
use tracec_kernel::condition::ranges::Ranges;

use super::emitter::{Emitter, Exits, integer};
use super::set::{self, Kind};

/// A byte of a text that is not a NUL.
const BYTE: Kind = Kind { bytes: 1, signed: false };

/// Writes that each of the bytes at an address is matched by its token, and the last is followed by a NUL if there has
/// to be one; it continues at `otherwise` at the first that is not. There are `room` bytes.
pub(super) fn sequence(
    emitter: &mut Emitter<'_>,
    at: Value,
    room: u64,
    tokens: &[GlobToken],
    ends: bool,
    otherwise: Block,
) {
    let nul = [GlobToken::Byte(0)];
    let all: Vec<&GlobToken> = tokens.iter().chain(nul.iter().filter(|_| ends)).collect();
    let mut offset = 0;
    while offset < all.len() {
        let run = all[offset..].iter().map_while(|token| match token {
            GlobToken::Byte(byte) => Some(*byte),
            _ => None,
        });
        let run: Vec<u8> = run.collect();
        if run.is_empty() {
            one(emitter, at, offset as u64, all[offset], otherwise);
            offset += 1;
        } else {
            equal(emitter, (at, offset as u64), room, &run, otherwise);
            offset += run.len();
        }
    }
}

/// Writes that a byte is matched by a token that is neither a star nor a byte.
fn one(emitter: &mut Emitter<'_>, at: Value, offset: u64, token: &GlobToken, otherwise: Block) {
    let byte = emitter.load(types::I8, at, offset as i32);
    match token {
        GlobToken::Class(class) => {
            let then = emitter.block();
            set::write(emitter, byte, BYTE, &members(class), Exits { then, otherwise });
            emitter.begin::<0>(then);
        }
        GlobToken::One | GlobToken::Star | GlobToken::Byte(_) => {
            let is_end = emitter.compare_with(IntCC::Equal, byte, 0);
            emitter.forbid(is_end, otherwise);
        }
    }
}

/// Returns the bytes of a class; a NUL, which no text contains, is not one.
fn members(class: &CharClass) -> Ranges {
    Ranges::new((1..=u8::MAX).filter(|byte| class.contains(*byte)).map(|byte| (byte.into(), byte.into())))
}

/// Writes that bytes are equal to others. There are `room` bytes at the address.
fn equal(emitter: &mut Emitter<'_>, (at, from): (Value, u64), room: u64, wanted: &[u8], otherwise: Block) {
    let mut done = 0;
    while done < wanted.len() {
        let rest = wanted.len() - done;
        let behind = room - from - done as u64;
        let whole = rest.next_power_of_two().min(8);
        let size = match rest {
            // What is behind the wanted bytes is masked.
            _ if whole as u64 <= behind => whole,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
        let chunk = &wanted[done..wanted.len().min(done + size)];
        let (value, mask) = word(chunk);
        let mut loaded = emitter.load(integer(size as u32), at, (from + done as u64) as i32);
        if chunk.len() < size {
            let mask = emitter.constant(integer(size as u32), mask as i64);
            loaded = emitter.to.ins().band(loaded, mask);
        }
        let is_equal = emitter.compare_with(IntCC::Equal, loaded, value as i64);
        emitter.require(is_equal, otherwise);
        done += chunk.len();
    }
}

/// Returns bytes as a number, and the mask of those that there are.
fn word(bytes: &[u8]) -> (u64, u64) {
    let (mut value, mut mask) = ([0; 8], [0; 8]);
    for ((byte, value), mask) in bytes.iter().zip(&mut value).zip(&mut mask) {
        (*value, *mask) = (*byte, u8::MAX);
    }
    (u64::from_le_bytes(value), u64::from_le_bytes(mask))
}

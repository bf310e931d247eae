//! Patterns with a star that is not their only one at the end: the end of the text is found first, then each piece
//! between stars where it first matches.
//!
//! An earlier place of a piece never makes a later piece fail, so no place is tried twice.

use cranelift::prelude::*;
use tracec_kernel::condition::glob::GlobToken;

use super::bytes::{Bytes, Room};
use super::emitter::{Emitter, Exits};
use super::sequence::sequence;

/// The bytes of a vector.
const VECTOR: u64 = 16;

/// Writes whether a text is matched by tokens that hold a star.
pub(super) fn write(emitter: &mut Emitter<'_>, bytes: Bytes, tokens: &[GlobToken], exits: Exits) {
    let pieces: Vec<&[GlobToken]> = tokens.split(|token| *token == GlobToken::Star).collect();
    if let (Room::Fixed(VECTOR), [[], piece, []]) = (bytes.room, &pieces[..])
        && piece.len() <= VECTOR as usize
        && piece.iter().all(|token| matches!(token, GlobToken::Byte(_) | GlobToken::One))
    {
        return within_vector(emitter, bytes.at, piece, exits);
    }
    let ([begin, middle @ .., end], shortest) =
        (&pieces[..], pieces.iter().map(|piece| piece.len() as i64).sum())
    else {
        return emitter.jump(exits.otherwise, &[]);
    };
    let length = length(emitter, bytes);
    let is_shorter = emitter.compare_with(IntCC::SignedLessThan, length, shortest);
    emitter.forbid(is_shorter, exits.otherwise);
    sequence(emitter, bytes.at, begin.len() as u64, begin, false, exits.otherwise);
    let text_end = emitter.to.ins().iadd(bytes.at, length);
    let mut at = emitter.add(bytes.at, begin.len() as i64);
    let mut behind = shortest - begin.len() as i64;
    for piece in middle {
        // Behind the last place of this piece there is room for it and all that follow.
        let last = emitter.add(text_end, -behind);
        at = find(emitter, piece, (at, last), exits.otherwise);
        behind -= piece.len() as i64;
    }
    let at = emitter.add(text_end, -(end.len() as i64));
    sequence(emitter, at, end.len() as u64, end, false, exits.otherwise);
    emitter.jump(exits.then, &[]);
}

/// Writes the search for the first place of a piece from one address up to another; returns the address behind it.
fn find(
    emitter: &mut Emitter<'_>,
    piece: &[GlobToken],
    (first, last): (Value, Value),
    otherwise: Block,
) -> Value {
    let (next, other, found) = (emitter.block_of(1), emitter.block(), emitter.block());
    emitter.jump(next, &[first]);
    let [at] = emitter.begin(next);
    let is_behind = emitter.compare(IntCC::UnsignedGreaterThan, at, last);
    emitter.forbid(is_behind, otherwise);
    sequence(emitter, at, piece.len() as u64, piece, false, other);
    emitter.jump(found, &[]);
    emitter.begin::<0>(other);
    let following = emitter.add(at, 1);
    emitter.jump(next, &[following]);
    emitter.begin::<0>(found);
    emitter.add(at, piece.len() as i64)
}

/// Returns the length of a text.
fn length(emitter: &mut Emitter<'_>, bytes: Bytes) -> Value {
    let room = match bytes.room {
        Room::Fixed(VECTOR) => {
            let nuls = mask(emitter, bytes.at, 0);
            // A text without a NUL ends behind the vector.
            let end = emitter.to.ins().bor_imm_u(nuls, 1 << VECTOR);
            return emitter.to.ins().ctz(end);
        }
        Room::Fixed(room) => emitter.constant(types::I64, room as i64),
        Room::Told(length) => length,
    };
    let end = emitter.to.ins().iadd(bytes.at, room);
    let (vectors, vector, hit, single, byte, found) = (
        emitter.block_of(1),
        emitter.block(),
        emitter.block(),
        emitter.block_of(1),
        emitter.block(),
        emitter.block_of(1),
    );
    let more = emitter.block();
    emitter.jump(vectors, &[bytes.at]);
    let [at] = emitter.begin(vectors);
    let rest = emitter.to.ins().isub(end, at);
    let is_short = emitter.compare_with(IntCC::UnsignedLessThan, rest, VECTOR as i64);
    let few = emitter.block();
    emitter.branch(is_short, Exits { then: few, otherwise: vector });
    emitter.begin::<0>(few);
    emitter.jump(single, &[at]);
    emitter.begin::<0>(vector);
    let nuls = mask(emitter, at, 0);
    emitter.branch(nuls, Exits { then: hit, otherwise: more });
    emitter.begin::<0>(more);
    let behind = emitter.add(at, VECTOR as i64);
    emitter.jump(vectors, &[behind]);
    emitter.begin::<0>(hit);
    let before = emitter.to.ins().ctz(nuls);
    let nul = emitter.to.ins().iadd(at, before);
    emitter.jump(found, &[nul]);

    let [at] = emitter.begin(single);
    let ended = emitter.block();
    let is_end = emitter.compare(IntCC::Equal, at, end);
    emitter.branch(is_end, Exits { then: ended, otherwise: byte });
    emitter.begin::<0>(byte);
    let value = emitter.load(types::I8, at, 0);
    let is_nul = emitter.compare_with(IntCC::Equal, value, 0);
    let next = emitter.block();
    emitter.branch(is_nul, Exits { then: ended, otherwise: next });
    emitter.begin::<0>(next);
    let following = emitter.add(at, 1);
    emitter.jump(single, &[following]);
    emitter.begin::<0>(ended);
    emitter.jump(found, &[at]);
    let [end] = emitter.begin(found);
    emitter.to.ins().isub(end, bytes.at)
}

/// Returns which of the 16 bytes at an address are this one, a bit for each.
fn mask(emitter: &mut Emitter<'_>, at: Value, byte: u8) -> Value {
    let bytes = emitter.load(types::I8X16, at, 0);
    mask_of(emitter, bytes, byte)
}

fn mask_of(emitter: &mut Emitter<'_>, bytes: Value, byte: u8) -> Value {
    let byte = emitter.constant(types::I8, i64::from(byte));
    let all = emitter.to.ins().splat(types::I8X16, byte);
    let equal = emitter.compare(IntCC::Equal, bytes, all);
    let bits = emitter.to.ins().vhigh_bits(types::I32, equal);
    emitter.widen(bits, false)
}

/// Writes whether a piece is anywhere in a text of 16 bytes, for all places at once: a bit is left where each of its
/// bytes is at its distance from the place. A piece holds no NUL, so one that begins before the text's end ends there.
fn within_vector(emitter: &mut Emitter<'_>, at: Value, piece: &[GlobToken], exits: Exits) {
    let bytes = emitter.load(types::I8X16, at, 0);
    let nuls = mask_of(emitter, bytes, 0);
    // The bits below the lowest one: the places in the text.
    let less = emitter.add(nuls, -1);
    let text = emitter.to.ins().band_not(less, nuls);
    let text = emitter.to.ins().band_imm_u(text, 0xffff);
    let mut places = text;
    for (distance, token) in piece.iter().enumerate() {
        let matched = match token {
            GlobToken::Byte(byte) => mask_of(emitter, bytes, *byte),
            _ => text,
        };
        let matched = emitter.to.ins().ushr_imm_u(matched, distance as i64);
        places = emitter.to.ins().band(places, matched);
    }
    emitter.branch(places, exits);
}

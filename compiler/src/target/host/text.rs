//! Tests of texts: where the bytes are, and equality and patterns on them.
//!
//! A text ends at its first NUL or with its bytes. Equality and patterns that a fixed number of bytes decides do not look
//! for that end: they compare the bytes with the NUL behind them.

use cranelift::prelude::*;
use tracec_kernel::condition::glob::GlobToken;
use tracec_kernel::condition::ir::TextTest;

use super::bytes::{Bytes, Room, located};
use super::emitter::{Bounds, Emitter, Exits, Part};
use super::pattern;
use super::sequence::sequence;
use crate::decoder::TextPlace;

/// Writes the decision of a test of a text.
pub(super) fn write(
    emitter: &mut Emitter<'_>,
    place: TextPlace,
    test: &TextTest,
    record: Bounds,
    exits: Exits,
) {
    let bytes = match place {
        TextPlace::Fixed { offset, size: 0 } => {
            let at = emitter.add(record.data, i64::from(offset));
            let rest = emitter.add(record.size, -i64::from(offset));
            Bytes { at, room: Room::Told(rest) }
        }
        TextPlace::Fixed { offset, size } => {
            let at = emitter.add(record.data, i64::from(offset));
            Bytes { at, room: Room::Fixed(u64::from(size)) }
        }
        TextPlace::Located { word, relative } => located(emitter, (word, relative), record, exits.otherwise),
        // The task's name is not in a record; a program has no such test.
        TextPlace::Comm => return emitter.jump(exits.otherwise, &[]),
    };
    match test {
        TextTest::Eq(text) => exact(emitter, bytes, &literal(text), exits),
        TextTest::Ne(text) => exact(emitter, bytes, &literal(text), exits.swapped()),
        TextTest::Glob(pattern) => match pattern.tokens() {
            tokens if !tokens.contains(&GlobToken::Star) => exact(emitter, bytes, tokens, exits),
            [begin @ .., GlobToken::Star] if !begin.contains(&GlobToken::Star) => {
                starts(emitter, bytes, begin, exits);
            }
            tokens => {
                emitter.part(Part::Pattern, |emitter| pattern::write(emitter, bytes, tokens, exits));
            }
        },
    }
}

fn literal(text: &str) -> Vec<GlobToken> {
    text.bytes().map(GlobToken::Byte).collect()
}

/// Writes whether the whole text is matched by tokens, none of which is a star.
fn exact(emitter: &mut Emitter<'_>, bytes: Bytes, tokens: &[GlobToken], exits: Exits) {
    let count = tokens.len() as u64;
    match bytes.room {
        Room::Fixed(room) if count > room => emitter.jump(exits.otherwise, &[]),
        Room::Fixed(room) if count == room => starts(emitter, bytes, tokens, exits),
        Room::Fixed(room) => {
            sequence(emitter, bytes.at, room, tokens, true, exits.otherwise);
            emitter.jump(exits.then, &[]);
        }
        Room::Told(length) => {
            let is_shorter = emitter.compare_with(IntCC::UnsignedLessThan, length, count as i64);
            emitter.forbid(is_shorter, exits.otherwise);
            sequence(emitter, bytes.at, count, tokens, false, exits.otherwise);
            let is_whole = emitter.compare_with(IntCC::Equal, length, count as i64);
            emitter.forbid(is_whole, exits.then);
            let end = emitter.load(types::I8, bytes.at, count as i32);
            let is_end = emitter.compare_with(IntCC::Equal, end, 0);
            emitter.branch(is_end, exits);
        }
    }
}

/// Writes whether the text begins with what tokens match, none of which is a star.
fn starts(emitter: &mut Emitter<'_>, bytes: Bytes, tokens: &[GlobToken], exits: Exits) {
    let count = tokens.len() as u64;
    let room = match bytes.room {
        Room::Fixed(room) if count > room => return emitter.jump(exits.otherwise, &[]),
        Room::Fixed(room) => room,
        Room::Told(length) => {
            let is_shorter = emitter.compare_with(IntCC::UnsignedLessThan, length, count as i64);
            emitter.forbid(is_shorter, exits.otherwise);
            count
        }
    };
    sequence(emitter, bytes.at, room, tokens, false, exits.otherwise);
    emitter.jump(exits.then, &[]);
}

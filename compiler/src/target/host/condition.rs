//! Conditions as branches: each part continues at one of two blocks.
//!
//! Before a part is decided the record is checked once for the length that it has where the part is true. A record that
//! is shorter has a field outside, so the tests that read it are false; where they are negated, each is checked alone.

use cranelift::prelude::*;

use super::emitter::{Bounds, Emitter, Exits, Part};
use super::program::{Node, Tree};
use super::{mask, number, text};
use crate::decoder::Question;

/// Writes the decision of a condition.
pub(super) fn write(emitter: &mut Emitter<'_>, tree: &Tree<'_>, record: Bounds, exits: Exits) {
    let record = emitter.require_length(record, tree.length, exits.otherwise);
    match &tree.node {
        Node::Constant(value) => emitter.jump(exits.swapped_if(!value).then, &[]),
        Node::Not(inner) => write(emitter, inner, record, exits.swapped()),
        Node::All(parts) => list(emitter, parts, record, |next| Exits { then: next, ..exits }, exits),
        Node::Any(parts) => list(emitter, parts, record, |next| Exits { otherwise: next, ..exits }, exits),
        Node::Question(question) => ask(emitter, question, record, exits),
    }
}

/// Writes parts, each of which leads to the next by one of its exits.
fn list(
    emitter: &mut Emitter<'_>,
    parts: &[Tree<'_>],
    record: Bounds,
    exits_to: impl Fn(Block) -> Exits,
    last: Exits,
) {
    let Some((end, parts)) = parts.split_last() else { return };
    for part in parts {
        let next = emitter.block();
        write(emitter, part, record, exits_to(next));
        emitter.begin::<0>(next);
    }
    write(emitter, end, record, last);
}

fn ask(emitter: &mut Emitter<'_>, question: &Question<'_>, record: Bounds, exits: Exits) {
    let part = match question {
        Question::Never | Question::Pointed { .. } | Question::Number { .. } => Part::Number,
        Question::Text { .. } => Part::Text,
        Question::Mask { .. } => Part::Mask,
    };
    emitter.part(part, |emitter| match question {
        // Memory is not read here; the table of realisations says so.
        Question::Never | Question::Pointed { .. } => emitter.jump(exits.otherwise, &[]),
        Question::Number { steps, decision } => number::write(emitter, steps, decision, record, exits),
        Question::Text { place, test } => text::write(emitter, *place, test, record, exits),
        Question::Mask { word, relative, test, cpus } => {
            mask::write(emitter, (*word, *relative), *test, cpus, record, exits);
        }
    });
}

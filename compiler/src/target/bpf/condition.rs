//! Conditions as branches: each part continues at one of two blocks.

use tracec_kernel::condition::ir::{Atom, Condition};
use tracec_kernel::format::EventFormat;

use super::writer::{Exits, Writer};
use super::{mask, number, text};
use crate::bpf::code::Block;
use crate::decoder::{Question, Test, TextPlace};

/// Writes the decision of a condition.
pub(super) fn write(to: &mut Writer<'_>, condition: &Condition, format: &EventFormat, exits: Exits) {
    match condition {
        Condition::Const(true) => to.code.jump(exits.then),
        Condition::Const(false) => to.code.jump(exits.otherwise),
        Condition::Not(inner) => write(to, inner, format, exits.swapped()),
        Condition::And(parts) => list(to, parts, format, |next| Exits { then: next, ..exits }, exits),
        Condition::Or(parts) => list(to, parts, format, |next| Exits { otherwise: next, ..exits }, exits),
        Condition::Atom(atom) => ask(to, atom, format, exits),
    }
}

/// Writes parts, each of which leads to the next by one of its exits. The cheap ones come first: there is no order of
/// evaluation.
fn list(
    to: &mut Writer<'_>,
    parts: &[Condition],
    format: &EventFormat,
    exits_to: impl Fn(Block) -> Exits,
    last: Exits,
) {
    let mut parts: Vec<&Condition> = parts.iter().collect();
    parts.sort_by_cached_key(|part| cost(part, format));
    let Some((end, parts)) = parts.split_last() else { return to.code.jump(last.then) };
    for part in parts {
        let next = to.code.block();
        write(to, part, format, exits_to(next));
        to.code.begin(next);
    }
    write(to, end, format, last);
}

fn ask(to: &mut Writer<'_>, atom: &Atom, format: &EventFormat, exits: Exits) {
    match Test::of(atom, format).map(|test| test.question) {
        // The table of realisations says that there is none.
        None | Some(Question::Never) => to.code.jump(exits.otherwise),
        Some(Question::Number { steps, decision }) => {
            number::write(to, &steps, &decision, format.task_pid(), exits);
        }
        Some(Question::Text { place, test }) => text::write(to, place, test, exits),
        Some(Question::Pointed { offset, user, test }) => text::pointed(to, (offset, user), test, exits),
        Some(Question::Mask { word, relative, test, cpus }) => {
            mask::write(to, (word, relative), test, cpus, exits);
        }
    }
}

/// The cost of a condition beside others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Words,
    Call,
    Loop,
}

fn cost(condition: &Condition, format: &EventFormat) -> Cost {
    let of_atom = |atom: &Atom| match Test::of(atom, format).map(|test| test.question) {
        None | Some(Question::Never | Question::Number { .. }) => Cost::Words,
        Some(Question::Text { place: TextPlace::Fixed { .. }, test }) if !text::loops(test) => Cost::Words,
        Some(Question::Text { test, .. } | Question::Pointed { test, .. }) if !text::loops(test) => {
            Cost::Call
        }
        Some(Question::Text { .. } | Question::Pointed { .. } | Question::Mask { .. }) => Cost::Loop,
    };
    condition.atoms().into_iter().map(of_atom).max().unwrap_or(Cost::Words)
}

//! Makes a disagreement small enough to be read.

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::filter::Model;

use crate::event::{FIXED, Moment};
use crate::law::{Lowering, Verdict, means};

/// The smallest that still disagrees, of what single steps lead to.
pub(crate) fn shrink(
    mut condition: Condition,
    mut moment: Moment,
    model: &Model,
    reader: &Model,
    lowering: Lowering<'_>,
) -> (Condition, Moment) {
    let disagree = |condition: &Condition, moment: &Moment| {
        let Ok(lowered) = lowering(condition, model) else { return false };
        Verdict::of(&lowered, reader).holds(moment) != Some(means(condition, moment))
    };
    while let Some(smaller) = smaller(&condition).into_iter().find(|smaller| disagree(smaller, &moment)) {
        condition = smaller;
    }
    for size in [8, 4, 1] {
        for at in (8..moment.bytes.len()).step_by(size) {
            let mut zeroed = moment.clone();
            let end = (at + size).min(zeroed.bytes.len());
            zeroed.bytes[at..end].fill(0);
            if disagree(&condition, &zeroed) {
                moment = zeroed;
            }
        }
    }
    for length in FIXED..moment.bytes.len() {
        let mut cut = moment.clone();
        cut.bytes.truncate(length);
        if disagree(&condition, &cut) {
            moment = cut;
            break;
        }
    }
    (condition, moment)
}

/// Conditions with a part less.
fn smaller(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::Const(_) => Vec::new(),
        Condition::Atom(atom) => smaller_atoms(atom).into_iter().map(Condition::Atom).collect(),
        Condition::Not(inner) => {
            let mut all = vec![(**inner).clone()];
            all.extend(smaller(inner).into_iter().map(|inner| Condition::Not(Box::new(inner))));
            all
        }
        Condition::And(parts) => fewer(parts, Condition::all),
        Condition::Or(parts) => fewer(parts, Condition::any),
    }
}

fn fewer(parts: &[Condition], join: fn(Vec<Condition>) -> Condition) -> Vec<Condition> {
    let mut all = parts.to_vec();
    for index in 0..parts.len() {
        let mut less = parts.to_vec();
        less.remove(index);
        all.push(join(less));
        for part in smaller(&parts[index]) {
            let mut changed = parts.to_vec();
            changed[index] = part;
            all.push(join(changed));
        }
    }
    all
}

fn smaller_atoms(atom: &Atom) -> Vec<Atom> {
    match atom {
        Atom::In { of, ranges } => {
            let without = |left_out: usize| {
                let kept = ranges.iter().enumerate().filter(|(index, _)| *index != left_out);
                Atom::In { of: of.clone(), ranges: Ranges::new(kept.map(|(_, run)| run)) }
            };
            (0..ranges.iter().len()).map(without).collect()
        }
        Atom::Text { of, test } => {
            let shorter = |text: &str| -> Vec<String> {
                text.char_indices()
                    .map(|(at, c)| text[..at].to_owned() + &text[at + c.len_utf8()..])
                    .collect()
            };
            let tests: Vec<TextTest> = match test {
                TextTest::Eq(text) => shorter(text).into_iter().map(TextTest::Eq).collect(),
                TextTest::Ne(text) => shorter(text).into_iter().map(TextTest::Ne).collect(),
                TextTest::Glob(pattern) => shorter(pattern.as_str())
                    .iter()
                    .filter_map(|text| Glob::parse(text).ok().map(TextTest::Glob))
                    .collect(),
            };
            tests.into_iter().map(|test| Atom::Text { of: of.clone(), test }).collect()
        }
        _ => Vec::new(),
    }
}

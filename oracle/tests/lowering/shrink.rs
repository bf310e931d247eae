//! Makes a disagreement small enough to be read.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::filter::Model;

use crate::event::{FIXED, Moment};
use crate::generate::smaller::smaller;
use crate::law::{Lowering, Verdict, means};

/// Returns the smallest case that still disagrees, reached by single steps.
pub(crate) fn shrink(
    mut condition: Condition,
    mut moment: Moment,
    model: &Model,
    reader: &Model,
    lowering: Lowering<'_>,
) -> (Condition, Moment) {
    let disagree = |condition: &Condition, moment: &Moment| {
        let Ok(lowered) = lowering(condition, &moment.event.spelling, model) else { return false };
        Verdict::of(&lowered, moment.event, reader).holds(moment) != Some(means(condition, moment))
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

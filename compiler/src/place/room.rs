//! The distribution of the room in the kernel's filter.

use tracec_kernel::condition::lower::Lowered;

use super::EventFilter;
use super::conjunct::Choices;
use crate::ir::Conjunct;

/// The conjuncts that the kernel's filter holds.
pub(super) struct Share {
    /// Whether it holds each conjunct, by index.
    pub(super) takes: Vec<bool>,
    /// Their text together.
    pub(super) filter: Lowered,
}

/// Distributes `room` bytes: first to the conjuncts that no other place can decide, then to the others in the order of
/// the text, each if it still fits. If the first alone do not fit, the kernel takes none of them.
pub(super) fn share(
    conjuncts: &[Conjunct],
    choices: &[Choices],
    room: usize,
    filter: EventFilter<'_>,
) -> Share {
    let mut share = Share { takes: vec![false; conjuncts.len()], filter: Lowered::Everything };
    if choices.iter().any(|choice| choice.constant() == Some(false)) {
        // Nothing is recorded, and nothing is written.
        return Share { filter: Lowered::Nothing, takes: choices.iter().map(|_| true).collect() };
    }
    let sayable = |wanted: &dyn Fn(&Choices) -> bool| -> Vec<usize> {
        let each = choices.iter().enumerate();
        each.filter(|(_, c)| c.text_length().is_some() && wanted(c)).map(|(index, _)| index).collect()
    };
    // Usually there is room for all.
    if share.add(&sayable(&|_| true), conjuncts, room, filter) {
        return share;
    }
    if !share.add(&sayable(&Choices::is_kernel_only), conjuncts, room, filter) {
        return share;
    }
    for index in sayable(&|choice| !choice.is_kernel_only()) {
        // Parentheses add to the length; a conjunct that does not fit without them is not tried.
        let least = share.length() + choices[index].text_length().unwrap_or(0);
        if least <= room {
            share.add(&[index], conjuncts, room, filter);
        }
    }
    share
}

impl Share {
    /// Adds some more conjuncts, if all of these fit.
    fn add(&mut self, more: &[usize], conjuncts: &[Conjunct], room: usize, filter: EventFilter<'_>) -> bool {
        let mut takes = self.takes.clone();
        more.iter().for_each(|&index| takes[index] = true);
        let taken = conjuncts.iter().zip(&takes).filter(|(_, takes)| **takes);
        match filter.lower_all(taken.map(|(conjunct, _)| &conjunct.value)) {
            Ok(Lowered::Text(text)) if text.len() > room => false,
            Ok(lowered) => {
                *self = Share { takes, filter: lowered };
                true
            }
            // Each of them can be said, so that only the length can be the reason.
            Err(_) => false,
        }
    }

    /// Returns the bytes before the text of the next conjunct.
    fn length(&self) -> usize {
        match &self.filter {
            Lowered::Text(text) => text.len() + " && ".len(),
            Lowered::Everything | Lowered::Nothing => 0,
        }
    }
}

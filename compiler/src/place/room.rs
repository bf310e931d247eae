//! The distribution of the room in the kernel's filter.

use tracec_kernel::condition::lower::{FilterTree, Lowered};

use super::conjunct::Choices;

/// The conjuncts that the kernel's filter holds.
pub(super) struct Share {
    /// Whether it holds each conjunct, or a few comparisons of it, by index.
    pub(super) takes: Vec<bool>,
    /// Their text together.
    pub(super) filter: Lowered,
}

/// Distributes `room` bytes: first to the conjuncts that no other place can decide, then to the others in the order of
/// the text, each if it still fits. If the first alone do not fit, the kernel takes none of them.
pub(super) fn share(choices: &[Choices<'_>], room: usize) -> Share {
    let mut share = Share { takes: vec![false; choices.len()], filter: Lowered::Everything };
    if choices.iter().any(|choice| choice.constant() == Some(false)) {
        // Nothing is recorded, and nothing is written.
        return Share { filter: Lowered::Nothing, takes: vec![true; choices.len()] };
    }
    if let [only] = choices
        && let Some(text) = only.filter().filter(|text| text.alone.len() <= room)
    {
        return Share { filter: Lowered::Text(text.alone.clone()), takes: vec![true] };
    }
    let sayable = |index: usize| choices[index].filter().is_some();
    // Usually there is room for all.
    if share.add(&sayable, choices, room) {
        return share;
    }
    if !share.add(&|index| sayable(index) && choices[index].is_kernel_only(), choices, room) {
        return share;
    }
    for (index, choice) in choices.iter().enumerate().filter(|(_, choice)| !choice.is_kernel_only()) {
        // Parentheses add to the length; a conjunct that does not fit without them is not tried.
        if let Some(text) = choice.filter()
            && share.length() + text.alone.len() <= room
        {
            share.add(&|other| other == index, choices, room);
        }
    }
    share
}

impl Share {
    /// Adds the conjuncts whose indexes are wanted, if all of these fit.
    fn add(&mut self, wanted: &dyn Fn(usize) -> bool, choices: &[Choices<'_>], room: usize) -> bool {
        let takes: Vec<bool> =
            self.takes.iter().enumerate().map(|(index, takes)| *takes || wanted(index)).collect();
        // Only conjuncts that the kernel's filter can say are taken.
        let taken = choices.iter().zip(&takes).filter(|(_, takes)| **takes);
        match FilterTree::all(taken.filter_map(|(choice, _)| Some(&choice.filter()?.tree))) {
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
        self.filter.text().map_or(0, |text| text.len() + " && ".len())
    }
}

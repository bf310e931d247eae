//! The distinct conjuncts of a module: one that is written in many places is examined once.

use std::ops::Range;

use rustc_hash::FxHashMap;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::condition::realisation::{Construct, constructs};

use crate::ir::{ConditionId, Module};

/// A conjunct at events of one spelling.
#[derive(Clone, Debug)]
pub(super) struct Piece<'a> {
    pub(super) condition: &'a Condition,
    pub(super) spelling: Spelling,
    /// Its constructs: the keys of the table of realisations. They decide which features the kernel is asked for, and
    /// where the conjunct runs.
    pub(super) constructs: Vec<Construct>,
}

/// The pieces of all conditions of a module that are placed.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces<'a> {
    pub(super) all: Vec<Piece<'a>>,
    by_value: FxHashMap<(&'a Condition, Spelling), usize>,
    /// The indexes of the pieces of each condition, one range per condition.
    indexes: Vec<usize>,
    by_condition: FxHashMap<(ConditionId, Spelling), Range<usize>>,
}

impl<'a> Pieces<'a> {
    /// Collects the pieces of a module.
    pub(super) fn of(module: &'a Module) -> Self {
        let mut pieces = Pieces::default();
        for event in module.sessions.iter().flat_map(|session| &session.events) {
            let spelling = Spelling::at(&module.catalogue[event.id]);
            let recorded = event.record.iter().map(|recording| recording.filter);
            for id in recorded.chain(event.triggers.iter().map(|trigger| trigger.condition)) {
                if !pieces.by_condition.contains_key(&(id, spelling)) {
                    let range =
                        pieces.add(module.conditions[id].iter().map(|conjunct| &conjunct.value), spelling);
                    pieces.by_condition.insert((id, spelling), range);
                }
            }
        }
        pieces
    }

    fn add(&mut self, conjuncts: impl Iterator<Item = &'a Condition>, spelling: Spelling) -> Range<usize> {
        let start = self.indexes.len();
        for condition in conjuncts {
            let index = *self.by_value.entry((condition, spelling)).or_insert_with(|| {
                self.all.push(Piece { condition, spelling, constructs: constructs(condition, &spelling) });
                self.all.len() - 1
            });
            self.indexes.push(index);
        }
        start..self.indexes.len()
    }

    /// Returns the indexes of the pieces of a condition at an event, one for each conjunct.
    pub(super) fn of_condition(&self, id: ConditionId, spelling: Spelling) -> &[usize] {
        &self.indexes[self.by_condition[&(id, spelling)].clone()]
    }
}

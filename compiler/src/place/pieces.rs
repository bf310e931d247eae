//! The distinct conjuncts of a module: one that is written in many places is examined once.

use std::ops::Range;

use rustc_hash::FxHashMap;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::condition::realisation::{Construct, constructs};
use tracec_kernel::format::EventFormat;

use crate::ir::{ConditionId, EventId, Module};

/// A conjunct at events of one spelling.
#[derive(Clone, Debug)]
pub(super) struct Piece<'a> {
    pub(super) condition: &'a Condition,
    pub(super) spelling: Spelling,
    /// Its constructs: the keys of the table of realisations. They decide which features the kernel is asked for, and
    /// where the conjunct runs.
    pub(super) constructs: Vec<Construct>,
}

/// The id of a spelling in [`Pieces`]: a module has few, and every condition is looked up with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SpellingId(usize);

/// The pieces of all conditions of a module that are placed.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces<'a> {
    pub(super) all: Vec<Piece<'a>>,
    by_value: FxHashMap<(&'a Condition, SpellingId), usize>,
    /// The indexes of the pieces of each condition, one range per condition.
    indexes: Vec<usize>,
    by_condition: FxHashMap<(ConditionId, SpellingId), Range<usize>>,
    spellings: Vec<Spelling>,
    /// The spelling at each event of the catalogue.
    by_event: Vec<SpellingId>,
}

impl<'a> Pieces<'a> {
    /// Collects the pieces of a module.
    pub(super) fn of(module: &'a Module) -> Self {
        let mut pieces = Pieces::default();
        for (_, layout) in module.catalogue.iter() {
            pieces.spell(&layout.format);
        }
        for event in module.sessions.iter().flat_map(|session| &session.events) {
            let spelling = pieces.spelling_at(event.id);
            let recorded = event.record.iter().map(|recording| recording.filter);
            for id in recorded.chain(event.triggers.iter().map(|trigger| trigger.condition)) {
                if id != ConditionId::ALWAYS && !pieces.by_condition.contains_key(&(id, spelling)) {
                    let conjuncts = module.conditions[id].iter().map(|conjunct| &conjunct.value);
                    let range = pieces.add(conjuncts, spelling);
                    pieces.by_condition.insert((id, spelling), range);
                }
            }
        }
        pieces
    }

    /// Adds the next event of the catalogue.
    fn spell(&mut self, event: &EventFormat) {
        let spelling = Spelling::at(event);
        let known = self.spellings.iter().position(|other| *other == spelling);
        self.by_event.push(SpellingId(known.unwrap_or_else(|| {
            self.spellings.push(spelling);
            self.spellings.len() - 1
        })));
    }

    fn add(&mut self, conjuncts: impl Iterator<Item = &'a Condition>, id: SpellingId) -> Range<usize> {
        let start = self.indexes.len();
        let spelling = self.spelling(id);
        for condition in conjuncts {
            let index = *self.by_value.entry((condition, id)).or_insert_with(|| {
                self.all.push(Piece { condition, spelling, constructs: constructs(condition, &spelling) });
                self.all.len() - 1
            });
            self.indexes.push(index);
        }
        start..self.indexes.len()
    }

    /// Returns the spelling at an event.
    pub(super) fn spelling_at(&self, event: EventId) -> SpellingId {
        self.by_event[event.index()]
    }

    pub(super) fn spelling(&self, id: SpellingId) -> Spelling {
        self.spellings[id.0]
    }

    /// Returns the indexes of the pieces of a condition at an event, one for each conjunct.
    pub(super) fn of_condition(&self, id: ConditionId, spelling: SpellingId) -> &[usize] {
        match id {
            ConditionId::ALWAYS => &[],
            id => &self.indexes[self.by_condition[&(id, spelling)].clone()],
        }
    }
}

//! The constructs of conditions: the keys of the table of realisations.

use std::collections::HashMap;

use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::condition::realisation::{Construct, constructs};

use crate::ir::{ConditionId, Module};

/// For each condition of a module that is placed, the constructs of each of its conjuncts at events of one spelling. They
/// decide which features the kernel is asked for, and where each conjunct runs.
#[derive(Clone, Debug)]
pub(super) struct Constructs(HashMap<(ConditionId, Spelling), Vec<Vec<Construct>>>);

impl Constructs {
    /// Collects the constructs of the conditions of a module, each once.
    pub(super) fn of(module: &Module) -> Self {
        let mut found = HashMap::new();
        for event in module.sessions.iter().flat_map(|session| &session.events) {
            let spelling = Spelling::at(&module.catalogue[event.id]);
            let recorded = event.record.iter().map(|recording| recording.filter);
            for id in recorded.chain(event.triggers.iter().map(|trigger| trigger.condition)) {
                let conjuncts = module.conditions[id].iter();
                let apart = || conjuncts.map(|conjunct| constructs(&conjunct.value, &spelling)).collect();
                found.entry((id, spelling)).or_insert_with(apart);
            }
        }
        Constructs(found)
    }

    /// Returns the constructs of all conjuncts, in any order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Vec<Construct>> {
        self.0.values().flatten()
    }

    /// Returns the constructs of each conjunct of a condition at an event.
    pub(super) fn of_condition(&self, id: ConditionId, spelling: Spelling) -> &[Vec<Construct>] {
        &self.0[&(id, spelling)]
    }
}

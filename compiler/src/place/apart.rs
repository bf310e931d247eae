//! The conditions of a session, taken apart into what the table of realisations knows.

use std::collections::HashMap;

use tracec_kernel::condition::realisation::{Construct, constructs};

use crate::ir::shared::Same;
use crate::ir::{self, Conjunct, Conjuncts};

/// A session with the constructs of its conditions: what is asked of its kernel and where each conjunct runs are both
/// decided by them.
#[derive(Clone, Debug)]
pub struct Apart {
    pub(super) session: ir::Session,
    /// One list per conjunct. Conditions that events share are taken apart once.
    constructs: HashMap<Same<[Conjunct]>, Vec<Vec<Construct>>>,
}

impl From<ir::Session> for Apart {
    fn from(session: ir::Session) -> Self {
        let mut found = HashMap::new();
        for event in &session.events {
            let recorded = event.record.iter().map(|recording| &recording.filter);
            for conjuncts in recorded.chain(event.triggers.iter().map(|trigger| &trigger.condition)) {
                let apart = || conjuncts.iter().map(|conjunct| constructs(&conjunct.value)).collect();
                found.entry(Same::of(conjuncts)).or_insert_with(apart);
            }
        }
        Apart { session, constructs: found }
    }
}

impl Apart {
    /// The constructs of all conjuncts, each list of conjuncts once, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Vec<Construct>> {
        self.constructs.values().flatten()
    }

    /// The constructs of each of some conjuncts of the session.
    pub(super) fn of(&self, conjuncts: &Conjuncts) -> &[Vec<Construct>] {
        &self.constructs[&Same::of(conjuncts)]
    }
}

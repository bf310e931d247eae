//! Conditions, each owned once.

use std::ops::Index;
use std::sync::Arc;

use tracec_grammar::span::Span;
use tracec_kernel::condition::check::InvalidCondition;
use tracec_kernel::condition::ir::Condition;

/// The id of a condition in its [`Conditions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionId(u32);

impl ConditionId {
    /// The condition that holds for every record: no conjuncts.
    pub const ALWAYS: ConditionId = ConditionId(0);

    /// Returns its index among the conditions.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The conditions of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The first is [`ConditionId::ALWAYS`]. What is known of an edited text shares them.
    lists: Vec<Arc<[Conjunct]>>,
}

impl Default for Conditions {
    fn default() -> Self {
        Conditions { lists: vec![Arc::default()] }
    }
}

impl Conditions {
    /// Adds a condition: conjuncts that must all hold, each with its span: those of the head first, each top-level `&&`
    /// split. None of them is [`Condition::And`].
    pub fn add(&mut self, conjuncts: impl Into<Arc<[Conjunct]>>) -> ConditionId {
        let conjuncts = conjuncts.into();
        if conjuncts.is_empty() {
            return ConditionId::ALWAYS;
        }
        self.lists.push(conjuncts);
        ConditionId(self.lists.len() as u32 - 1)
    }

    /// Replaces a condition's conjuncts.
    pub fn replace(&mut self, id: ConditionId, conjuncts: impl Into<Arc<[Conjunct]>>) {
        self.lists[id.0 as usize] = conjuncts.into();
    }

    /// Takes a condition's conjuncts out: it holds for every record then.
    pub(crate) fn take(&mut self, id: ConditionId) -> Arc<[Conjunct]> {
        std::mem::take(&mut self.lists[id.0 as usize])
    }

    /// Returns a condition's conjuncts, to share them.
    pub(crate) fn share(&self, id: ConditionId) -> Arc<[Conjunct]> {
        Arc::clone(&self.lists[id.0 as usize])
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.lists.len()
    }

    /// Returns every condition with its id.
    pub fn iter(&self) -> impl Iterator<Item = (ConditionId, &[Conjunct])> {
        self.lists.iter().enumerate().map(|(index, list)| (ConditionId(index as u32), &**list))
    }
}

impl Index<ConditionId> for Conditions {
    type Output = [Conjunct];

    fn index(&self, id: ConditionId) -> &[Conjunct] {
        &self.lists[id.0 as usize]
    }
}

/// One of several conditions that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct {
    /// The condition.
    pub value: Condition,
    /// Where it is written.
    pub span: Span,
    /// Where its atoms are written, one per atom in the order of [`Condition::atoms`].
    pub atoms: Vec<AtomSpan>,
}

/// The reason why a conjunct is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidConjunct {
    /// The form of its condition is invalid.
    #[error(transparent)]
    Condition(#[from] InvalidCondition),
    /// It is a conjunction, which has to be several conjuncts.
    #[error("a part of the top-level `&&` is itself a conjunction")]
    Conjunction,
    /// The number of its atoms differs from the number of their spans.
    #[error("it has {atoms} atoms and {spans} spans of atoms")]
    Spans {
        /// The number of atoms.
        atoms: usize,
        /// The number of spans.
        spans: usize,
    },
}

impl Conjunct {
    /// Checks every invariant of the form, except for the one that needs the event
    /// ([`Condition::check_fields`]).
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn check(&self) -> Result<(), InvalidConjunct> {
        let Conjunct { value, span: _, atoms: spans } = self;
        value.check()?;
        if matches!(value, Condition::And(_)) {
            return Err(InvalidConjunct::Conjunction);
        }
        let (atoms, spans) = (value.atoms().len(), spans.len());
        if atoms == spans { Ok(()) } else { Err(InvalidConjunct::Spans { atoms, spans }) }
    }
}

/// Where an atom is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomSpan {
    /// The span of the source expression that it was made from.
    pub span: Span,
    /// The text that says this atom and nothing else, if there is one: `x !~ "a"` is a negation, and the members of `x
    /// in {"a", "b"}` have no such text.
    pub written: Option<Span>,
}

/// Returns the span from the first of some conjuncts to the last; `None` if there are none.
pub fn extent(conjuncts: &[Conjunct]) -> Option<Span> {
    conjuncts.iter().map(|conjunct| conjunct.span).reduce(Span::to)
}

//! Typed conditions of an edited text that need not be typed again.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use tracec_kernel::format::EventFormat;
use tracec_span::{FileId, Span};

use super::Conjunct;

/// How many clauses about events a session has at least if its conditions are kept: one of fewer is checked as fast.
const LONG: usize = 16;

/// Typed conditions of the clauses of long sessions, for one kernel.
///
/// The check of a text adds to them, and takes those from them that it finds again. A clause is found again by its place:
/// after an edit the places have to be moved. What a condition becomes depends on the text of its clause, on the one event
/// that this names, and on the constants that this mentions: where one of them was edited, it has to be forgotten. A condition
/// of which something was said is not kept.
#[derive(Clone, Debug, Default)]
pub struct KnownConditions {
    /// In the order of the clauses' text. A clause may have several.
    conditions: Vec<KnownCondition>,
}

/// A condition of a clause: some expressions that must all hold.
#[derive(Clone, Debug)]
pub(crate) struct KnownCondition {
    clause: Span,
    /// The system and the name of its event.
    event: (SmolStr, SmolStr),
    expressions: Vec<Span>,
    /// What the expressions became.
    pub(crate) conjuncts: Arc<[Conjunct]>,
    /// The conjuncts of each expression.
    pub(crate) parts: Arc<[Range<usize>]>,
}

impl KnownConditions {
    /// Returns whether the conditions of a session with so many clauses about events are kept.
    pub(crate) fn keeps(clauses: usize) -> bool {
        clauses >= LONG
    }

    /// Returns the condition of a clause that was made of these expressions for its event.
    pub(crate) fn find(
        &self,
        clause: Span,
        event: &EventFormat,
        expressions: &[Span],
    ) -> Option<&KnownCondition> {
        let from = self.conditions.partition_point(|known| known.clause.start < clause.start);
        let of_clause = self.conditions[from..].iter().take_while(|known| known.clause.start == clause.start);
        of_clause.into_iter().find(|known| {
            known.clause == clause
                && known.expressions == expressions
                && (&known.event.0, &known.event.1) == (&event.system, &event.name)
        })
    }

    /// Adds a condition of a clause of the main text. Those of other texts are not kept.
    pub(crate) fn add(
        &mut self,
        clause: Span,
        event: &EventFormat,
        expressions: Vec<Span>,
        conjuncts: Arc<[Conjunct]>,
        parts: Arc<[Range<usize>]>,
    ) {
        if clause.file != FileId::MAIN {
            return;
        }
        let event = (event.system.clone(), event.name.clone());
        let known = KnownCondition { clause, event, expressions, conjuncts, parts };
        // Clauses are checked in the order of the text, except for those that are included.
        let at = match self.conditions.last() {
            Some(last) if last.clause.start > clause.start => {
                self.conditions.partition_point(|known| known.clause.start <= clause.start)
            }
            _ => self.conditions.len(),
        };
        self.conditions.insert(at, known);
    }

    /// Moves the places by an edit: `moved` returns where a span is that the edit does not touch. A clause that was touched
    /// is forgotten.
    pub(crate) fn move_by(&mut self, moved: impl Fn(Span) -> Option<Span>) {
        let move_span = |span: &mut Span| moved(*span).map(|now| *span = now);
        self.conditions.retain_mut(|known| {
            let before = known.clause;
            // Most stand before the edit.
            match moved(before) {
                Some(now) if now == before => true,
                Some(_) => known.spans().try_for_each(move_span).is_some(),
                None => false,
            }
        });
    }

    /// Forgets the clauses that hold one of these places of the main text.
    pub(crate) fn forget(&mut self, places: Vec<Range<usize>>) {
        let mut touched = FxHashSet::default();
        for place in places {
            // Those of one clause stand together, and no clause is in another.
            let behind = self.conditions.partition_point(|known| known.clause.range().start <= place.start);
            let last = behind.checked_sub(1).map(|last| self.conditions[last].clause);
            touched.extend(last.filter(|clause| place.end <= clause.range().end));
        }
        if !touched.is_empty() {
            self.conditions.retain(|known| !touched.contains(&known.clause));
        }
    }
}

impl KnownCondition {
    fn spans(&mut self) -> impl Iterator<Item = &mut Span> {
        // The module before the edit, which shared them, is there no more: nothing is copied.
        let of_conjuncts = Arc::make_mut(&mut self.conjuncts).iter_mut().flat_map(|conjunct| {
            let of_atoms =
                conjunct.atoms.iter_mut().flat_map(|atom| [Some(&mut atom.span), atom.written.as_mut()]);
            of_atoms.flatten().chain([&mut conjunct.span])
        });
        of_conjuncts.chain(&mut self.expressions).chain([&mut self.clause])
    }
}

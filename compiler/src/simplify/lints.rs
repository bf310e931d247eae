//! The lints for conditions, and which of them apply to all events of a clause.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::Span;

use super::never::{Cause, Never};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};

/// The largest number of reported contradictions of one clause.
const CONTRADICTIONS: usize = 10;

/// A lint for a condition.
#[derive(Clone, Debug)]
pub(super) struct Lint {
    pub(super) diagnostic: Diagnostic,
    /// The index of the conjunct that it is about; `None` for the condition as a whole.
    pub(super) about: Option<usize>,
    /// Why the condition, or a part of it, holds for no record, if the lint says so.
    pub(super) never: Option<Never>,
}

/// The lints for the conditions of one clause, which are those with the same spans.
#[derive(Debug, Default)]
struct Clause {
    events: usize,
    /// The lints with the number of events of each, in the order in which they were found.
    found: Vec<(Lint, usize)>,
    /// The index of each lint in `found`.
    by_key: FxHashMap<Key, usize>,
}

/// The code and the span of a lint.
type Key = (&'static str, Option<Span>);

/// All clauses, in the order of their events.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    by_spans: FxHashMap<Vec<Span>, Clause>,
    order: Vec<Vec<Span>>,
}

impl Clauses {
    /// Adds lints for some more events to the clause whose conditions have these spans.
    pub(super) fn add(&mut self, spans: Vec<Span>, found: Vec<Lint>, events: usize) {
        let clause = self.by_spans.entry(spans.clone()).or_insert_with(|| {
            self.order.push(spans);
            Clause::default()
        });
        clause.add(found, events);
    }

    /// Reports the lints that apply to all events of a clause.
    pub(super) fn report(mut self, diagnostics: &mut Diagnostics) {
        // The head of a clause belongs to its recording and to each of its triggers.
        let mut reported = FxHashSet::default();
        for clause in self.order.into_iter().filter_map(|spans| self.by_spans.remove(&spans)) {
            let events = clause.events;
            let of_all = clause.found.into_iter().filter(|(_, count)| *count == events);
            let new = of_all.map(|(found, _)| found).filter(|found| reported.insert(key(&found.diagnostic)));
            first_contradictions(new.collect())
                .into_iter()
                .for_each(|lint| diagnostics.push(lint.diagnostic));
        }
    }
}

/// Removes all but the first contradictions; the last one left counts the others. Hundreds of them come from one
/// mistake, or from a program.
fn first_contradictions(mut found: Vec<Lint>) -> Vec<Lint> {
    let is_one = |lint: &Lint| lint.never.is_some_and(|never| never.cause == Cause::Contradiction);
    let Some(last) = (0..found.len()).filter(|index| is_one(&found[*index])).nth(CONTRADICTIONS - 1) else {
        return found;
    };
    let mut rest = found.split_off(last + 1);
    let before = rest.len();
    rest.retain(|lint| !is_one(lint));
    let more = before - rest.len();
    if let (1.., Some(last)) = (more, found.last_mut()) {
        last.diagnostic.notes.push(codes::contradiction::more(more));
    }
    found.append(&mut rest);
    found
}

impl Clause {
    /// Adds lints for some more events; of several lints with the same code and span, only the first.
    fn add(&mut self, found: Vec<Lint>, events: usize) {
        self.events += events;
        let mut seen = FxHashSet::default();
        for lint in found.into_iter().filter(|lint| seen.insert(key(&lint.diagnostic))) {
            let index = *self.by_key.entry(key(&lint.diagnostic)).or_insert(self.found.len());
            match self.found.get_mut(index) {
                Some((_, count)) => *count += events,
                None => self.found.push((lint, events)),
            }
        }
    }
}

fn key(diagnostic: &Diagnostic) -> Key {
    (diagnostic.code.id, diagnostic.primary.as_ref().map(|label| label.span))
}

//! Simplification of conditions before they are placed, and lints for redundant parts.
//!
//! A condition over a group of events is simplified once for the events that share it. A lint is reported only if it
//! applies to all events of the clause: where a field is narrower in one of them, a comparison may be redundant there
//! and not elsewhere.

mod conjunction;
mod demanded;
mod lints;
mod never;

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;

use crate::diagnostic::Diagnostics;
use crate::ir::{self, ConditionId, Conditions, Conjunct, Stop};
use crate::source::SourceMap;
use conjunction::{ShortForms, conjunction, short_form};
use demanded::Demanded;
use lints::{Clauses, Lint};

pub use never::{Cause, Never, Verdicts};

/// The conditions of an event: of its recording, then of its triggers.
type Given = Vec<ConditionId>;

/// Events that share all their conditions.
#[derive(Debug)]
struct Group {
    events: usize,
    /// One for each of their conditions that has conjuncts.
    simplified: Vec<SimplifiedClause>,
}

/// The result of simplifying a condition.
#[derive(Debug)]
struct SimplifiedClause {
    /// The spans of its conjuncts in the text.
    spans: Vec<Span>,
    found: Vec<Lint>,
}

/// All groups of a session, in the order of their first events.
#[derive(Debug)]
struct Groups<'a, 'm> {
    texts: &'a SourceMap,
    given: &'a Conditions,
    known: &'m mut ShortForms<'a>,
    /// The conditions that have become shorter.
    shorter: &'m mut FxHashMap<ConditionId, Vec<Conjunct>>,
    verdicts: &'m mut Verdicts,
    all: Vec<Group>,
    by_conditions: FxHashMap<Given, usize>,
    /// Whether lints for the head of a clause were left out, because a condition of its own follows the head.
    has_heads: bool,
}

/// Simplifies every condition of a module, which is written in these texts. Returns the module, and which of its
/// conditions hold for no record.
pub fn simplify(
    module: ir::Module,
    texts: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> (ir::Module, Verdicts) {
    let ir::Module { constants, definitions, catalogue, conditions: mut given, mut sessions } = module;
    let (mut shorter, mut known) = (FxHashMap::default(), ShortForms::default());
    let mut verdicts = Verdicts::default();
    for session in &sessions {
        if session.waits_for.is_none() {
            diagnostics.of_session(Some(session.span));
        }
        let groups = Groups {
            texts,
            given: &given,
            known: &mut known,
            shorter: &mut shorter,
            verdicts: &mut verdicts,
            all: Vec::new(),
            by_conditions: FxHashMap::default(),
            has_heads: false,
        };
        groups.session(session, diagnostics);
    }
    diagnostics.of_session(None);
    let demanded = Demanded::of(&sessions, &given, &shorter, &mut known, texts);
    demanded.replace(&mut sessions, &mut given, &mut verdicts);
    for (id, short) in shorter {
        given.replace(id, short);
    }
    let (conditions, ids) = in_use(given, &mut sessions);
    (ir::Module { constants, definitions, catalogue, conditions, sessions }, verdicts.renamed(&ids))
}

/// Returns the conditions that sessions use, in the order of their use, and their new ids, to which it changes the
/// sessions.
fn in_use(
    mut conditions: Conditions,
    sessions: &mut [ir::Session],
) -> (Conditions, Vec<Option<ConditionId>>) {
    let mut used = Conditions::default();
    let mut ids: Vec<Option<ConditionId>> = vec![None; conditions.count()];
    let mut keep = |id: &mut ConditionId| {
        let new = &mut ids[id.index()];
        *id = *new.get_or_insert_with(|| used.add(conditions.take(*id)));
    };
    for session in sessions {
        for event in &mut session.events {
            event.record.iter_mut().for_each(|recording| keep(&mut recording.filter));
            event.triggers.iter_mut().for_each(|trigger| keep(&mut trigger.condition));
        }
        for stop in &mut session.stops {
            if let Stop::On { events, .. } = &mut stop.value {
                events.iter_mut().for_each(|(_, condition)| keep(condition));
            }
        }
    }
    (used, ids)
}

impl Groups<'_, '_> {
    /// Simplifies the conditions of a session, and reports their lints.
    fn session(mut self, session: &ir::Session, diagnostics: &mut Diagnostics) {
        for event in &session.events {
            let recording = event.record.iter().map(|recording| recording.filter);
            let conditions = recording.chain(event.triggers.iter().map(|trigger| trigger.condition));
            if conditions.clone().any(|id| id != ConditionId::ALWAYS) {
                self.one_event(conditions.collect());
            }
        }
        for stop in &session.stops {
            let Stop::On { events, .. } = &stop.value else { continue };
            events.iter().for_each(|(_, condition)| self.one_event(vec![*condition]));
        }
        if self.has_heads {
            self.heads();
        }
        if self.all.iter().flat_map(|group| &group.simplified).all(|clause| clause.found.is_empty()) {
            return;
        }
        let mut clauses = Clauses::default();
        for Group { events, simplified } in self.all {
            for SimplifiedClause { spans, found } in simplified {
                clauses.add(spans, found, events);
            }
        }
        clauses.report(diagnostics);
    }

    /// Simplifies the conditions of one more event.
    fn one_event(&mut self, given: Given) {
        let index = match self.by_conditions.get(&given) {
            Some(index) => *index,
            None => {
                let group = self.group(&given);
                self.all.push(group);
                self.by_conditions.insert(given, self.all.len() - 1);
                self.all.len() - 1
            }
        };
        self.all[index].events += 1;
    }

    fn group(&mut self, given: &Given) -> Group {
        let shared = shared(given, self.given);
        let mut simplified = Vec::with_capacity(given.len());
        for id in given {
            let conjuncts = &self.given[*id];
            if conjuncts.is_empty() {
                continue;
            }
            let spans: Vec<Span> = conjuncts.iter().map(|conjunct| conjunct.span).collect();
            let (short, unchanged) = short_form(conjuncts.iter(), self.known);
            if unchanged {
                simplified.push(SimplifiedClause { spans, found: Vec::new() });
                continue;
            }
            let (short, mut found) = conjunction(conjuncts, &short, self.texts);
            self.verdicts.set(*id, found.iter().filter_map(|lint| lint.never).collect());
            let constant = short.iter().any(|conjunct| matches!(conjunct.value, Condition::Const(_)));
            // A contradiction with a trigger's own condition is not a lint for the head: `heads` finds those that are.
            if !constant && !spans.iter().all(|span| shared.contains(span)) {
                let before = found.len();
                found.retain(|lint| !lint.about.is_some_and(|index| shared.contains(&spans[index])));
                self.has_heads |= found.len() < before;
            }
            self.shorter.insert(*id, short);
            simplified.push(SimplifiedClause { spans, found });
        }
        Group { events: 0, simplified }
    }

    /// Adds the lints for the heads of clauses by themselves, where a condition of its own follows each of them.
    fn heads(&mut self) {
        let mut groups: Vec<(&Given, usize)> =
            self.by_conditions.iter().map(|(given, index)| (given, *index)).collect();
        groups.sort_unstable_by_key(|(_, index)| *index);
        for (given, index) in groups {
            let shared = shared(given, self.given);
            let simplified = &mut self.all[index].simplified;
            for id in given {
                let is_shared = |conjunct: &&Conjunct| shared.contains(&conjunct.span);
                let head: Vec<&Conjunct> = self.given[*id].iter().filter(is_shared).collect();
                let spans: Vec<Span> = head.iter().map(|conjunct| conjunct.span).collect();
                if head.is_empty() || simplified.iter().any(|clause| clause.spans == spans) {
                    continue;
                }
                let (short, _) = short_form(head.iter().copied(), self.known);
                let head: Vec<Conjunct> = head.into_iter().cloned().collect();
                let (_, found) = conjunction(&head, &short, self.texts);
                simplified.push(SimplifiedClause { spans, found });
            }
        }
    }
}

/// Returns the spans of the conjuncts that belong to several conditions of an event: the head of its clause.
fn shared(given: &Given, conditions: &Conditions) -> FxHashSet<Span> {
    let mut seen = FxHashSet::default();
    // The conjuncts of one condition have different spans.
    if given.len() == 1 {
        return seen;
    }
    let all = given.iter().flat_map(|id| &conditions[*id]);
    all.map(|conjunct| conjunct.span).filter(|span| !seen.insert(*span)).collect()
}

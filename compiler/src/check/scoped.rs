//! `scope comm` and `scope cpus` as conditions: each recording and each trigger has them besides its own.

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, Condition, Number, Text, TextTest};
use tracec_kernel::condition::ranges::Ranges;

use crate::ir::{AtomSpan, ConditionId, Conditions, Conjunct, ScopeSubject, Session};

/// Adds the conditions of a session's scope to those of its recordings and triggers. What ends the session has its own.
pub(super) fn gate(session: &mut Session, conditions: &mut Conditions) {
    let scope: Vec<Conjunct> = names(session).into_iter().chain(cpus(session)).collect();
    if scope.is_empty() {
        return;
    }
    let mut gated: FxHashMap<ConditionId, ConditionId> = FxHashMap::default();
    for event in &mut session.events {
        let triggers = event.triggers.iter_mut().map(|trigger| &mut trigger.condition);
        for id in event.record.iter_mut().map(|record| &mut record.filter).chain(triggers) {
            *id = *gated.entry(*id).or_insert_with(|| with(*id, &scope, conditions));
        }
    }
}

/// Adds conjuncts to a condition. Behind the others they change none of the ranges that demand the kernel.
fn with(id: ConditionId, scope: &[Conjunct], conditions: &mut Conditions) -> ConditionId {
    let all = [&conditions[id], scope].concat();
    if id == ConditionId::ALWAYS {
        return conditions.add(all);
    }
    conditions.replace(id, all);
    id
}

/// Returns the condition on the name of the task.
fn names(session: &Session) -> Option<Conjunct> {
    let test = |name: &str| {
        // The check of the clause has refused what is not a pattern.
        let glob = Glob::parse(name).ok().filter(|_| is_pattern(name));
        let test = glob.map_or_else(|| TextTest::Eq(name.to_owned()), TextTest::Glob);
        Condition::Atom(Atom::Text { of: Text::Comm, test })
    };
    let names = session.scope.iter().filter_map(|subject| match &subject.value {
        ScopeSubject::Comm(name) => Some((test(name), subject.span)),
        _ => None,
    });
    any(names.collect())
}

/// Returns the condition on the CPU.
fn cpus(session: &Session) -> Option<Conjunct> {
    let ranges = session.scope.iter().filter_map(|subject| match subject.value {
        ScopeSubject::Cpus { first, last } => Some(((i128::from(first), i128::from(last)), subject.span)),
        _ => None,
    });
    let (ranges, spans): (Vec<_>, Vec<Span>) = ranges.unzip();
    let span = spans.into_iter().reduce(Span::to)?;
    let value = Condition::Atom(Atom::In { of: Number::Cpu, ranges: Ranges::new(ranges) });
    Some(Conjunct { value, span, atoms: vec![AtomSpan { span, written: None }] })
}

/// Returns the condition that one of these holds.
fn any(parts: Vec<(Condition, Span)>) -> Option<Conjunct> {
    let span = parts.iter().map(|(_, span)| *span).reduce(Span::to)?;
    let atoms = parts.iter().map(|(_, span)| AtomSpan { span: *span, written: None }).collect();
    let mut parts: Vec<Condition> = parts.into_iter().map(|(part, _)| part).collect();
    let value = if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) };
    Some(Conjunct { value, span, atoms })
}

/// Returns whether a name has a character that a pattern gives a meaning.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '\\'])
}

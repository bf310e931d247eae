//! `trace` and `on` clauses to one entry per event: who records it under which filter, and what it triggers.

use std::collections::HashMap;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{ClauseKind, ExprId, ExprKind, Exprs, Item, ItemKind, Name, StopRule};
use tracec_kernel::format::EventFormat;
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::triggers;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir;
use crate::resolve::{FormatId, Precision, Resolved, ResolvedClause};

use super::condition::machine::Machine;
use super::condition::{Conditions, Group, Typed};

/// The triggers that sessions can use. The kernel has more: a `snapshot` would need a reader of the snapshot buffer.
pub const TRIGGERS: [&str; 5] = ["stacktrace", "traceon", "traceoff", "enable_event", "disable_event"];

/// What is known of one event while the clauses are gone through.
struct Entry {
    id: FormatId,
    /// Every clause that records it, in the order of the text.
    recordings: Vec<(Precision, ir::Recording)>,
    triggers: Vec<ir::Trigger>,
}

/// Checks every `trace` and `on` clause.
pub(super) fn check(
    resolved: &Resolved<'_>,
    machine: &Machine<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<ir::Event> {
    if resolved.clauses.is_empty() && diagnostics.is_empty() {
        diagnostics.push(codes::empty_session::empty_session(resolved.expanded.session.span));
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut index_of: HashMap<FormatId, usize> = HashMap::new();
    for clause in &resolved.clauses {
        if diagnostics.is_full() {
            return Vec::new();
        }
        let names = resolved.names(clause);
        shape(clause, names.exprs(), diagnostics);
        let mut conditions = Conditions::new(Group {
            events: &clause.events,
            formats: &resolved.formats,
            set: clause.content.events.span,
            lacking: &clause.lacking,
            names,
            machine,
        });
        for &(id, precision) in &clause.events {
            if diagnostics.is_full() {
                return Vec::new();
            }
            diagnostics.about(Some(&resolved.formats[id]));
            let conditions = &mut conditions;
            let mut member = Member { resolved, clause, conditions, machine, id, diagnostics };
            let recording = member.recording();
            let triggers = member.triggers();
            let index = *index_of.entry(id).or_insert_with(|| {
                entries.push(Entry { id, recordings: Vec::new(), triggers: Vec::new() });
                entries.len() - 1
            });
            let entry = &mut entries[index];
            entry.recordings.extend(recording.map(|recording| (precision, recording)));
            for trigger in triggers {
                arm(entry, trigger, &resolved.formats[id], diagnostics);
            }
        }
        diagnostics.about(None);
    }
    entries.into_iter().map(|entry| finish(entry, resolved, diagnostics)).collect()
}

/// What can be said of a clause without its events.
fn shape(clause: &ResolvedClause<'_>, exprs: &Exprs, diagnostics: &mut Diagnostics) {
    if clause.records {
        return;
    }
    // What could not be read may have been the trigger: that is the mistake, and it has been told.
    let broken = diagnostics.has_error_in(clause.clause.span)
        || clause.content.condition.is_some_and(|id| exprs[id].kind == ExprKind::Error);
    let mut triggers = false;
    for item in &clause.content.items {
        match &item.kind {
            ItemKind::Filter { .. } => {
                diagnostics.push(codes::filter_in_on::filter_in_on(item.span, clause.content.events.span));
            }
            ItemKind::Trigger { .. } => triggers = true,
            ItemKind::Lint(_) => {}
        }
    }
    if !triggers && !broken {
        diagnostics.push(codes::no_trigger::no_trigger(clause.content.events.span));
    }
}

/// One event of one clause.
struct Member<'a, 'c> {
    resolved: &'a Resolved<'a>,
    clause: &'a ResolvedClause<'a>,
    conditions: &'a mut Conditions<'c>,
    machine: &'a Machine<'a>,
    id: FormatId,
    diagnostics: &'a mut Diagnostics,
}

impl Member<'_, '_> {
    /// How the clause records the event: the head's condition and every `filter`.
    fn recording(&mut self) -> Option<ir::Recording> {
        if !self.clause.records {
            return None;
        }
        let filters = self.clause.content.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Filter { condition, in_kernel } => Some((*condition, *in_kernel)),
            ItemKind::Trigger { .. } | ItemKind::Lint(_) => None,
        });
        let head = self.clause.content.condition.map(|condition| (condition, None));
        let (parts, in_kernel): (Vec<ExprId>, Vec<Option<Span>>) = head.into_iter().chain(filters).unzip();
        let Typed { conjuncts: filter, parts } = self.typed(&parts)?;
        let demand = |(words, conjuncts): (Option<Span>, _)| Some(ir::Demand { words: words?, conjuncts });
        let demands = in_kernel.into_iter().zip(parts).filter_map(demand).collect();
        Some(ir::Recording { filter, demands, clause: self.clause.clause.span })
    }

    /// What the clause triggers at the event.
    fn triggers(&mut self) -> Vec<ir::Trigger> {
        let items = &self.clause.content.items;
        items.iter().enumerate().filter_map(|(index, item)| self.trigger(index, item)).collect()
    }

    fn trigger(&mut self, index: usize, item: &Item) -> Option<ir::Trigger> {
        let ItemKind::Trigger { action, target, count, condition } = &item.kind else { return None };
        let kind = self.trigger_kind(action);
        let found = self.clause.targets.iter().find(|(item, _)| *item == index);
        let found = found.map(|&(_, id)| self.resolved.formats[id].clone());
        // Where a target is written and not found, that has been reported.
        let named = match (kind.map(|kind| kind.takes_event()), target) {
            (Some(true), None) => {
                self.diagnostics.push(codes::trigger_target::trigger_target(
                    action.span,
                    &action.value,
                    true,
                ));
                false
            }
            (Some(false), Some(target)) => {
                self.diagnostics.push(codes::trigger_target::trigger_target(
                    target.span,
                    &action.value,
                    false,
                ));
                false
            }
            (_, target) => target.is_none() || found.is_some(),
        };
        let parts: Vec<ExprId> = self.clause.content.condition.iter().chain(condition).copied().collect();
        let condition = self.typed(&parts)?.conjuncts;
        if let Some(count) = count.as_ref().filter(|count| count.value == 0) {
            self.diagnostics.push(codes::count_zero::count_zero(count.span));
        }
        let count = count.as_ref().map(|count| count.value);
        named.then_some(ir::Trigger { kind: kind?, target: found, count, condition, span: item.span })
    }

    /// The trigger called so, if sessions can use it and the kernel lists it for this event.
    fn trigger_kind(&mut self, action: &Name) -> Option<&'static triggers::Trigger> {
        let offered = self.offered_triggers();
        let is_offered = |name: &&str| {
            offered.as_ref().is_none_or(|offered| offered.iter().any(|offered| offered == name))
        };
        let known: Vec<&str> = TRIGGERS.into_iter().filter(is_offered).collect();
        let found = triggers::find(&action.value).filter(|kind| known.contains(&kind.name));
        if found.is_none() && self.is_of_the_kernel_alone(&action.value, offered.as_deref()) {
            self.diagnostics.push(codes::unknown_trigger::not_yet(
                action.span,
                &action.value,
                &self.machine.kernel.describe(),
                &known,
            ));
        } else if found.is_none() {
            let near = nearest(&action.value, known.iter().copied(), 1).into_iter().map(str::to_owned);
            self.diagnostics.push(codes::unknown_trigger::unknown_trigger(
                action.span,
                &action.value,
                &self.machine.kernel.describe(),
                &near.collect::<Vec<_>>(),
                &known,
            ));
        }
        found
    }

    /// Whether the kernel has the trigger and sessions cannot use it. Where neither the event's list nor a feature
    /// tells, one of the table is one that kernels have.
    fn is_of_the_kernel_alone(&self, name: &str, offered: Option<&[String]>) -> bool {
        if TRIGGERS.contains(&name) {
            return false;
        }
        match offered {
            Some(offered) => offered.iter().any(|offered| offered == name),
            None => triggers::find(name).is_some_and(|kind| match kind.feature {
                Some(feature) => self.machine.kernel.feature(feature) != Support::No,
                None => true,
            }),
        }
    }

    /// The triggers that the kernel lists in the event's `trigger` file; `None` where it does not tell: the list
    /// stands there only while no trigger is armed.
    fn offered_triggers(&self) -> Option<Vec<String>> {
        let format = &self.resolved.formats[self.id];
        let path = format!("events/{}/{}/trigger", format.system, format.name);
        let text = self.machine.kernel.read(&path).ok().flatten()?;
        let list = text.strip_prefix("# Available triggers:")?;
        Some(list.split_whitespace().filter(|word| *word != "#").map(str::to_owned).collect())
    }

    /// Conditions that must all hold. `None` if one has a mistake.
    fn typed(&mut self, parts: &[ExprId]) -> Option<Typed> {
        self.conditions.check(parts, &self.resolved.formats[self.id], self.diagnostics)
    }
}

/// Checks every `stop when` clause.
pub(super) fn stops(
    resolved: &Resolved<'_>,
    machine: &Machine<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Spanned<ir::Stop>> {
    let whens = resolved.expanded.clauses.iter().filter_map(|visible| match &visible.clause.kind {
        ClauseKind::Stop(StopRule::When { events, condition, count }) => {
            Some((visible, events, condition, count))
        }
        _ => None,
    });
    let mut stops = Vec::new();
    for ((visible, set, condition, count), found) in whens.zip(&resolved.stops) {
        if let Some(count) = count.as_ref().filter(|count| count.value == 0) {
            diagnostics.push(codes::count_zero::of_stop(count.span));
        }
        let names = resolved.expanded.names_of(visible);
        let parts: Vec<ExprId> = condition.iter().copied().collect();
        let formats = &resolved.formats;
        let group = Group { events: found, formats, set: set.span, lacking: &[], names, machine };
        let mut conditions = Conditions::new(group);
        let mut events = Vec::new();
        for &(id, _) in found {
            let event = &formats[id];
            diagnostics.about(Some(event));
            if let Some(typed) = conditions.check(&parts, event, diagnostics) {
                events.push((event.clone(), typed.conjuncts));
            }
        }
        diagnostics.about(None);
        let count = count.as_ref().map_or(1, |count| count.value);
        stops.push(Spanned::new(ir::Stop::When { events, count }, visible.clause.span));
    }
    stops
}

/// Adds a trigger, unless its slot is taken: the kernel has one per kind and event.
fn arm(entry: &mut Entry, trigger: ir::Trigger, format: &EventFormat, said: &mut Diagnostics) {
    let taken = |first: &&ir::Trigger| {
        let target = |trigger: &ir::Trigger| trigger.target.as_ref().map(|format| format.qualified_name());
        first.kind.slot == trigger.kind.slot && target(first) == target(&trigger)
    };
    if let Some(first) = entry.triggers.iter().find(taken) {
        said.push(codes::trigger_slot_taken::trigger_slot_taken(
            trigger.span,
            first.span,
            &format.qualified_name(),
            first.kind.name,
        ));
    } else {
        entry.triggers.push(trigger);
    }
}

fn finish(entry: Entry, resolved: &Resolved<'_>, diagnostics: &mut Diagnostics) -> ir::Event {
    let format = resolved.formats[entry.id].clone();
    let record = winner(entry.recordings, &format, diagnostics);
    ir::Event { format, record, triggers: entry.triggers }
}

/// The recording that counts: an exact name beats a pattern, whatever the order of the clauses; equals must agree.
fn winner(
    recordings: Vec<(Precision, ir::Recording)>,
    format: &EventFormat,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Recording> {
    let best = recordings.iter().map(|(precision, _)| *precision).max()?;
    let mut equals = recordings.into_iter().filter(|(precision, _)| *precision == best).map(|(_, r)| r);
    let mut first = equals.next()?;
    let place = |r: &ir::Recording| ir::extent(&r.filter).unwrap_or(r.clause);
    let agree = |a: &ir::Recording, b: &ir::Recording| {
        a.filter.iter().map(|part| &part.value).eq(b.filter.iter().map(|part| &part.value))
    };
    for other in equals {
        if agree(&other, &first) {
            // The same conditions in the same order, so that what one clause demands can be said of the other's.
            first.demands.extend(other.demands);
        } else {
            let event = format.qualified_name();
            let said = codes::conflicting_filters::conflicting_filters(place(&other), place(&first), &event);
            diagnostics.push(said);
        }
    }
    Some(first)
}

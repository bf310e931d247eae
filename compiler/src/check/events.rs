//! Checks of `trace` and `on` clauses: one entry per event, with the recording clause, its filter, and the triggers.

use rustc_hash::FxHashMap;
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{ClauseKind, Dump, ExprId, ExprKind, Item, ItemKind, Name, StopRule};
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::triggers;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::definition::ConstantTable;
use crate::ir::{self, Catalogue, EventId};
use crate::resolve::{Precision, Resolved, WrittenClause};

use super::condition::machine::Machine;
use super::condition::{ClauseConditions, ClauseEvents, Typed};
use super::shown::{self, ShownClauses};

/// The state of one event while the clauses are checked.
struct Entry<'a> {
    id: EventId,
    /// The first clause that records it, and the others in the order of the text: most events have one.
    recording: Option<(Precision, ir::Recording)>,
    others: Vec<(Precision, ir::Recording)>,
    triggers: Vec<ir::Trigger>,
    shown: ShownClauses<'a>,
}

/// The data that all clauses of a session are checked with.
pub(super) struct Events<'a> {
    pub(super) resolved: &'a Resolved<'a>,
    pub(super) catalogue: &'a Catalogue,
    pub(super) machine: &'a Machine<'a>,
    pub(super) constants: &'a ConstantTable,
    /// The conditions of the module, to which those of the session are added.
    pub(super) conditions: &'a mut ir::Conditions,
    /// Those that need not be typed again.
    pub(super) known: Option<&'a mut ir::KnownConditions>,
    pub(super) diagnostics: &'a mut Diagnostics,
    /// Whether every clause is included; a clause with a mistake is left out.
    pub(super) complete: bool,
}

impl<'a> Events<'a> {
    /// Checks every `trace` and `on` clause.
    pub(super) fn check(&mut self) -> Vec<ir::Event> {
        let resolved = self.resolved;
        if resolved.clauses.is_empty()
            && resolved.complete
            && !resolved.expanded.open
            && self.diagnostics.is_whole()
        {
            self.mistake(codes::empty_session::empty_session(resolved.expanded.head));
        }
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut index_of: FxHashMap<EventId, usize> = FxHashMap::default();
        for clause in resolved.event_clauses() {
            self.shape(clause);
            let mut conditions = ClauseConditions::new(ClauseEvents {
                clause: clause.span,
                events: &clause.resolved.events,
                catalogue: self.catalogue,
                set: clause.content.events.span,
                having: Some(&clause.content.having),
                lacking: &clause.resolved.lacking,
                names: clause.names,
                machine: self.machine,
            });
            let filters = Filters::of(clause);
            for &(id, precision) in clause.resolved.events.iter() {
                self.diagnostics.about(Some(id));
                let mut member = Member { of: self, clause, typing: &mut conditions, id };
                let recording = member.recording(&filters);
                let triggers = member.triggers();
                let shown = member.shown();
                let index = *index_of.entry(id).or_insert_with(|| {
                    let (recording, others, triggers) = (None, Vec::new(), Vec::new());
                    entries.push(Entry { id, recording, others, triggers, shown: ShownClauses::default() });
                    entries.len() - 1
                });
                let entry = &mut entries[index];
                if let Some(shown) = shown {
                    self.complete &= entry.shown.add(precision, shown, self.diagnostics);
                }
                match (recording, &entry.recording) {
                    (Some(recording), None) => entry.recording = Some((precision, recording)),
                    (Some(recording), Some(_)) => entry.others.push((precision, recording)),
                    (None, _) => {}
                }
                for trigger in triggers {
                    self.arm(entry, trigger);
                }
            }
            self.diagnostics.about(None);
        }
        entries.into_iter().map(|entry| self.finish(entry)).collect()
    }

    /// Reports an error.
    fn mistake(&mut self, said: Diagnostic) {
        self.diagnostics.push(said);
        self.complete = false;
    }

    /// Checks the properties of a clause that do not depend on its events.
    fn shape(&mut self, clause: WrittenClause<'_, '_>) {
        if clause.records {
            return;
        }
        // The part that could not be parsed may have been the trigger; that mistake has been reported.
        let names = clause.names;
        let broken = names.has_unread(clause.span)
            || clause.content.condition.is_some_and(|id| names.exprs()[id].kind == ExprKind::Error);
        let mut triggers = false;
        for item in &clause.content.items {
            match &item.kind {
                ItemKind::Filter { .. } => {
                    self.mistake(codes::filter_in_on::filter_in_on(item.span, clause.content.events.span));
                }
                ItemKind::Trigger { .. } => triggers = true,
                ItemKind::Print(_) | ItemKind::Drop(_) | ItemKind::Redact(_) => {
                    let word = shown::word(&item.kind);
                    let said = codes::filter_in_on::shown_in_on(item.span, clause.content.events.span, word);
                    self.mistake(said);
                }
                ItemKind::Lint(_) => {}
            }
        }
        if !triggers && !broken {
            self.mistake(codes::no_trigger::no_trigger(clause.content.events.span));
        }
    }
}

/// The conditions that a clause records its events under.
struct Filters {
    /// The head's condition and that of every `filter`.
    parts: Vec<ExprId>,
    /// The span of `in kernel` of each.
    in_kernel: Vec<Option<Span>>,
}

impl Filters {
    fn of(clause: WrittenClause<'_, '_>) -> Self {
        let filters = clause.content.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Filter { condition, in_kernel } => Some((*condition, *in_kernel)),
            _ => None,
        });
        let head = clause.content.condition.map(|condition| (condition, None));
        let (parts, in_kernel) = head.into_iter().chain(filters).unzip();
        Filters { parts, in_kernel }
    }
}

/// One event of one clause.
struct Member<'m, 'a, 'c> {
    of: &'m mut Events<'a>,
    clause: WrittenClause<'a, 'a>,
    typing: &'m mut ClauseConditions<'c>,
    id: EventId,
}

impl<'a> Member<'_, 'a, '_> {
    /// Returns how the clause records the event.
    fn recording(&mut self, filters: &Filters) -> Option<ir::Recording> {
        if !self.clause.records {
            return None;
        }
        let Filters { parts, in_kernel } = filters;
        let Typed { condition: filter, parts } = self.typed(parts)?;
        let demand = |(words, conjuncts): (Option<Span>, _)| ir::Demand::of(words?, conjuncts);
        let demands = in_kernel.iter().copied().zip(parts.iter().cloned()).filter_map(demand).collect();
        Some(ir::Recording { filter, demands, shown: ir::Shown::default(), clause: self.clause.span })
    }

    /// Returns what the clause says of how the event's records are shown; `None` if nothing.
    fn shown(&mut self) -> Option<ShownClauses<'a>> {
        if !self.clause.records || self.clause.content.items.is_empty() {
            return None;
        }
        let format = &self.of.catalogue[self.id];
        let (shown, complete) = ShownClauses::of(self.clause, format, self.of.diagnostics);
        self.of.complete &= complete;
        Some(shown)
    }

    /// Returns the clause's triggers at the event.
    fn triggers(&mut self) -> Vec<ir::Trigger> {
        let items = &self.clause.content.items;
        items.iter().enumerate().filter_map(|(index, item)| self.trigger(index, item)).collect()
    }

    fn trigger(&mut self, index: usize, item: &Item) -> Option<ir::Trigger> {
        let ItemKind::Trigger { action, event: target, count, condition } = &item.kind else { return None };
        let kind = self.trigger_kind(action);
        let found = self.clause.resolved.targets.iter().find(|(item, _)| *item == index);
        let found = found.map(|&(_, id)| id);
        // A target that was not found has been reported.
        let named = match (kind.as_ref().map(|kind| kind.value.takes_event()), target) {
            (Some(true), None) => {
                self.of.mistake(codes::trigger_target::trigger_target(action.span, &action.value, true));
                false
            }
            (Some(false), Some(target)) => {
                self.of.mistake(codes::trigger_target::trigger_target(target.span, &action.value, false));
                false
            }
            (_, target) => target.is_none() || found.is_some(),
        };
        let parts: Vec<ExprId> = self.clause.content.condition.iter().chain(condition).copied().collect();
        let condition = self.typed(&parts)?.condition;
        if let Some(count) = count.as_ref().filter(|count| count.value == 0) {
            let before = target.as_ref().map_or(action.span, |target| target.span);
            self.of.mistake(codes::count_zero::count_zero(count.span, before));
        }
        let count = count.as_ref().map(|count| count.value);
        named.then_some(ir::Trigger { kind: kind?, event: found, count, condition, span: item.span })
    }

    /// Returns the trigger of this name, if the kernel has it for this event. A target may not support it.
    fn trigger_kind(&mut self, action: &Name) -> Option<Spanned<&'static triggers::Trigger>> {
        let offered = self.offered_triggers();
        let known: Vec<&'static triggers::Trigger> =
            triggers::ALL.iter().filter(|kind| self.has_trigger(kind, offered.as_deref())).collect();
        let found = known.iter().find(|kind| kind.name == action.value);
        if let Some(kind) = found {
            return Some(Spanned::new(*kind, action.span));
        }
        let names: Vec<&str> = known.iter().map(|kind| kind.name).collect();
        let kernel = self.of.machine.kernel.describe();
        let is_listed = offered.is_some_and(|offered| offered.contains(&action.value));
        self.of.mistake(if is_listed {
            codes::unknown_trigger::without_form(action.span, &action.value, &kernel)
        } else {
            let near = nearest(&action.value, names.iter().copied(), 1);
            codes::unknown_trigger::unknown_trigger(action.span, &action.value, &kernel, &near, &names)
        });
        None
    }

    /// Returns whether the kernel has a trigger for this event. Where neither the event's list nor a feature decides,
    /// it is assumed to have it.
    fn has_trigger(&self, kind: &triggers::Trigger, offered: Option<&[String]>) -> bool {
        match (offered, kind.feature) {
            (Some(offered), _) => offered.iter().any(|offered| offered == kind.name),
            (None, Some(feature)) => self.of.machine.kernel.feature(feature) != Support::No,
            (None, None) => true,
        }
    }

    /// Returns the triggers that the kernel lists in the event's `trigger` file; `None` where it does not: the list is
    /// there only while no trigger is armed.
    fn offered_triggers(&self) -> Option<Vec<String>> {
        let format = &self.of.catalogue[self.id];
        let path = format!("events/{}/{}/trigger", format.system, format.name);
        let text = self.of.machine.kernel.read(&path).ok().flatten()?;
        Some(triggers::listed(&text)?.map(str::to_owned).collect())
    }

    /// Types conditions that must all hold. `None` if a mistake was reported.
    fn typed(&mut self, parts: &[ExprId]) -> Option<Typed> {
        let Events { catalogue, conditions, known, diagnostics, .. } = &mut *self.of;
        let known = known.as_deref_mut();
        let typed = self.typing.check(parts, &catalogue[self.id], conditions, known, diagnostics);
        self.of.complete &= typed.is_some();
        typed
    }
}

impl Events<'_> {
    /// Checks the events of `stop on EVENT` and `dump on EVENT`, and adds them to a session whose other clauses are checked.
    pub(super) fn awaited(&mut self, session: &mut ir::Session) {
        let resolved = self.resolved;
        let clauses = resolved.expanded.clauses.iter().filter_map(|visible| match &visible.clause.kind {
            ClauseKind::Stop(StopRule::On { events, condition, count })
            | ClauseKind::Dump(Dump { events, condition, count, .. }) => {
                Some((visible, events, condition, count))
            }
            _ => None,
        });
        for ((visible, set, condition, count), found) in clauses.zip(&resolved.stops) {
            if let Some(count) = count.as_ref().filter(|count| count.value == 0) {
                let names = resolved.expanded.names_of(visible);
                let before = condition.map_or(set.span, |condition| names.exprs()[condition].span);
                self.mistake(match &visible.clause.kind {
                    ClauseKind::Dump(_) => codes::count_zero::of_dumped_event(count.span, before),
                    _ => codes::count_zero::of_stop(count.span, before),
                });
            }
            let parts: Vec<ExprId> = condition.iter().copied().collect();
            let mut typing = ClauseConditions::new(ClauseEvents {
                clause: visible.clause.span,
                events: found,
                catalogue: self.catalogue,
                set: set.span,
                having: None,
                lacking: &[],
                names: resolved.expanded.names_of(visible),
                machine: self.machine,
            });
            let mut events = Vec::new();
            for &(id, _) in found.iter() {
                self.diagnostics.about(Some(id));
                let typed =
                    typing.check(&parts, &self.catalogue[id], self.conditions, None, self.diagnostics);
                self.complete &= typed.is_some();
                events.extend(typed.map(|typed| (id, typed.condition)));
            }
            self.diagnostics.about(None);
            let (count, span) = (count.as_ref().map_or(1, |count| count.value), visible.clause.span);
            match &visible.clause.kind {
                ClauseKind::Dump(_) => {
                    let dump = session.dumps.iter_mut().find(|dump| dump.span == span);
                    dump.into_iter().for_each(|dump| dump.value.events.clone_from(&events));
                }
                _ => session.stops.push(Spanned::new(ir::Stop::On { events, count }, span)),
            }
        }
    }

    /// Adds a trigger, unless its slot is taken: the kernel has one per kind and event.
    fn arm(&mut self, entry: &mut Entry, trigger: ir::Trigger) {
        let taken = |first: &&ir::Trigger| {
            (first.kind.value.slot, first.event) == (trigger.kind.value.slot, trigger.event)
        };
        if let Some(first) = entry.triggers.iter().find(taken) {
            let event = self.catalogue[entry.id].qualified_name();
            let said = codes::trigger_slot_taken::trigger_slot_taken;
            self.mistake(said(trigger.span, first.span, &event, first.kind.value.name));
        } else {
            entry.triggers.push(trigger);
        }
    }

    fn finish(&mut self, entry: Entry<'_>) -> ir::Event {
        self.diagnostics.about(Some(entry.id));
        if !entry.triggers.is_empty() {
            self.order(&entry.triggers);
        }
        let (format, kernel) = (&self.catalogue[entry.id], self.machine.kernel);
        let shown = entry.shown.typed(format, self.constants, kernel, self.diagnostics);
        self.complete &= shown.is_some();
        self.diagnostics.about(None);
        let mut record = self.winner(entry.recording, entry.others, entry.id);
        if let Some((record, shown)) = record.as_mut().zip(shown) {
            record.shown = shown;
        }
        ir::Event { id: entry.id, record, triggers: entry.triggers }
    }

    /// Reports a stack that the kernel asks for after it has stopped recording: it calls the triggers of an event from
    /// the last to the first (see [`triggers`]).
    fn order(&mut self, armed: &[ir::Trigger]) {
        let position = |name: &str| armed.iter().position(|trigger| trigger.kind.value.name == name);
        let (Some(stack), Some(off)) = (position("stacktrace"), position("traceoff")) else { return };
        if stack < off {
            let (stack, off) = (&armed[stack], &armed[off]);
            let exchanged = self.exchanged(stack, off);
            let said = codes::stack_after_traceoff::stack_after_traceoff;
            self.diagnostics.push(said(stack.span, off.span, exchanged));
        }
    }

    /// Returns the texts of two triggers of one clause, the second first; `None` where one has a condition of its own.
    fn exchanged(&self, first: &ir::Trigger, second: &ir::Trigger) -> Option<[String; 2]> {
        let clauses = self.resolved.event_clauses();
        let items = clauses.map(|clause| &clause.content.items);
        let place = |items: &[Item], trigger: &ir::Trigger| {
            items.iter().position(|item| {
                item.span == trigger.span && matches!(item.kind, ItemKind::Trigger { condition: None, .. })
            })
        };
        let mut found = items.filter(|items| place(items, first).is_some() && place(items, second).is_some());
        found.next()?;
        let text = |trigger: &ir::Trigger| {
            let count = match trigger.count {
                None => String::new(),
                Some(1) => " once".to_owned(),
                Some(count) => format!(" count {count}"),
            };
            format!("trigger {}{count};", trigger.kind.value.name)
        };
        Some([text(second), text(first)])
    }

    /// Returns the effective recording: an exact name takes precedence over a pattern, regardless of the order of the
    /// clauses; recordings of equal precedence must agree.
    fn winner(
        &mut self,
        first: Option<(Precision, ir::Recording)>,
        others: Vec<(Precision, ir::Recording)>,
        id: EventId,
    ) -> Option<ir::Recording> {
        if others.is_empty() {
            return first.map(|(_, recording)| recording);
        }
        let recordings = || first.iter().chain(&others);
        let best = recordings().map(|(precision, _)| *precision).max()?;
        let all = first.into_iter().chain(others);
        let mut equals = all.filter(|(precision, _)| *precision == best).map(|(_, recording)| recording);
        let mut first = equals.next()?;
        for other in equals {
            let span = |r: &ir::Recording| ir::extent(&self.conditions[r.filter]).unwrap_or(r.clause);
            let asked = |r: &ir::Recording| self.conditions[r.filter].iter().map(|part| &part.value);
            if asked(&other).eq(asked(&first)) {
                // The order of the conditions is the same, so that a requirement of one clause applies to the other's.
                first.demand_also(other.demands);
            } else {
                let (at, before) = (span(&other), span(&first));
                let said = codes::conflicting_filters::conflicting_filters;
                let make = || said(at, before, &self.catalogue[id].qualified_name());
                self.diagnostics.push_new(&codes::conflicting_filters::CODE, at, make);
                self.complete = false;
            }
        }
        Some(first)
    }
}

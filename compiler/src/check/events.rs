//! `trace` and `on` clauses to one entry per event: who records it under which filter, and what it triggers.

use std::collections::HashSet;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{ExprId, Exprs, Item, ItemKind, Name};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::triggers;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir;
use crate::resolve::{FormatId, Precision, Resolved, ResolvedClause};
use crate::source::KernelSource;

use super::condition;

/// The triggers that sessions can use. The kernel has more: a `snapshot` would need a reader of the snapshot buffer.
const TRIGGERS: [&str; 3] = ["stacktrace", "traceon", "traceoff"];

/// What is known of one event while the clauses are gone through.
struct Entry {
    id: FormatId,
    record: Option<(Precision, ir::Recording)>,
    triggers: Vec<ir::Trigger>,
}

/// Checks every `trace` and `on` clause.
pub(super) fn check(
    resolved: &Resolved<'_>,
    exprs: &Exprs,
    kernel: &dyn KernelSource,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ir::Event> {
    if resolved.clauses.is_empty() && diagnostics.is_empty() {
        diagnostics.push(codes::empty_session::empty_session(resolved.session.span));
    }
    let mut entries: Vec<Entry> = Vec::new();
    for clause in &resolved.clauses {
        shape(clause, diagnostics);
        // A group repeats its condition for each member; the same mistake is reported once.
        let mut said = Vec::new();
        for &(id, precision) in &clause.events {
            let mut member = Member { resolved, clause, exprs, kernel, id, diagnostics: &mut said };
            let recording = member.recording();
            let triggers = member.triggers();
            let entry = entry(&mut entries, id);
            if let Some(recording) = recording {
                record(entry, precision, recording, &resolved.formats[id], &mut said);
            }
            for trigger in triggers {
                arm(entry, trigger, &resolved.formats[id], &mut said);
            }
        }
        let mut seen = HashSet::new();
        diagnostics.extend(said.into_iter().filter(|d| seen.insert((d.code.id, place(d)))));
    }
    entries.into_iter().map(|entry| finish(entry, resolved)).collect()
}

/// What can be said of a clause without its events.
fn shape(clause: &ResolvedClause<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if clause.records {
        return;
    }
    let mut triggers = false;
    for item in &clause.content.items {
        match &item.kind {
            ItemKind::Filter(_) => {
                diagnostics.push(codes::filter_in_on::filter_in_on(item.span, clause.content.events.span));
            }
            ItemKind::Trigger { .. } => triggers = true,
        }
    }
    if !triggers {
        diagnostics.push(codes::no_trigger::no_trigger(clause.content.events.span));
    }
}

fn entry(entries: &mut Vec<Entry>, id: FormatId) -> &mut Entry {
    let index = entries.iter().position(|entry| entry.id == id).unwrap_or_else(|| {
        entries.push(Entry { id, record: None, triggers: Vec::new() });
        entries.len() - 1
    });
    &mut entries[index]
}

/// One event of one clause.
struct Member<'a> {
    resolved: &'a Resolved<'a>,
    clause: &'a ResolvedClause<'a>,
    exprs: &'a Exprs,
    kernel: &'a dyn KernelSource,
    id: FormatId,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Member<'_> {
    /// How the clause records the event: the head's condition and every `filter`, joined.
    fn recording(&mut self) -> Option<ir::Recording> {
        if !self.clause.records {
            return None;
        }
        let filters = self.clause.content.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Filter(expr) => Some(*expr),
            ItemKind::Trigger { .. } => None,
        });
        let parts: Vec<ExprId> = self.clause.content.condition.into_iter().chain(filters).collect();
        let filter = self.conjunction(&parts)?;
        Some(ir::Recording { filter, clause: self.clause.clause.span })
    }

    /// What the clause triggers at the event.
    fn triggers(&mut self) -> Vec<ir::Trigger> {
        let items = &self.clause.content.items;
        items.iter().filter_map(|item| self.trigger(item)).collect()
    }

    fn trigger(&mut self, item: &Item) -> Option<ir::Trigger> {
        let ItemKind::Trigger { action, count, condition } = &item.kind else { return None };
        let kind = self.trigger_kind(action);
        let parts: Vec<ExprId> = self.clause.content.condition.iter().chain(condition).copied().collect();
        let condition = self.conjunction(&parts)?;
        if let Some(count) = count.as_ref().filter(|count| count.value == 0) {
            self.diagnostics.push(codes::count_zero::count_zero(count.span));
        }
        let count = count.as_ref().map(|count| count.value);
        Some(ir::Trigger { kind: kind?, count, condition, span: item.span })
    }

    /// The trigger called so, if tracec has it and the kernel lists it for this event.
    fn trigger_kind(&mut self, action: &Name) -> Option<&'static triggers::Trigger> {
        let offered = self.offered_triggers();
        let found =
            triggers::find(&action.value).filter(|kind| TRIGGERS.contains(&kind.name)).filter(|kind| {
                offered.as_ref().is_none_or(|offered| offered.iter().any(|name| name == kind.name))
            });
        if found.is_none() {
            let near = nearest(&action.value, TRIGGERS, 1).into_iter().map(str::to_owned);
            self.diagnostics.push(codes::unknown_trigger::unknown_trigger(
                action.span,
                &action.value,
                &near.collect::<Vec<_>>(),
                &TRIGGERS,
            ));
        }
        found
    }

    /// The triggers that the kernel lists in the event's `trigger` file; `None` where it does not tell: the list
    /// stands there only while no trigger is armed.
    fn offered_triggers(&self) -> Option<Vec<String>> {
        let format = &self.resolved.formats[self.id];
        let path = format!("events/{}/{}/trigger", format.system, format.name);
        let text = self.kernel.read(&path).ok().flatten()?;
        let list = text.strip_prefix("# Available triggers:")?;
        Some(list.split_whitespace().filter(|word| *word != "#").map(str::to_owned).collect())
    }

    /// All the conditions joined. `Some(None)` if there are none, `None` if one has a mistake.
    fn conjunction(&mut self, parts: &[ExprId]) -> Option<Option<Spanned<Condition>>> {
        let mut typed = Vec::new();
        let mut span: Option<Span> = None;
        let mut failed = false;
        for &part in parts {
            let subject = condition::Subject {
                event: &self.resolved.formats[self.id],
                group: &self.clause.events,
                formats: &self.resolved.formats,
                set: self.clause.content.events.span,
            };
            match condition::check(part, self.exprs, &subject, self.diagnostics) {
                Some(condition) => typed.push(condition),
                None => failed = true,
            }
            let place = self.exprs[part].span;
            span = Some(span.map_or(place, |span| span.to(place)));
        }
        if failed {
            return None;
        }
        let joined = if typed.len() > 1 { Some(Condition::And(typed)) } else { typed.pop() };
        Some(joined.zip(span).map(|(condition, span)| Spanned::new(condition, span)))
    }
}

/// Notes that a clause records an event. An exact name beats a pattern; equals must agree.
fn record(
    entry: &mut Entry,
    precision: Precision,
    recording: ir::Recording,
    format: &EventFormat,
    said: &mut Vec<Diagnostic>,
) {
    let Some((other, first)) = &entry.record else {
        entry.record = Some((precision, recording));
        return;
    };
    let same = first.filter.as_ref().map(|f| &f.value) == recording.filter.as_ref().map(|f| &f.value);
    match precision.cmp(other) {
        std::cmp::Ordering::Greater => entry.record = Some((precision, recording)),
        std::cmp::Ordering::Less => {}
        std::cmp::Ordering::Equal if same => {}
        std::cmp::Ordering::Equal => {
            let place = |r: &ir::Recording| r.filter.as_ref().map_or(r.clause, |filter| filter.span);
            said.push(codes::conflicting_filters::conflicting_filters(
                place(&recording),
                place(first),
                &format.qualified_name(),
            ));
        }
    }
}

/// Adds a trigger, unless its slot is taken: the kernel has one per kind and event.
fn arm(entry: &mut Entry, trigger: ir::Trigger, format: &EventFormat, said: &mut Vec<Diagnostic>) {
    if let Some(first) = entry.triggers.iter().find(|first| first.kind.slot == trigger.kind.slot) {
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

fn finish(entry: Entry, resolved: &Resolved<'_>) -> ir::Event {
    ir::Event {
        format: resolved.formats[entry.id].clone(),
        record: entry.record.map(|(_, recording)| recording),
        triggers: entry.triggers,
    }
}

fn place(diagnostic: &Diagnostic) -> Option<Span> {
    diagnostic.primary.as_ref().map(|label| label.span)
}

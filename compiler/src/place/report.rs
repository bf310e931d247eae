//! Diagnostics for conditions without a place.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{FilterTree, LowerError, Lowered, Spelling};
use tracec_kernel::condition::realisation::{Construct, constructs};
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::limits;

use super::{
    NotInKernel, NotOnHost, Place, PlacedCondition, PlacedConjunct, PlacedId, PlacedSession, trigger_command,
};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::Conjunct;
use crate::simplify::Lint;

/// Reports every condition of a session without a place, and a session that would do nothing. `never` are the
/// diagnostics that were already made for those of its conditions that never hold.
pub fn report(placed: PlacedSession<'_>, never: Vec<Diagnostic>, diagnostics: &mut Diagnostics) {
    let mut never = never;
    let mut has_place = true;
    // Where events share a condition the first is named and the others are counted: their diagnostics have the same
    // text and spans.
    let mut reported: FxHashMap<PlacedId, Vec<Lint>> = FxHashMap::default();
    let catalogue = &placed.module.catalogue;
    for (event, ids) in placed.events() {
        diagnostics.about(Some(event.id));
        let before = |trigger| trigger_command(trigger, catalogue, Some("")).len();
        let triggers = ids.triggers.iter().zip(event.triggers.iter().map(before));
        for (&id, before) in ids.record.iter().map(|id| (id, 0)).chain(triggers) {
            let lints = reported.entry(id).or_insert_with(|| {
                let found = condition(placed, &placed.placement[id], &catalogue[event.id], before);
                never.extend(found.iter().filter(|lint| lint.never).map(|lint| lint.said.clone()));
                found
            });
            has_place &= !placed.placement[id].is_refused();
            lints.iter().for_each(|lint| diagnostics.push_once_more(&lint.said));
        }
    }
    diagnostics.about(None);
    // A part that could not be read, or has no place, may have recorded something.
    let is_idle = placed.conditions().all(PlacedCondition::is_never);
    if !placed.session.complete || !has_place || !is_idle || names_more(placed) {
        return;
    }
    let span = placed.session.span;
    if placed.session.events.is_empty() {
        return diagnostics.push(codes::empty_session::empty_session(span));
    }
    let places: BTreeSet<Span> = placed.conditions().map(|condition| condition.span).collect();
    let of = |place: &Span| {
        let lies = |said: &&Diagnostic| said.primary.as_ref().is_some_and(|at| place.holds(at.span));
        never.iter().filter(lies).collect::<Vec<_>>()
    };
    let reasons: Vec<Vec<&Diagnostic>> = places.iter().map(of).collect();
    let name = &placed.session.name;
    let why = format!("none of the conditions of the session `{name}` can hold: it would do nothing");
    diagnostics.refuse(&reasons, &why, codes::empty_session::never(span));
}

/// Returns whether the session names an event of the text whose layout is not known: records of that event would be
/// kept.
fn names_more(placed: PlacedSession<'_>) -> bool {
    let catalogue = &placed.module.catalogue;
    let is_placed =
        |name: &str| placed.session.events.iter().any(|event| catalogue[event.id].qualified_name() == name);
    placed.session.defined.iter().any(|event| !is_placed(&event.value))
}

/// Returns the diagnostics of one condition; `before` bytes stand before its text in what is written.
fn condition(
    of: PlacedSession<'_>,
    condition: &PlacedCondition,
    event: &EventFormat,
    before: usize,
) -> Vec<Lint> {
    let name = || event.qualified_name();
    let mut found: Vec<Lint> = constant(of, condition).into_iter().collect();
    let mut refuse = |said| found.push(Lint { said, never: false });
    let mut no_room = Vec::new();
    for (conjunct, placed) in of.conjuncts(condition) {
        let Place::Refused { kernel, host } = &placed.place else { continue };
        match kernel {
            NotInKernel::NoRoom { .. } => no_room.push(conjunct),
            NotInKernel::Unsayable { .. } => {
                let parts = constructs(&conjunct.value, &condition.spelling);
                refuse(refusal(conjunct.span, &name(), (kernel, host), &parts));
            }
        }
    }
    if let Some(span) = no_room.iter().map(|conjunct| conjunct.span).reduce(Span::to) {
        let length = before + length(&no_room, &condition.spelling, &of.placement.model);
        refuse(codes::filter_too_long::filter_too_long(span, &name(), length, limits::FILTER_BYTES));
    }
    found
}

/// Returns the diagnostic for a condition that does not depend on the record: as a whole, or by a part that never
/// holds. A condition that was simplified to a constant has been reported before.
fn constant(of: PlacedSession<'_>, placed: &PlacedCondition) -> Option<Lint> {
    let simplified = |conjunct: &Conjunct| matches!(conjunct.value, Condition::Const(_));
    if of.module.conditions[placed.id].iter().any(simplified) {
        return None;
    }
    let is = |conjunct: &PlacedConjunct, value| conjunct.place == Place::Constant(value);
    let lint = |span, value| {
        Some(Lint { said: codes::constant_condition::constant_condition(span, value), never: !value })
    };
    if let Some((never, _)) = of.conjuncts(placed).find(|(_, conjunct)| is(conjunct, false)) {
        return lint(never.span, false);
    }
    if placed.is_never() {
        return lint(placed.span, false);
    }
    let always = !placed.conjuncts.is_empty() && placed.conjuncts.iter().all(|conjunct| is(conjunct, true));
    if always { lint(placed.span, true) } else { None }
}

/// Returns the diagnostic for a conjunct without a place: why neither the kernel nor the host decides it.
pub(crate) fn refusal(
    span: Span,
    event: &str,
    (kernel, host): (&NotInKernel, &NotOnHost),
    parts: &[Construct],
) -> Diagnostic {
    let reason = kernel.to_string();
    let nowhere = parts.contains(&Construct::Tgid);
    match host {
        NotOnHost::Trigger if nowhere => {
            codes::not_in_kernel::not_in_kernel(span, event, &reason).help(codes::no_place::PROCESS_ID)
        }
        NotOnHost::Trigger => {
            let said = codes::not_in_kernel::not_in_kernel(span, event, &reason);
            said.note(host.to_string())
                .help("where it is to narrow recording only, write it as a `filter` in the event's block")
        }
        NotOnHost::Demanded(words) => {
            codes::demanded_in_kernel::demanded_in_kernel(span, *words, event, &reason)
        }
        NotOnHost::Cannot(_) => {
            let help = if nowhere { codes::no_place::PROCESS_ID } else { codes::no_place::APART };
            codes::no_place::no_place(span, event, &reason, &host.to_string(), help)
        }
    }
}

/// Returns the length in bytes of the filter text of several conjuncts together.
fn length(conjuncts: &[&Conjunct], spelling: &Spelling, model: &Model) -> usize {
    // Each of them can be said; alone or together they are too long. A conjunct that cannot be said is not counted.
    let each = conjuncts.iter().map(|conjunct| FilterTree::new(&conjunct.value, spelling, model));
    let trees: Vec<FilterTree> = each.filter_map(Result::ok).collect();
    match FilterTree::all(&trees) {
        Err(LowerError::TooLong { length }) => length,
        Ok(Lowered::Text(text)) => text.len(),
        Ok(Lowered::Everything | Lowered::Nothing) | Err(_) => 0,
    }
}

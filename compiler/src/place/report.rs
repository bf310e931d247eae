//! Diagnostics for conditions without a place.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{FilterTree, LowerError, Spelling};
use tracec_kernel::condition::realisation::{Construct, Engine, constructs, obstacles};
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;

use super::{
    Engines, NotInKernel, NotOnHost, Place, PlacedCondition, PlacedConjunct, PlacedId, PlacedSession,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, codes};
use crate::ir::{Conjunct, Recorder, Recorders};
use crate::simplify::{Cause, Never, Verdicts};

/// The diagnostics of one condition.
#[derive(Debug, Default)]
struct Found {
    diagnostics: Vec<Diagnostic>,
    /// Why it holds for no record, if its place shows that.
    never: Option<Never>,
}

/// Reports every condition of a session that has no place in a target, and a session that would do nothing. `verdicts`
/// say which conditions simplification has found to hold for no record; it has reported them.
pub fn report(placed: PlacedSession<'_>, target: &str, verdicts: &Verdicts, diagnostics: &mut Diagnostics) {
    let mut has_place = true;
    // Where events share a condition the first is named and the others are counted: their diagnostics have the same
    // text and spans.
    let mut reported: FxHashMap<PlacedId, Found> = FxHashMap::default();
    let catalogue = &placed.module.catalogue;
    // Of a session with two recorders each has its own conditions.
    let has_both = placed.placement.among.programs.is_some() && placed.session.recorders() == Recorders::Both;
    for (event, ids) in placed.events() {
        diagnostics.about(Some(event.id));
        let engines = placed.engines_of(event.id);
        let before = |trigger| engines.before(trigger, catalogue);
        let target = if has_both { placed.recorder_of(event.id).name() } else { target };
        let triggers = ids.triggers.iter().zip(event.triggers.iter().map(before));
        for (&id, before) in ids.record.iter().map(|id| (id, 0)).chain(triggers) {
            let found = reported
                .entry(id)
                .or_insert_with(|| condition(placed, (target, engines), id, &catalogue[event.id], before));
            has_place &= !placed.placement[id].is_refused();
            found.diagnostics.iter().for_each(|diagnostic| diagnostics.push_once_more(diagnostic));
        }
    }
    diagnostics.about(None);
    // A part that could not be read, or has no place, may have recorded something.
    let is_idle = placed.conditions().all(PlacedCondition::is_never);
    if !placed.session.complete || !has_place || !is_idle || names_more(placed) {
        return;
    }
    if !diagnostics.is_whole() {
        return;
    }
    let head = placed.session.head;
    if placed.session.events.is_empty() {
        return diagnostics.push(codes::empty_session::empty_session(head));
    }
    // The events of a clause may have different reasons: those that all of them have are reported.
    let mut reasons: BTreeMap<Span, Vec<Never>> = BTreeMap::new();
    for (id, found) in &reported {
        let PlacedCondition { id, span, .. } = &placed.placement[*id];
        reasons.entry(*span).or_default().extend(verdicts.of(*id).iter().copied().chain(found.never));
    }
    let reasons: Vec<Vec<(&Code, Span)>> = reasons
        .into_values()
        .map(|all| all.into_iter().map(|never| (never.code(), never.span)).collect())
        .collect();
    let name = &placed.session.name;
    let why = format!("none of the conditions of the session `{name}` can hold: it would do nothing");
    diagnostics.refuse(&reasons, &why, codes::empty_session::never(head));
}

/// Returns whether the session names an event of the text whose layout is not known: records of that event would be
/// kept.
fn names_more(placed: PlacedSession<'_>) -> bool {
    let is_placed = |id| placed.session.events.iter().any(|event| event.id == id);
    placed.session.defined.iter().any(|event| !event.value.id.is_some_and(is_placed))
}

/// Returns the diagnostics of one condition; `before` bytes stand before its text in what is written.
fn condition(
    of: PlacedSession<'_>,
    (target, engines): (&str, Engines),
    id: PlacedId,
    event: &EventFormat,
    before: usize,
) -> Found {
    let condition = &of.placement[id];
    let name = || event.qualified_name();
    let mut found = Found::default();
    if let Some((span, value)) = constant(of, condition) {
        found.diagnostics.push(codes::constant_condition::constant_condition(span, value));
        found.never = (!value).then_some(Never { cause: Cause::Constant, span });
    }
    let mut refuse = |diagnostic| found.diagnostics.push(diagnostic);
    let mut no_room = Vec::new();
    for (conjunct, placed) in of.conjuncts(condition) {
        let Place::Refused { kernel, host } = &placed.place else { continue };
        match kernel {
            NotInKernel::NoRoom { .. } => no_room.push(conjunct),
            NotInKernel::Unsayable { .. } | NotInKernel::Many { .. } | NotInKernel::NoEngine => {
                let parts = constructs(&conjunct.value, &Spelling::at(event));
                refuse(refusal(conjunct.span, target, &name(), (kernel, host), &parts));
            }
        }
    }
    if let Some(span) = no_room.iter().map(|conjunct| conjunct.span).reduce(Span::to) {
        let length = before + length(&no_room, &Spelling::at(event), &of.placement.model);
        refuse(codes::filter_too_long::filter_too_long(span, &name(), length, engines.room()));
    }
    found
}

/// Returns the value of a condition that does not depend on the record, and the span that decides it: as a whole, or by
/// a part that never holds. A condition that was simplified to a constant has been reported before.
fn constant(of: PlacedSession<'_>, placed: &PlacedCondition) -> Option<(Span, bool)> {
    let simplified = |conjunct: &Conjunct| matches!(conjunct.value, Condition::Const(_));
    if of.module.conditions[placed.id].iter().any(simplified) {
        return None;
    }
    let is = |conjunct: &PlacedConjunct, value| conjunct.place == Place::Constant(value);
    if let Some((never, _)) = of.conjuncts(placed).find(|(_, conjunct)| is(conjunct, false)) {
        return Some((never.span, false));
    }
    if placed.is_never() {
        return Some((placed.span, false));
    }
    let always = !placed.conjuncts.is_empty() && placed.conjuncts.iter().all(|conjunct| is(conjunct, true));
    always.then_some((placed.span, true))
}

/// Returns the diagnostic for a conjunct without a place in a target: why neither the kernel nor the host decides it.
pub(crate) fn refusal(
    span: Span,
    target: &str,
    event: &str,
    (kernel, host): (&NotInKernel, &NotOnHost),
    parts: &[Construct],
) -> Diagnostic {
    let reason = kernel.to_string();
    let nowhere = parts.contains(&Construct::Tgid);
    if *kernel == NotInKernel::NoEngine {
        return codes::not_by_target::kernel(span, target).note(format!("not on the host: {host}"));
    }
    match host {
        NotOnHost::NoEngine => {
            codes::not_by_target::host(span, target).note(format!("not in the kernel: {kernel}"))
        }
        NotOnHost::Trigger if nowhere => {
            codes::not_in_kernel::not_in_kernel(span, event, &reason).help(codes::no_place::PROCESS_ID)
        }
        NotOnHost::Trigger => {
            let said = codes::not_in_kernel::not_in_kernel(span, event, &reason);
            said.note(host.to_string()).help(format!(
                "no trigger can depend on it; write `trace {event}`, and the condition behind its `if`, to record \
                 only such events"
            ))
        }
        NotOnHost::Demanded(words) => {
            codes::demanded_in_kernel::demanded_in_kernel(span, *words, event, &reason)
        }
        NotOnHost::Cannot(_) => {
            let decides = |engine| obstacles(parts, engine, |_| true).next().is_none();
            let by_program = target == Recorder::Programs.name();
            let help = match by_program {
                true if decides(Engine::KernelFilter) => codes::no_place::TRACEFS,
                false if decides(Engine::Bpf) => codes::no_place::PROGRAM,
                _ => codes::no_place::APART,
            };
            let said = codes::no_place::no_place(span, event, &reason, &host.to_string(), help);
            if nowhere && !by_program { said.help(codes::no_place::PROCESS_ID) } else { said }
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
        Ok(lowered) => lowered.text().map_or(0, str::len),
        Err(_) => 0,
    }
}

//! What has no place, as diagnostics.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{LowerError, Lowered};
use tracec_kernel::filter::Model;
use tracec_kernel::tables::limits;

use super::{NotInKernel, NotOnHost, Place, Placed, PlacedCondition, PlacedConjunct, lower_all};
use crate::diagnostic::{Diagnostic, Diagnostics, Taken, codes};
use crate::ir::shared::Same;

/// Reports every condition without a place and every one that is none, and says whether all have one.
pub fn report(placed: &Placed, diagnostics: &mut Diagnostics) -> bool {
    let model = &placed.model;
    let before = diagnostics.errors();
    // Of a condition that events share the first is named and the others are counted: they have the same at the same
    // places.
    let mut told: HashMap<Same<PlacedCondition>, Taken> = HashMap::new();
    for (event, placed) in placed.session.events.iter().zip(&placed.events) {
        let event_name = event.format.qualified_name();
        diagnostics.about(Some(&event.format));
        let mut tell = |placed: &Arc<PlacedCondition>, before| {
            if let Some(taken) = told.get(&Same::of(placed)) {
                return diagnostics.again(taken);
            }
            let look =
                |diagnostics: &mut Diagnostics| condition(placed, &event_name, before, model, diagnostics);
            let ((), taken) = diagnostics.noting(look);
            told.insert(Same::of(placed), taken);
        };
        placed.record.iter().for_each(|record| tell(record, 0));
        for (trigger, placed) in event.triggers.iter().zip(&placed.triggers) {
            tell(placed, trigger.command(Some("")).len());
        }
    }
    diagnostics.about(None);
    // What could not be read, or has no place, may have recorded something.
    let is_sound = placed.is_whole && diagnostics.errors() == before;
    if is_sound
        && !names_more(placed)
        && placed.events.iter().all(does_nothing)
        && !refuse_reasons(placed, diagnostics)
    {
        let said = if placed.events.is_empty() {
            codes::empty_session::empty_session
        } else {
            codes::empty_session::never
        };
        diagnostics.push(said(placed.session.span));
    }
    diagnostics.errors() == before
}

/// Whether the session names an event of the text whose layout nobody knows: something would be recorded of it.
fn names_more(placed: &Placed) -> bool {
    let is_placed =
        |name: &str| placed.session.events.iter().any(|event| event.format.qualified_name() == name);
    placed.session.defined.iter().any(|event| !is_placed(&event.value))
}

/// Whether an event is neither recorded nor armed.
fn does_nothing(event: &super::PlacedEvent) -> bool {
    event.record.iter().chain(&event.triggers).all(|condition| condition.is_never())
}

/// Makes errors of the lints that say why no condition of a session can hold. `false` if one has none that was told:
/// then nothing is changed.
fn refuse_reasons(placed: &Placed, diagnostics: &mut Diagnostics) -> bool {
    let conditions = placed.events.iter().flat_map(|event| event.record.iter().chain(&event.triggers));
    let places: BTreeSet<Span> = conditions.map(|condition| condition.span).collect();
    let lies_in = |said: &Diagnostic, place: Span| {
        says_never(said) && said.primary.as_ref().is_some_and(|at| place.holds(at.span))
    };
    let is_told = |place: &Span| diagnostics.kept().iter().any(|said| lies_in(said, *place));
    if places.is_empty() || !places.iter().all(is_told) {
        return false;
    }
    let reasons = |said: &Diagnostic| places.iter().any(|place| lies_in(said, *place));
    diagnostics.refuse(
        reasons,
        &format!(
            "none of the conditions of the session `{}` can hold: it would do nothing",
            placed.session.name
        ),
    );
    true
}

/// Whether a diagnostic tells of what never holds.
fn says_never(said: &Diagnostic) -> bool {
    said.code == &codes::contradiction::CODE || codes::constant_condition::says_never(said)
}

/// Reports one condition, of which `before` bytes stand before the text that is written.
fn condition(
    placed: &PlacedCondition,
    event: &str,
    before: usize,
    model: &Model,
    diagnostics: &mut Diagnostics,
) {
    constant(placed, diagnostics);
    let mut no_room = Vec::new();
    for conjunct in &placed.conjuncts {
        let Place::Refused { kernel, host } = &conjunct.place else { continue };
        match kernel {
            NotInKernel::NoRoom { .. } => no_room.push(conjunct),
            NotInKernel::Unsayable { .. } => {
                diagnostics.push(refusal(conjunct.condition.span, event, kernel, host));
            }
        }
    }
    if let Some(span) = no_room.iter().map(|conjunct| conjunct.condition.span).reduce(Span::to) {
        let length = before + length(&no_room, model);
        diagnostics.push(codes::filter_too_long::filter_too_long(span, event, length, limits::FILTER_BYTES));
    }
}

/// Tells of a condition that does not depend on the record: as a whole, or by a part that never holds. Of one that was
/// simplified to a constant that has been told.
fn constant(placed: &PlacedCondition, diagnostics: &mut Diagnostics) {
    let simplified = |conjunct: &PlacedConjunct| matches!(conjunct.condition.value, Condition::Const(_));
    if placed.conjuncts.iter().any(simplified) {
        return;
    }
    let is = |conjunct: &PlacedConjunct, value| conjunct.place == Place::Constant(value);
    if let Some(never) = placed.conjuncts.iter().find(|conjunct| is(conjunct, false)) {
        let span = never.condition.span;
        diagnostics.push(codes::constant_condition::constant_condition(span, false));
    } else if placed.is_never() {
        diagnostics.push(codes::constant_condition::constant_condition(placed.span, false));
    } else if !placed.conjuncts.is_empty() && placed.conjuncts.iter().all(|conjunct| is(conjunct, true)) {
        diagnostics.push(codes::constant_condition::constant_condition(placed.span, true));
    }
}

/// What has no place: why neither the kernel nor the host decides it.
pub(crate) fn refusal(span: Span, event: &str, kernel: &NotInKernel, host: &NotOnHost) -> Diagnostic {
    let reason = kernel.to_string();
    match host {
        NotOnHost::Trigger => {
            let said = codes::not_in_kernel::not_in_kernel(span, event, &reason);
            said.note(host.to_string())
                .help("where it is to narrow recording only, write it as a `filter` in the event's block")
        }
        NotOnHost::Demanded(words) => {
            codes::demanded_in_kernel::demanded_in_kernel(span, *words, event, &reason)
        }
        NotOnHost::Cannot(_) => codes::no_place::no_place(span, event, &reason, &host.to_string()),
    }
}

/// Bytes of the filter text that conjuncts would come to together.
fn length(conjuncts: &[&PlacedConjunct], model: &Model) -> usize {
    match lower_all(conjuncts.iter().map(|conjunct| &conjunct.condition.value), model) {
        Err(LowerError::TooLong { length }) => length,
        Ok(Lowered::Text(text)) => text.len(),
        // They are here because their texts are there, and too long.
        Ok(Lowered::Everything | Lowered::Nothing) | Err(_) => 0,
    }
}

//! What has no place, as diagnostics.

use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{LowerError, Lowered};
use tracec_kernel::filter::Model;
use tracec_kernel::tables::limits;

use super::{NotInKernel, NotOnHost, Place, Placed, PlacedCondition, PlacedConjunct, lower_all};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};

/// Reports every condition without a place and every one that is none, and says whether all have one.
pub fn report(placed: &Placed, diagnostics: &mut Diagnostics) -> bool {
    let model = &placed.model;
    let before = diagnostics.errors();
    for (event, placed) in placed.session.events.iter().zip(&placed.events) {
        let event_name = event.format.qualified_name();
        if let Some(record) = &placed.record {
            condition(record, &event_name, 0, model, diagnostics);
        }
        for (trigger, placed) in event.triggers.iter().zip(&placed.triggers) {
            condition(placed, &event_name, trigger.command(Some("")).len(), model, diagnostics);
        }
    }
    // Only of a session without other mistakes: what could not be read may have recorded something.
    // An event of the text whose layout nobody knows is none of `events`, and something would be recorded of it.
    let names_more = placed.events.is_empty() && !placed.session.defined.is_empty();
    if diagnostics.errors() == 0 && !names_more && placed.events.iter().all(does_nothing) {
        let said = if placed.events.is_empty() {
            codes::empty_session::empty_session
        } else {
            codes::empty_session::never
        };
        diagnostics.push(said(placed.session.span));
    }
    diagnostics.errors() == before
}

/// Whether an event is neither recorded nor armed.
fn does_nothing(event: &super::PlacedEvent) -> bool {
    let record = event.record.as_ref().is_none_or(PlacedCondition::is_never);
    record && event.triggers.iter().all(PlacedCondition::is_never)
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
                diagnostics.push(refusal(conjunct.condition.span, event, kernel, *host));
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

fn refusal(span: Span, event: &str, kernel: &NotInKernel, host: NotOnHost) -> Diagnostic {
    let reason = kernel.to_string();
    match host {
        NotOnHost::Trigger => {
            let said = codes::not_in_kernel::not_in_kernel(span, event, &reason);
            said.note(host.to_string())
                .help("where it is to narrow recording only, write it as a `filter` in the event's block")
        }
        NotOnHost::Demanded(words) => {
            codes::demanded_in_kernel::demanded_in_kernel(span, words, event, &reason)
        }
        NotOnHost::Lacks(_) => codes::no_place::no_place(span, event, &reason, &host.to_string()),
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

//! Where each condition runs, and the exact text it runs as.
//!
//! Today there is one place, the kernel's event filter: what it cannot say exactly is refused here, at the clause,
//! before anything is built.

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{LowerError, Lowered, lower};
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::limits;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir;

/// A session whose every condition has a place.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The session.
    pub session: ir::Session,
    /// One entry per entry of [`ir::Session::events`], in the same order.
    pub events: Vec<PlacedEvent>,
}

/// The kernel's texts of one event.
#[derive(Clone, Debug)]
pub struct PlacedEvent {
    /// What is recorded; `None` if nothing ever is.
    pub record: Option<KernelFilter>,
    /// The event's triggers that can fire, by their index in [`ir::Event::triggers`].
    pub triggers: Vec<(usize, KernelFilter)>,
}

/// A condition as the kernel takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFilter {
    /// The text; `None` is every record.
    pub text: Option<String>,
    /// Where the condition stands in the source, or the clause if there is none.
    pub span: Span,
}

/// Places every condition of a session. `None` if one has no place; that has been reported.
pub fn place(session: ir::Session, diagnostics: &mut Diagnostics) -> Option<Placed> {
    let before = diagnostics.errors();
    let events: Vec<PlacedEvent> =
        session.events.iter().map(|event| place_event(event, diagnostics)).collect();
    // Only of a session without other mistakes: what could not be read may have recorded something.
    if diagnostics.errors() == 0 && events.iter().all(|e| e.record.is_none() && e.triggers.is_empty()) {
        diagnostics.push(codes::empty_session::empty_session(session.span));
    }
    (diagnostics.errors() == before).then_some(Placed { session, events })
}

fn place_event(event: &ir::Event, diagnostics: &mut Diagnostics) -> PlacedEvent {
    let record = event
        .record
        .as_ref()
        .and_then(|recording| kernel_filter(&recording.filter, recording.clause, &event.format, diagnostics));
    let mut triggers = Vec::new();
    for (index, trigger) in event.triggers.iter().enumerate() {
        let Some(filter) = kernel_filter(&trigger.condition, trigger.span, &event.format, diagnostics) else {
            continue;
        };
        // The kernel takes the whole command in one write.
        let length = trigger.command(filter.text.as_deref()).len();
        if length > limits::FILTER_BYTES {
            let event = event.format.qualified_name();
            let said =
                codes::filter_too_long::filter_too_long(filter.span, &event, length, limits::FILTER_BYTES);
            diagnostics.push(said);
        }
        triggers.push((index, filter));
    }
    PlacedEvent { record, triggers }
}

/// The kernel's text for a condition; `None` if it never holds or cannot be said, which has been reported.
fn kernel_filter(
    conjuncts: &[Spanned<Condition>],
    clause: Span,
    format: &EventFormat,
    diagnostics: &mut Diagnostics,
) -> Option<KernelFilter> {
    let Some(span) = ir::extent(conjuncts) else { return Some(KernelFilter { text: None, span: clause }) };
    match lower(&Condition::all(conjuncts.iter().map(|part| part.value.clone()).collect())) {
        Ok(Lowered::Text(text)) => Some(KernelFilter { text: Some(text), span }),
        Ok(Lowered::Everything) => {
            diagnostics.push(codes::constant_condition::constant_condition(span, true));
            Some(KernelFilter { text: None, span })
        }
        Ok(Lowered::Nothing) => {
            diagnostics.push(codes::constant_condition::constant_condition(span, false));
            None
        }
        Err(error) => {
            diagnostics.push(refusal(&error, span, format));
            None
        }
    }
}

fn refusal(error: &LowerError, span: Span, format: &EventFormat) -> Diagnostic {
    let event = format.qualified_name();
    match error {
        LowerError::TooLong { length } => {
            codes::filter_too_long::filter_too_long(span, &event, *length, limits::FILTER_BYTES)
        }
        other => codes::not_in_kernel::not_in_kernel(span, &event, &other.to_string()),
    }
}

//! The explanation of a session, as a query plan: each event, who records it, and each conjunct of its condition with
//! its place, its exact text and the reason. [`text`] is for people, [`json`] for programs.

pub mod json;
pub mod text;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::Name;
use tracec_kernel::shown::ShownEvent;

use crate::ir;
use crate::place::{PlacedEvent, PlacedSession};
use crate::plan;

/// Whether an event is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    /// Its records are kept.
    Yes,
    /// Its condition never holds, so that it is not enabled.
    Never,
    /// It is armed for its triggers only: soft mode.
    Armed,
}

impl Recorded {
    fn of(placed: PlacedSession<'_>, event: &PlacedEvent) -> Recorded {
        match placed.record(event) {
            None => Recorded::Armed,
            Some(condition) if condition.is_never() => Recorded::Never,
            Some(_) => Recorded::Yes,
        }
    }
}

/// What is shown of the records of an event, where it is not all as the kernel has it.
struct ShownRecords<'s> {
    text: ShownText,
    /// The fields that are left out.
    left_out: &'s [Name],
    /// The fields whose values are blanked.
    blanked: &'s [Name],
}

/// The text of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownText {
    /// That of the kernel.
    Kernel,
    /// That of the session's template.
    Session(Span),
    /// The fields by their names.
    Fields,
}

/// Returns what is shown of the records of an event; `None` if it is all as the kernel has it.
fn shown<'s>(placed: PlacedSession<'s>, event: &'s ir::Event) -> Option<ShownRecords<'s>> {
    let ir::Shown { print_fmt, left_out, blanked } = &event.record.as_ref()?.shown;
    let shown: ShownEvent = plan::shown(placed, event)?;
    let format = &placed.module.catalogue[event.id];
    let text = match print_fmt {
        Some(template) => ShownText::Session(template.span),
        None if shown.layout(format).print_fmt != format.print_fmt => ShownText::Fields,
        None => ShownText::Kernel,
    };
    Some(ShownRecords { text, left_out, blanked })
}

//! The explanation of a session, as a query plan: each event, who records it, and each conjunct of its condition with
//! its place, its exact text and the reason. [`text`] is for people, [`json`] for programs.

pub mod json;
pub mod text;

use crate::place::{PlacedEvent, PlacedSession};

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

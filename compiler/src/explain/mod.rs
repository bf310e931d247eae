//! How a session is carried out, as a query plan says it: each event, who records it, and each conjunct of its
//! condition with its place, its exact text and the reason. [`text`] is for people, [`json`] for programs.

pub mod json;
pub mod text;

use crate::diagnostic::Diagnostic;
use crate::place::{Placed, PlacedEvent};
use crate::source::SourceMap;

/// What is to be shown of a text.
#[derive(Debug)]
pub struct Explained {
    /// Its sessions in the order of the text, as far as they have no mistakes but conditions without a place.
    pub sessions: Vec<Placed>,
    /// The texts that spans point into.
    pub sources: SourceMap,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// What becomes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recorded {
    /// Its records are kept.
    Yes,
    /// Its condition never holds, so that it is not even switched on.
    Never,
    /// It only triggers: soft mode.
    Armed,
}

impl Recorded {
    fn of(event: &PlacedEvent) -> Recorded {
        match &event.record {
            None => Recorded::Armed,
            Some(condition) if condition.is_never() => Recorded::Never,
            Some(_) => Recorded::Yes,
        }
    }
}

/// Who records the events of a session.
const RECORDER: &str = "tracefs";

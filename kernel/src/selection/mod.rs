//! Selection of records: which records of ring-buffer pages a program wants, and filters that find them.
//!
//! A [`Selection`] says for each event which conditions its records are tested for. A [`PageFilter`] walks over a page
//! and writes down the records that are [selected](Selected). [`Evaluator`] is the filter that asks the evaluator of
//! conditions for each record; it is the reference for every other filter, which has to select the same.
//!
//! # Meaning
//!
//! The records of a page are those of [`Page::entries`](crate::page::Page::entries), with its time stamps. A record is
//! one of an event of the selection if its type is the event's id and it holds the whole common header; every other
//! record, of another id or too short, is selected as [`Selected::OTHER`] or not at all, by [`Selection::others`].
//!
//! A record of an event of the selection is selected once for each of the event's conditions that holds, in the order
//! in which they are listed. If none holds, it is selected as [`Selected::REJECTED`] or not at all, by
//! [`Selection::rejected`]. The meaning of a condition is that of [`ir`](crate::condition::ir); of its context the CPU
//! alone is known.
//!
//! Where the walk meets an entry that cannot be read, the records before it are selected and the error is that of the
//! walk.

mod evaluator;
mod selected;

use rustc_hash::FxHashMap;

use crate::condition::check::InvalidCondition;
use crate::condition::ir::Condition;
use crate::condition::lower::Spelling;
use crate::condition::realisation::{Engine, Obstacle, constructs, obstacles};
use crate::format::EventFormat;
use crate::page::PageLayout;

pub use evaluator::Evaluator;
pub use selected::{PageFilter, Selected};

/// The records that are wanted of pages with one layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    layout: PageLayout,
    events: Vec<SelectedEvent>,
    others: bool,
    rejected: bool,
}

/// The conditions for the records of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedEvent {
    /// The layout of the records.
    pub format: EventFormat,
    /// The conditions. One that is true selects every record; an event without conditions rejects all.
    pub conditions: Vec<Numbered>,
}

/// A condition with the number by which its records are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The number, at most [`Selected::LAST_NUMBER`]; several conditions may have the same.
    pub number: u32,
    /// The condition. The only context that it may use is the CPU.
    pub condition: Condition,
}

/// The reason why records cannot be selected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// Two events have one id, by which records name their event.
    #[error("the id {id} is that of `{first}` and of `{second}`")]
    SharedId {
        /// The id.
        id: u16,
        /// An event with this id.
        first: String,
        /// Another one.
        second: String,
    },
    /// Two events have their type at different places: they are not of one kernel.
    #[error("the records of `{first}` and of `{second}` have their type at different places")]
    OtherHeader {
        /// An event.
        first: String,
        /// Another one.
        second: String,
    },
    /// The number of a condition is one of those that are reserved.
    #[error("the number {number} of a condition on `{event}` is reserved")]
    Reserved {
        /// The event.
        event: String,
        /// The number.
        number: u32,
    },
    /// A condition on an event cannot be decided by its records.
    #[error("a condition on `{event}` cannot be decided by a record: {source}")]
    Condition {
        /// The event.
        event: String,
        /// The reason.
        source: UndecidableCondition,
    },
}

/// The reason why a condition cannot be decided by a record of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndecidableCondition {
    /// It breaks a rule of the form of conditions, or tests fields that the event does not have.
    #[error("{0}")]
    Invalid(#[from] InvalidCondition),
    /// A record lacks what the condition asks for.
    #[error("{0}")]
    Obstacle(Obstacle),
}

/// Checks that a condition can be decided by the records of an event, whose fields it has to name.
///
/// # Errors
/// [`UndecidableCondition`] for a condition that is invalid, or that asks for what is not in a record.
pub fn check_condition(condition: &Condition, event: &EventFormat) -> Result<(), UndecidableCondition> {
    condition.check()?;
    condition.check_fields(event)?;
    let parts = constructs(condition, &Spelling::USUAL);
    match obstacles(&parts, Engine::Host, |_| true).next() {
        None => Ok(()),
        Some(obstacle) => Err(UndecidableCondition::Obstacle(obstacle)),
    }
}

impl Selection {
    /// Checks which records are wanted of pages with a layout.
    ///
    /// # Errors
    /// [`SelectionError`] if the event of a record is not certain, or a condition cannot be decided by a record.
    pub fn new(layout: PageLayout, events: Vec<SelectedEvent>) -> Result<Self, SelectionError> {
        let mut ids = FxHashMap::default();
        for SelectedEvent { format, conditions } in &events {
            let event = || format.qualified_name();
            if let Some(first) = ids.insert(format.id, format) {
                let (first, second) = (first.qualified_name(), event());
                return Err(SelectionError::SharedId { id: format.id, first, second });
            }
            if let Some(first) = events.first().map(|first| &first.format)
                && type_offset(first) != type_offset(format)
            {
                let (first, second) = (first.qualified_name(), event());
                return Err(SelectionError::OtherHeader { first, second });
            }
            for Numbered { number, condition } in conditions {
                if *number > Selected::LAST_NUMBER {
                    return Err(SelectionError::Reserved { event: event(), number: *number });
                }
                check_condition(condition, format)
                    .map_err(|source| SelectionError::Condition { event: event(), source })?;
            }
        }
        Ok(Selection { layout, events, others: false, rejected: false })
    }

    /// Also selects the records that are not of an event of the selection, as [`Selected::OTHER`].
    #[must_use]
    pub fn with_others(self) -> Self {
        Selection { others: true, ..self }
    }

    /// Also selects the records for which none of their event's conditions holds, as [`Selected::REJECTED`].
    #[must_use]
    pub fn with_rejected(self) -> Self {
        Selection { rejected: true, ..self }
    }

    /// Returns the layout of the pages.
    pub fn layout(&self) -> &PageLayout {
        &self.layout
    }

    /// Returns the events, each with an id of its own.
    pub fn events(&self) -> &[SelectedEvent] {
        &self.events
    }

    /// Returns whether records that are not of its events are selected.
    pub fn others(&self) -> bool {
        self.others
    }

    /// Returns whether records for which no condition holds are selected.
    pub fn rejected(&self) -> bool {
        self.rejected
    }

    /// Returns the offset of the type in all records.
    pub fn type_offset(&self) -> u32 {
        self.events.first().map_or(0, |event| type_offset(&event.format))
    }
}

/// Returns the offset of the type in the records of an event.
fn type_offset(format: &EventFormat) -> u32 {
    let field = format.common_fields().iter().find(|field| field.name == "common_type");
    field.map_or(0, |field| field.offset)
}

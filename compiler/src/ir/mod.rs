//! The module form: the input of every target.
//!
//! A [`Module`] says what a text and its imports define and what its sessions do, with all names resolved against one
//! kernel and all conditions typed. It is plain data: its parts refer to each other by ids, nothing in it points into
//! the syntax, and two modules are equal if all their parts are. `tracec build --dump PASS` prints it.
//!
//! - The [`ConstantTable`](definition::ConstantTable) owns the constants of the text and of each of its imports, and
//!   every enumeration, once.
//! - The [`Catalogue`] owns the layout of each event that the text or an import defines, that a session names, or that
//!   a probe is attached to, once.
//! - [`Conditions`] owns the conditions. One condition is a list of [`Conjunct`]s that must all hold: each can run in a
//!   place of its own, and is explained at its span. A condition is about one record and the moment when it was
//!   written; widths and signs are those of the event's own fields, so that the same text yields one condition per
//!   event of a group. Events for which it is the same share it.
//! - A [`Session`] holds one entry per event, however many clauses of the text name it:
//!   - An event is *recorded* if its [`Event::record`] is there; its filter is the conjunction of the head's `if` and
//!     every `filter` of the clause that won (an exact name wins over a pattern). Without a filter every record is
//!     kept.
//!   - *Triggers* add up over all clauses, in the order of the text. Each carries its whole condition: the head's `if`
//!     and its own. They act whether the event is recorded or not.
//!   - Sizes are in KiB per CPU, as the kernel counts them. Times are [`Duration`](std::time::Duration)s.
//!   - The *scope* says which tasks are traced: those that are one of its subjects; and on which CPUs. An empty scope
//!     means all of them, except for tracec's own tasks. It applies to recording and triggers alike: names and CPUs are
//!     conjuncts of the conditions of each, ids of tasks are left to the target.
//!   - A session *streams* unless it is a ring. It ends with the first of its stops, or by a signal.
//! - [`Definitions`](definition::Definitions) are what a file declares besides its sessions.
//!
//! Every part keeps the span of the clause that it came from, so that a refusal by a target or by the kernel is
//! reported there.

mod catalogue;
mod condition;
pub mod definition;
mod known;
mod session;

pub use crate::source::EventLayout;
pub use catalogue::{Catalogue, EventId};
pub use condition::{AtomSpan, ConditionId, Conditions, Conjunct, InvalidConjunct, extent};
pub use known::KnownConditions;
pub use session::*;

/// A text, resolved and typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// The constants and enumerations of the text and of all its imports.
    pub constants: definition::ConstantTable,
    /// The declarations of the text besides its sessions, then those of each of its imports, except those of the
    /// library.
    pub definitions: Vec<definition::Definitions>,
    /// The layouts of its events.
    pub catalogue: Catalogue,
    /// The conditions of its sessions.
    pub conditions: Conditions,
    /// Its sessions in the order of the text, except those that could not be typed: one whose clauses have mistakes,
    /// whose text could not be read, or that depends on a parameter without a value. A session that names something
    /// that was not found is there without it, and is not [complete](Session::complete).
    pub sessions: Vec<Session>,
}

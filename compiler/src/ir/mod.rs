//! The module form: what every target reads.
//!
//! A [`Module`] says what a text and its imports define and what its sessions do, with all names resolved against one
//! kernel and all conditions typed. It is plain data: its parts refer to each other by ids, nothing in it points into the
//! syntax, and two modules are equal if all that they say is. `tracec build --dump PASS` prints it.
//!
//! - The [`Catalogue`] owns the layout of each event that a session names, once.
//! - [`Conditions`] owns the conditions. One condition is a list of [`Conjunct`]s that must all hold: each can run in a
//!   place of its own, and is explained where it is written. A condition is about one record and the moment it was
//!   written; widths and signs are those of the event's own fields, so the same text yields one condition per event of a
//!   group. Events at whose fields it is the same share it.
//! - A [`Session`] holds one entry per event, however many clauses of the text name it:
//!   - An event is *recorded* if its [`Event::record`] is there; its filter is the conjunction of the head's `if` and
//!     every `filter` of the clause that won (an exact name beats a pattern). No filter means every record.
//!   - *Triggers* add up over all clauses, in the order of the text. Each carries its whole condition: the head's `if`
//!     and its own. They act whether the event is recorded or not.
//!   - Sizes are in KiB per CPU, as the kernel counts them. Times are [`Duration`](std::time::Duration)s.
//!   - The *scope* says who is traced: a task or CPU that is one of its subjects. An empty scope means everybody. It
//!     gates recording and triggers alike.
//!   - A session *streams* unless it is a ring. It ends with the first of its stops, or by a signal from outside.
//! - [`Definitions`](definition::Definitions) are what a file declares besides its sessions.
//!
//! Every part keeps the span of the clause it came from, so that a refusal by a target or by the kernel comes back there.

mod catalogue;
mod condition;
pub mod definition;
mod session;

pub use catalogue::{Catalogue, EventId, Layout};
pub use condition::{AtomPlace, ConditionId, Conditions, Conjunct, extent};
pub use session::*;

/// What a text says, resolved and typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// What the text declares besides its sessions, then what each of its imports does, those of the library left out.
    pub definitions: Vec<definition::Definitions>,
    /// The layouts of the events that its sessions name.
    pub catalogue: Catalogue,
    /// The conditions of its sessions.
    pub conditions: Conditions,
    /// Its sessions in the order of the text, those left out that have mistakes.
    pub sessions: Vec<Session>,
}

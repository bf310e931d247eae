//! The session's intermediate form: what every target reads.
//!
//! A [`Session`] says what is to happen, with all names resolved against one kernel and all conditions typed. It holds
//! one entry per event, however many clauses of the text name it:
//!
//! - An event is *recorded* if its [`Event::record`] is there; its filter is the conjunction of the head's `if` and
//!   every `filter` of the clause that won (an exact name beats a pattern). No filter means every record.
//! - *Triggers* add up over all clauses, in the order of the text. Each carries its whole condition: the head's `if` and
//!   its own, joined. They act whether the event is recorded or not.
//! - A condition is about one record and the moment it was written ([`Condition`]); widths and signs are those of the
//!   event's own fields, so the same text yields one condition per event of a group.
//! - Sizes are in KiB per CPU, as the kernel counts them. Times are [`Duration`]s.
//!
//! Every part keeps the span of the clause it came from, so that a refusal by a target or by the kernel comes back there.

pub mod definition;

use std::time::Duration;

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::RecordFormat;
use tracec_kernel::tables::triggers::Trigger as TriggerKind;

/// A session, resolved and typed.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its name; `-e` for a one-liner.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What it does with which event, in the order of first mention.
    pub events: Vec<Event>,
    /// Size of each CPU's ring, KiB.
    pub buffer_kib: Option<Spanned<u64>>,
    /// The trace clock.
    pub clock: Option<Spanned<String>>,
    /// Trace options to set.
    pub options: Vec<OptionSetting>,
    /// When it ends by itself.
    pub stop_after: Option<Spanned<Duration>>,
    /// Where records go.
    pub output: Option<Output>,
}

/// One event of a session.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its layout.
    pub format: EventFormat,
    /// Whether and under which condition it is recorded.
    pub record: Option<Recording>,
    /// What it triggers.
    pub triggers: Vec<Trigger>,
}

/// That an event is recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Under which condition; `None` is always.
    pub filter: Option<Spanned<Condition>>,
    /// The clause.
    pub clause: Span,
}

/// One trigger of an event.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// Which.
    pub kind: &'static TriggerKind,
    /// How often it may fire; `None` is without limit.
    pub count: Option<u64>,
    /// Under which condition; `None` is always.
    pub condition: Option<Spanned<Condition>>,
    /// Where it stands.
    pub span: Span,
}

impl Trigger {
    /// The command for an event's `trigger` file, with its condition as the kernel takes it.
    pub fn command(&self, filter: Option<&str>) -> String {
        let count = self.count.map_or(String::new(), |count| format!(":{count}"));
        let condition = filter.map_or(String::new(), |filter| format!(" if {filter}"));
        format!("{}{count}{condition}", self.kind.name)
    }
}

/// One trace option.
#[derive(Clone, Debug)]
pub struct OptionSetting {
    /// Its kernel name.
    pub name: Spanned<String>,
    /// On or off.
    pub on: bool,
    /// What it is in a new instance, where the kernel told.
    pub old: Option<bool>,
    /// The clause.
    pub clause: Span,
}

/// Where records go and how they look.
#[derive(Clone, Debug)]
pub struct Output {
    /// The path as written.
    pub path: Spanned<String>,
    /// The form.
    pub format: RecordFormat,
}

//! A session: what is to happen, with all names resolved and all conditions typed.

use std::ops::Range;
use std::time::Duration;

use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::plan::InstanceName;
use tracec_kernel::tables::triggers::Trigger as TriggerKind;

use super::{ConditionId, EventId};

/// A session, resolved and typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its name; `-e` for a one-liner.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// Whether all of its text, and all that it rests on, was understood. Else what it does not do it may have been meant
    /// to do.
    pub complete: bool,
    /// What it does with which event, in the order of first mention.
    pub events: Vec<Event>,
    /// The events that `having` took out of a set.
    pub dropped: Vec<Dropped>,
    /// The events it names that the text or one of its imports defines, each where it is named.
    pub defined: Vec<Spanned<String>>,
    /// Size of each CPU's ring, KiB.
    pub buffer_kib: Option<Spanned<u64>>,
    /// The trace clock.
    pub clock: Option<Spanned<String>>,
    /// Trace options to set.
    pub options: Vec<OptionSetting>,
    /// Who is traced; empty is everybody.
    pub scope: Vec<Spanned<Subject>>,
    /// Children of the scope's processes are traced too.
    pub children: Option<Span>,
    /// The name of its instance, where it has to have that one.
    pub instance: Option<Spanned<InstanceName>>,
    /// What is changed in the machine's top-level state.
    pub globals: Vec<Global>,
    /// Whether the newest records are kept, not all of them read while they come.
    pub ring: Option<Spanned<Ring>>,
    /// Everything is armed, nothing recorded until somebody says so.
    pub start_paused: Option<Span>,
    /// Texts to write into the ring at the start.
    pub markers: Vec<Spanned<String>>,
    /// What ends it, besides the signals that end every session.
    pub stops: Vec<Spanned<Stop>>,
    /// Where records go.
    pub output: Option<Output>,
}

impl Session {
    /// How long it runs at most.
    pub fn stop_after(&self) -> Option<Duration> {
        self.stops.iter().find_map(|stop| match stop.value {
            Stop::After(time) => Some(time),
            _ => None,
        })
    }
}

/// An event that a clause names and does not act on: it lacks a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The event, `system:name`.
    pub event: String,
    /// The field that it lacks.
    pub field: String,
    /// Where the set is named.
    pub span: Span,
}

/// Who is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All threads of a process.
    Process(u32),
    /// One thread.
    Thread(u32),
    /// The command that the session runs.
    Command,
    /// Tasks whose name a glob matches.
    Comm(String),
    /// The tasks of a control group, by its path below the cgroup file system.
    Cgroup(String),
    /// Whatever runs on these CPUs, both ends in.
    Cpus {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
}

/// What a session keeps that does not stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// How far back; `None` is as far as the buffer reaches.
    pub last: Option<Duration>,
}

/// What ends a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Time.
    After(Duration),
    /// An event, the `count`-th time that its condition holds.
    When {
        /// The events, each with its condition.
        events: Vec<(EventId, ConditionId)>,
        /// The how many-th time.
        count: u64,
    },
    /// A signal to tracec, by its name in C.
    Signal(&'static str),
    /// The end of the command that the session runs.
    Command,
    /// The end of a process.
    Process(u32),
}

/// A block of changes in the machine's top-level state.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// It may empty the top-level buffer.
    pub discarding: bool,
    /// Size of each CPU's ring, KiB.
    pub buffer_kib: Option<Spanned<u64>>,
    /// The trace clock.
    pub clock: Option<Spanned<String>>,
    /// Trace options to set.
    pub options: Vec<OptionSetting>,
    /// The clause.
    pub span: Span,
}

/// One event of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Which.
    pub id: EventId,
    /// Whether and under which condition it is recorded.
    pub record: Option<Recording>,
    /// What it triggers.
    pub triggers: Vec<Trigger>,
}

/// That an event is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Under which conditions.
    pub filter: ConditionId,
    /// Which of them the kernel has to decide: `filter in kernel`.
    pub demands: Vec<Demand>,
    /// The clause.
    pub clause: Span,
}

/// That the kernel has to decide some conjuncts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Demand {
    /// The place of `in kernel`.
    pub words: Span,
    /// Which, by their index in [`Recording::filter`].
    pub conjuncts: Range<usize>,
}

impl Recording {
    /// The place of the words that demand the kernel for a conjunct, by its index.
    pub fn demand(&self, index: usize) -> Option<Span> {
        self.demands.iter().find(|demand| demand.conjuncts.contains(&index)).map(|demand| demand.words)
    }
}

/// One trigger of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Which.
    pub kind: &'static TriggerKind,
    /// The event that it acts on, of the kinds that act on one.
    pub target: Option<EventId>,
    /// How often it may fire; `None` is without limit.
    pub count: Option<u64>,
    /// Under which conditions.
    pub condition: ConditionId,
    /// Where it stands.
    pub span: Span,
}

/// One trace option.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The path as written.
    pub path: Spanned<String>,
    /// The name of the form, one of [`OUTPUT_FORMS`](crate::check::OUTPUT_FORMS).
    pub form: &'static str,
}

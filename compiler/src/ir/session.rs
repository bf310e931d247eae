//! A session, with all names resolved and all conditions typed.

use std::ops::Range;
use std::time::Duration;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::Name;
use tracec_kernel::plan::{InstanceName, ScopedTasks};
use tracec_kernel::tables::triggers::Trigger as TriggerKind;

use super::{ConditionId, EventId};

/// A session, resolved and typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its name; `-e` for a one-liner.
    pub name: String,
    /// The span of its declaration.
    pub span: Span,
    /// The span of the declaration up to the name.
    pub head: Span,
    /// Whether all of its text, and everything that it depends on, was understood. If not, it may have been meant to do
    /// more than it says here.
    pub complete: bool,
    /// Its events and what is done with each, in the order of first mention.
    pub events: Vec<Event>,
    /// The events that `having` removed from a set.
    pub dropped: Vec<Dropped>,
    /// The events it names that the text or one of its imports defines, each with the span where it is named.
    pub defined: Vec<Spanned<NamedEvent>>,
    /// Size of each CPU's ring, KiB.
    pub buffer_kib: Option<Spanned<u64>>,
    /// Size of the parts of each ring, KiB.
    pub subbuffer_kib: Option<Spanned<u64>>,
    /// Size of the queue of records that wait for the output, bytes.
    pub queue: Option<Spanned<u64>>,
    /// When the file of the output is closed, and the next one begun.
    pub rotate: Option<Spanned<Rotate>>,
    /// The trace clock.
    pub clock: Option<Spanned<String>>,
    /// What records, if that is said.
    pub recorder: Option<Spanned<Recorder>>,
    /// Trace options to set.
    pub options: Vec<OptionSetting>,
    /// The tasks and CPUs that are traced; empty for all.
    pub scope: Vec<Spanned<ScopeSubject>>,
    /// Whether children of the scope's processes are traced too: the span of the clause.
    pub children: Option<Span>,
    /// The name of its instance, if it requires one.
    pub instance: Option<Spanned<InstanceName>>,
    /// Changes of the machine's top-level tracing state.
    pub globals: Vec<Global>,
    /// Whether only the newest records are kept, instead of a stream of all of them.
    pub ring: Option<Spanned<Ring>>,
    /// Whether what tracec's own tasks do is recorded too, instead of being left out: the span of the clause.
    pub including_tracec: Option<Span>,
    /// Whether recording starts off, with everything armed: the span of the clause.
    pub start_paused: Option<Span>,
    /// Texts to write into the ring at the start.
    pub markers: Vec<Spanned<String>>,
    /// The clause for whose events it waits, if it is not a session of its own: the events that a session before it waits for,
    /// each recorded under its condition.
    pub waits_for: Option<Span>,
    /// How long it goes on after an event that ends it.
    pub keep: Option<Spanned<Duration>>,
    /// The events at which what its ring holds is written to a file.
    pub dumps: Vec<Spanned<Dump>>,
    /// What ends it, besides the signals that end every session.
    pub stops: Vec<Spanned<Stop>>,
    /// Where records go.
    pub output: Option<Output>,
}

impl Session {
    /// Returns a session without clauses and events, whose text was understood.
    pub fn new(name: String, span: Span) -> Self {
        Session {
            name,
            span,
            head: span,
            complete: true,
            events: Vec::new(),
            dropped: Vec::new(),
            defined: Vec::new(),
            buffer_kib: None,
            subbuffer_kib: None,
            queue: None,
            rotate: None,
            clock: None,
            recorder: None,
            options: Vec::new(),
            scope: Vec::new(),
            children: None,
            instance: None,
            globals: Vec::new(),
            ring: None,
            including_tracec: None,
            start_paused: None,
            markers: Vec::new(),
            waits_for: None,
            keep: None,
            dumps: Vec::new(),
            stops: Vec::new(),
            output: None,
        }
    }

    /// Returns what records an event: what is said, else programs if only they can be the event.
    pub fn recorder_of(&self, event: EventId) -> Recorder {
        let is_event = |named: &NamedEvent| named.id == Some(event) && named.is_program;
        match &self.recorder {
            Some(recorder) => recorder.value,
            None if self.defined.iter().any(|named| is_event(&named.value)) => Recorder::Programs,
            None => Recorder::Tracefs,
        }
    }

    /// Returns what records its events.
    pub fn recorders(&self) -> Recorders {
        if let Some(recorder) = &self.recorder {
            return match recorder.value {
                Recorder::Tracefs => Recorders::Tracefs,
                Recorder::Programs => Recorders::Programs,
            };
        }
        let by_program = self.defined.iter().any(|named| named.value.is_program);
        // An event without a layout is in no list but that of the named ones.
        let by_tracefs = self.defined.iter().any(|named| !named.value.is_program)
            || self.events.iter().any(|event| self.recorder_of(event.id) == Recorder::Tracefs);
        match (by_program, by_tracefs) {
            (false, _) => Recorders::Tracefs,
            (true, false) => Recorders::Programs,
            (true, true) => Recorders::Both,
        }
    }

    /// Returns the tasks of its scope that are known by their ids.
    pub fn scoped_tasks(&self) -> impl Iterator<Item = ScopedTasks> {
        self.scope.iter().filter_map(|subject| match subject.value {
            ScopeSubject::Process(id) => Some(ScopedTasks::Process(id)),
            ScopeSubject::Thread(id) => Some(ScopedTasks::Thread(id)),
            ScopeSubject::Command => Some(ScopedTasks::Command),
            ScopeSubject::Comm(_) | ScopeSubject::Cgroup(_) | ScopeSubject::Cpus { .. } => None,
        })
    }

    /// Returns the first part of its scope that knows tasks by their names.
    pub fn scoped_name(&self) -> Option<Span> {
        let mut names = self.scope.iter().filter(|subject| matches!(subject.value, ScopeSubject::Comm(_)));
        names.next().map(|subject| subject.span)
    }

    /// Returns the span from the first part of its scope to the last.
    pub fn scope_span(&self) -> Option<Span> {
        self.scope.iter().map(|subject| subject.span).reduce(Span::to)
    }

    /// Returns whether it records processes with all their threads, and leaves their children out.
    pub fn leaves_out_children(&self) -> bool {
        let has_threads = |tasks| !matches!(tasks, ScopedTasks::Thread(_));
        self.children.is_none() && self.scoped_tasks().any(has_threads)
    }

    /// Returns the longest time that it runs.
    pub fn stop_after(&self) -> Option<Duration> {
        self.stops.iter().find_map(|stop| match stop.value {
            Stop::After(time) => Some(time),
            _ => None,
        })
    }
}

/// An event that the text or one of its imports defines, where a session names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedEvent {
    /// Its name, without a system.
    pub name: String,
    /// Its layout; `None` if only a C compiler knows it.
    pub id: Option<EventId>,
    /// Whether it is a probe and not a tracepoint.
    pub is_probe: bool,
    /// Whether it is a probe that only a BPF program can be.
    pub is_program: bool,
}

/// What records the events of a session: each has one recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorders {
    /// Tracefs records all of them.
    Tracefs,
    /// BPF programs record all of them.
    Programs,
    /// Programs record the events that only they can be, and tracefs records the others.
    Both,
}

/// What records an event of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recorder {
    /// The ring buffer of an instance of tracefs.
    Tracefs,
    /// BPF programs.
    Programs,
}

impl Recorder {
    /// All of them.
    pub const ALL: [Recorder; 2] = [Recorder::Tracefs, Recorder::Programs];

    /// Returns the word of the language.
    pub fn name(self) -> &'static str {
        match self {
            Recorder::Tracefs => "tracefs",
            Recorder::Programs => "bpf",
        }
    }
}

/// An event that a clause names and does not act on, because it lacks a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The event.
    pub event: EventId,
    /// The field that it lacks.
    pub field: String,
    /// The span where the set is named.
    pub span: Span,
}

/// A part of the scope: tasks or CPUs that are traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeSubject {
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
    /// All tasks on these CPUs, both ends included.
    Cpus {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
}

/// The settings of a session that keeps the newest records instead of streaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The time span that is kept; `None` for as much as the buffer holds.
    pub last: Option<Duration>,
}

/// What ends a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// A time after the start.
    After(Duration),
    /// An event, the `count`-th time that its condition holds.
    On {
        /// The events, each with its condition.
        events: Vec<(EventId, ConditionId)>,
        /// How many times the condition has to hold.
        count: u64,
    },
    /// A signal to tracec, by its name in C.
    Signal(&'static str),
    /// The end of the command that the session runs.
    Command,
    /// The end of a process.
    Process(u32),
}

/// When the file of an output is closed, and the next one begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotate {
    /// The size that it has then, bytes.
    pub bytes: u64,
    /// The number of files that are kept; `None` for all.
    pub max: Option<u64>,
}

/// The event at which what the ring holds is written to a file, each `count`-th time that its condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Dump {
    /// The events, each with its condition.
    pub events: Vec<(EventId, ConditionId)>,
    /// How many times the condition has to hold for each file.
    pub count: u64,
    /// The name of the files, in which [`DUMP_NUMBER`](tracec_kernel::plan::DUMP_NUMBER) stands for the number, and their form.
    pub output: Output,
    /// The number of files; `None` for no limit.
    pub max: Option<u64>,
}

/// A block of changes of the machine's top-level tracing state.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Whether it may empty the top-level buffer.
    pub discarding: bool,
    /// Size of each CPU's ring, KiB.
    pub buffer_kib: Option<Spanned<u64>>,
    /// The trace clock.
    pub clock: Option<Spanned<String>>,
    /// The number of tasks whose names the kernel remembers.
    pub cmdlines: Option<Spanned<u64>>,
    /// Trace options to set.
    pub options: Vec<OptionSetting>,
    /// The clause.
    pub span: Span,
}

/// One event of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The event.
    pub id: EventId,
    /// Whether and under which condition it is recorded.
    pub record: Option<Recording>,
    /// Its triggers.
    pub triggers: Vec<Trigger>,
}

/// The recording of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The condition under which it is recorded.
    pub filter: ConditionId,
    /// The conjuncts that the kernel has to decide: `filter in kernel`. Their ranges are not empty, ascend, and do not
    /// overlap.
    pub demands: Vec<Demand>,
    /// What is shown of its records.
    pub shown: Shown,
    /// The clause.
    pub clause: Span,
}

/// What is shown of the records of an event, where it is not all as the kernel has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The text, as the `print fmt` of a layout, at the span of its template.
    pub print_fmt: Option<Spanned<String>>,
    /// The fields that are left out.
    pub left_out: Vec<Name>,
    /// The fields whose values are blanked.
    pub blanked: Vec<Name>,
}

impl Shown {
    /// Returns whether everything is shown as the kernel has it.
    pub fn is_all(&self) -> bool {
        self.print_fmt.is_none() && self.left_out.is_empty() && self.blanked.is_empty()
    }
}

/// A demand that the kernel decide some conjuncts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Demand {
    /// The span of `in kernel`.
    pub words: Span,
    /// The conjuncts, by their index in [`Recording::filter`].
    pub conjuncts: Range<usize>,
}

impl Demand {
    /// Returns the demand for these conjuncts; `None` if there are none.
    pub fn of(words: Span, conjuncts: Range<usize>) -> Option<Demand> {
        (!conjuncts.is_empty()).then_some(Demand { words, conjuncts })
    }
}

impl Recording {
    /// Returns the span of the words that demand the kernel for a conjunct, by the conjunct's index.
    pub fn demand(&self, index: usize) -> Option<Span> {
        let before = self.demands.partition_point(|demand| demand.conjuncts.end <= index);
        let demand = self.demands.get(before)?;
        demand.conjuncts.contains(&index).then_some(demand.words)
    }

    /// Adds the demands of another clause with the same filter. A conjunct that both demand keeps the words of the
    /// first.
    pub fn demand_also(&mut self, others: Vec<Demand>) {
        let mut own = std::mem::take(&mut self.demands).into_iter().peekable();
        let mut end = 0;
        for Demand { words, conjuncts } in others {
            end = end.max(conjuncts.start);
            while let Some(demand) = own.next_if(|demand| demand.conjuncts.start < conjuncts.end) {
                self.demands.extend(Demand::of(words, end..demand.conjuncts.start));
                end = end.max(demand.conjuncts.end);
                self.demands.push(demand);
            }
            self.demands.extend(Demand::of(words, end..conjuncts.end));
            end = end.max(conjuncts.end);
        }
        self.demands.extend(own);
    }
}

/// One trigger of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// The kind of trigger, at the span of its name.
    pub kind: Spanned<&'static TriggerKind>,
    /// The event that it enables or disables, for the kinds that act on one.
    pub event: Option<EventId>,
    /// How often it may fire; `None` for no limit.
    pub count: Option<u64>,
    /// The condition under which it fires.
    pub condition: ConditionId,
    /// The span where it is written.
    pub span: Span,
}

/// One trace option.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSetting {
    /// Its kernel name.
    pub name: Spanned<String>,
    /// On or off.
    pub on: bool,
    /// Its value in a new instance, where the kernel has reported it.
    pub old: Option<bool>,
    /// The clause.
    pub clause: Span,
}

/// Where records go and how they look.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The path as written.
    pub path: Spanned<String>,
    /// How they look.
    pub form: OutputForm,
}

/// How the records in a file look. The form with this name belongs to the runtime (`runtime/src/sink/`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// Lines of text.
    Text,
    /// One JSON object per line.
    JsonLines,
    /// The ring buffer's pages in a trace.dat file.
    TraceDat,
}

impl OutputForm {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            OutputForm::Text => "text",
            OutputForm::JsonLines => "JSON lines",
            OutputForm::TraceDat => "trace.dat",
        }
    }
}

#[expect(clippy::single_range_in_vec_init, reason = "one range of conjuncts")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::fixture::{plain, session};

    fn demands(all: &[(usize, Range<usize>)]) -> Vec<Demand> {
        let demand = |(at, conjuncts): &(usize, Range<usize>)| Demand {
            words: Span::new(*at, at + 9),
            conjuncts: conjuncts.clone(),
        };
        all.iter().map(demand).collect()
    }

    /// A conjunct has the words of the first clause that demands it, and the ranges stay in order.
    #[test]
    fn demands_of_two_clauses_are_joined_in_order() {
        let recorded = session(&[plain(1)], None, false).sessions.remove(0).events.remove(0).record;
        let recorded = recorded.expect("recorded");
        let ranges = [vec![], vec![0..1], vec![1..3], vec![0..5], vec![0..2, 4..5], vec![1..2, 2..4]];
        for (one, other) in ranges.iter().flat_map(|one| ranges.iter().map(move |other| (one, other))) {
            let at = |from: usize, all: &[Range<usize>]| -> Vec<(usize, Range<usize>)> {
                all.iter().cloned().enumerate().map(|(index, range)| (from + 10 * index, range)).collect()
            };
            let (one, other) = (demands(&at(0, one)), demands(&at(100, other)));
            let mut recording = Recording { demands: one.clone(), ..recorded.clone() };
            recording.demand_also(other.clone());
            let ends =
                recording.demands.iter().flat_map(|demand| [demand.conjuncts.start, demand.conjuncts.end]);
            assert!(ends.is_sorted(), "{:?}", recording.demands);
            for index in 0..6 {
                let mut all = one.iter().chain(&other);
                let first = all.find(|demand| demand.conjuncts.contains(&index)).map(|demand| demand.words);
                assert_eq!(recording.demand(index), first, "{one:?} and {other:?} at {index}");
            }
        }
    }
}

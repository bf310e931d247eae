//! The clauses that a target supports or refuses, and where a session has them.

use rustc_hash::FxHashSet;
use tracec_grammar::span::{Span, Spanned};
use tracec_kernel::plan::NEW_TASKS;
use tracec_kernel::tables::clocks::{self, ClockUnit};
use tracec_kernel::tables::options::OVERWRITE;
use tracec_kernel::tables::triggers::{Slot, Trigger as TriggerKind};

use crate::ir::{
    ConditionId, Event, Global, NamedEvent, OptionSetting, Output, OutputForm, Recorder, Recorders,
    Recording, Ring, ScopeSubject, Session, Shown, Stop, Trigger,
};
use crate::place::PlacedSession;

/// Declares the clauses once: the enumeration, the list of all, and their words.
macro_rules! clauses {
    ($($(#[$doc:meta])* $name:ident = $words:literal,)*) => {
        /// A part of the session form that a target supports or refuses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Clause {
            $($(#[$doc])* $name,)*
        }

        impl Clause {
            /// Every clause, in the order of the language's description.
            pub const ALL: &[Clause] = &[$(Clause::$name,)*];

            /// Returns the words that name it.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Clause::$name => $words,)*
                }
            }
        }
    };
}

clauses! {
    /// `trace`: an event is recorded, under a condition that the kernel's filter decides.
    Record = "`trace`",
    /// `print`: the text of a record, in the place of the kernel's.
    Print = "`print`",
    /// `drop`: fields that are left out.
    Drop = "`drop`",
    /// `redact`: fields whose values are blanked.
    Redact = "`redact`",
    /// `trigger traceon` and `trigger traceoff`.
    TriggerTracing = "`trigger traceon`, `trigger traceoff`",
    /// `trigger snapshot`.
    TriggerSnapshot = "`trigger snapshot`",
    /// `trigger snapshot`, in a session whose dumps use the snapshot of the instance.
    SnapshotBesideDump = "`trigger snapshot` in a session with `dump`",
    /// `trigger stacktrace`.
    TriggerStacktrace = "`trigger stacktrace`",
    /// `trigger enable_event` and `trigger disable_event`.
    TriggerEvent = "`trigger enable_event`, `trigger disable_event`",
    /// A trigger of an event that a program records, while tracefs records others.
    TriggerBesideProgram = "a trigger of an event that a program records",
    /// A tracepoint that the text itself defines.
    DefinedTracepoint = "a tracepoint that is defined in the text",
    /// A probe that the text itself defines.
    DefinedProbe = "a probe that is defined in the text",
    /// A probe that the text itself defines, in a session whose other probes are programs.
    DefinedProbeBesideProgram = "a probe that is defined in the text, beside one that is a program",
    /// `buffer`.
    Buffer = "`buffer`",
    /// `subbuffer`.
    Subbuffer = "`subbuffer`",
    /// `queue`.
    Queue = "`queue`",
    /// `rotate`.
    Rotate = "`rotate`",
    /// `clock`.
    Clock = "`clock`",
    /// `recorder tracefs`.
    RecorderTracefs = "`recorder tracefs`",
    /// `recorder bpf`.
    RecorderPrograms = "`recorder bpf`",
    /// `option`.
    Option = "`option`",
    /// `scope comm` and `scope cpus`: conditions on every event.
    ScopeConditions = "`scope comm`, `scope cpus`",
    /// `scope process`, `scope thread` and `scope command`.
    ScopeTasks = "`scope process`, `scope thread`, `scope command`",
    /// Tasks by their name beside tasks by their id.
    ScopeOfBoth = "a scope of names beside ids of tasks",
    /// `scope cgroup`.
    ScopeCgroup = "`scope cgroup`",
    /// A trigger, while children of the scope's processes are left out.
    TriggerWithoutChildren = "a trigger in a scope without `and children`",
    /// A condition on the event that tells children from threads, while they are left out.
    NewTasksWithoutChildren = "a condition on `task:task_newtask` in a scope without `and children`",
    /// A trace.dat file, while children of the scope's processes are left out.
    TraceDatWithoutChildren = "`output` as trace.dat in a scope without `and children`",
    /// `scope including tracec`.
    IncludingTracec = "`scope including tracec`",
    /// `instance`.
    Instance = "`instance`",
    /// `global`.
    Global = "`global`",
    /// `ring`.
    Ring = "`ring`",
    /// `ring last D` or `keep D after`, with a clock that counts something else than time.
    TimeWithoutNanoseconds = "`ring last` or `keep` with a clock that does not count nanoseconds",
    /// `option overwrite off` in a session that keeps its newest records.
    RingOfOldest = "`option overwrite off` in a session with `ring`",
    /// `start paused`.
    StartPaused = "`start paused`",
    /// `marker`.
    Marker = "`marker`",
    /// `marker`, in a session that starts paused.
    MarkerWhilePaused = "`marker` in a session that starts paused",
    /// `stop after`.
    StopAfter = "`stop after`",
    /// `stop on EVENT`.
    StopOnEvent = "`stop on EVENT`",
    /// `keep DURATION after`.
    Keep = "`keep`",
    /// `dump on EVENT`.
    Dump = "`dump`",
    /// A dump, while children of the scope's processes are left out.
    DumpWithoutChildren = "`dump` in a scope without `and children`",
    /// `keep DURATION after` in a session with dumps.
    KeepBesideDump = "`keep` in a session with `dump`",
    /// `stop on signal`.
    StopOnSignal = "`stop on signal`",
    /// `stop with command`.
    StopWithCommand = "`stop with command`",
    /// `stop with process`.
    StopWithProcess = "`stop with process`",
    /// `output` to a file of text.
    OutputText = "`output` as text",
    /// `output` to a file of JSON lines.
    OutputJsonLines = "`output` as JSON lines",
    /// `output` to a trace.dat file.
    OutputTraceDat = "`output` as trace.dat",
}

/// The alternative to a trace.dat file, which has the pages of tracefs.
const NOT_AS_PAGES: &str =
    "name a file that ends in `.txt` or `.jsonl`: a trace.dat file has the pages of tracefs";

/// The support of a target for a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseSupport {
    /// The target supports it.
    Yes,
    /// The target does not support it; [`Clause::alternative`] is the alternative.
    No,
    /// The target does not support it; the text is the alternative for this target, as an order.
    Instead(&'static str),
}

/// The statement of a target: its support for every clause.
#[derive(Clone, Copy, Debug)]
pub struct Supported([ClauseSupport; Clause::ALL.len()]);

impl Supported {
    /// Returns the statement that these lists make. Where it is a constant, as in
    /// [`Capabilities`](super::Capabilities), a wrong one does not compile.
    ///
    /// # Panics
    /// Panics if a clause is in none of the lists, or in two.
    pub const fn new(lists: &[(ClauseSupport, &[Clause])]) -> Supported {
        let mut stated = [None; Clause::ALL.len()];
        let mut list = 0;
        // Constants are evaluated without iterators.
        while list < lists.len() {
            let (support, clauses) = lists[list];
            let mut at = 0;
            while at < clauses.len() {
                let clause = clauses[at];
                assert!(stated[clause as usize].is_none(), "a clause is stated twice");
                stated[clause as usize] = Some(support);
                at += 1;
            }
            list += 1;
        }
        let mut all = [ClauseSupport::No; Clause::ALL.len()];
        let mut at = 0;
        while at < all.len() {
            match stated[at] {
                Some(support) => all[at] = support,
                None => panic!("{}", Clause::ALL[at].words()),
            }
            at += 1;
        }
        Supported(all)
    }

    /// Returns the statement of a target that also supports these clauses.
    pub const fn and(mut self, clauses: &[Clause]) -> Supported {
        let mut at = 0;
        while at < clauses.len() {
            self.0[clauses[at] as usize] = ClauseSupport::Yes;
            at += 1;
        }
        self
    }

    /// Returns the statement of a target that supports the same without these clauses.
    pub const fn without(mut self, clauses: &[Clause]) -> Supported {
        let mut at = 0;
        while at < clauses.len() {
            self.0[clauses[at] as usize] = ClauseSupport::No;
            at += 1;
        }
        self
    }

    /// Returns the support for a clause.
    pub const fn of(&self, clause: Clause) -> ClauseSupport {
        self.0[clause as usize]
    }

    /// Returns whether a clause is supported.
    pub const fn has(&self, clause: Clause) -> bool {
        matches!(self.of(clause), ClauseSupport::Yes)
    }

    /// Returns whether `other` supports every clause that is supported here.
    pub const fn is_within(&self, other: &Supported) -> bool {
        let mut at = 0;
        while at < Clause::ALL.len() {
            if self.has(Clause::ALL[at]) && !other.has(Clause::ALL[at]) {
                return false;
            }
            at += 1;
        }
        true
    }
}

impl Clause {
    /// Returns the clause of a kind of trigger.
    pub fn of_trigger(kind: &TriggerKind) -> Clause {
        match kind.slot {
            Slot::Tracing => Clause::TriggerTracing,
            Slot::Snapshot => Clause::TriggerSnapshot,
            Slot::Stacktrace => Clause::TriggerStacktrace,
            Slot::Event => Clause::TriggerEvent,
        }
    }

    /// Returns the alternative for every target that does not support the clause and states none of its own, as an
    /// order; `None` if each target has to.
    pub fn alternative(self) -> Option<&'static str> {
        Some(match self {
            Clause::TriggerSnapshot => "leave it out, or run the session with `tracec run`",
            Clause::SnapshotBesideDump => {
                "leave it out: each dump takes the snapshot of the ring; `dump on` can wait for this event too"
            }
            Clause::DefinedTracepoint => {
                "run the session with `tracec run FILE --target module`: a kernel module then has the event; `tracec plan FILE \
                 --target module` shows what that does"
            }
            Clause::DefinedProbe => {
                "write `recorder bpf;` into the session: a BPF program is the probe then, where its kind can be one"
            }
            Clause::TriggerBesideProgram => {
                "leave it out: a trigger is armed by tracefs, which has no such event"
            }
            Clause::DefinedProbeBesideProgram => {
                "write `recorder bpf;` into the session: every event is recorded by a program then"
            }
            Clause::RecorderTracefs => "leave it out, or build the session with another target",
            Clause::RecorderPrograms => "leave it out, or build the session with `--target bpf`",
            Clause::ScopeConditions => "write a condition, such as `if current.comm == \"fio\"`",
            Clause::ScopeTasks => "leave it out, or run the session with `tracec run` and `recorder tracefs`",
            Clause::ScopeOfBoth => "write two sessions: one for the names, one for the ids",
            Clause::ScopeCgroup => "name the processes of the group: `scope process 123`",
            Clause::TriggerWithoutChildren => {
                "write `and children` into the scope: the kernel, which fires the trigger, does not tell children from \
                 threads"
            }
            Clause::NewTasksWithoutChildren => {
                "write `and children` into the scope: each record of this event is needed to tell children from threads"
            }
            Clause::TraceDatWithoutChildren => {
                "write `and children` into the scope, or name a file that ends in `.txt` or `.jsonl`"
            }
            Clause::Global => "set it beside the session, where you can see what was there",
            Clause::Ring => "leave it out: the session streams",
            Clause::TimeWithoutNanoseconds => "leave it out, or choose a clock such as `clock mono;`",
            Clause::RingOfOldest => "leave it out: a ring keeps the newest records",
            Clause::StartPaused => "leave it out: the session records from its start",
            Clause::Marker => "leave it out",
            Clause::MarkerWhilePaused => {
                "leave it out: the ring takes no record before recording is switched on"
            }
            Clause::StopOnEvent => {
                "give that event an `on` clause with `trigger traceoff once`, which acts at its first record, and end the \
                 session by hand"
            }
            Clause::Keep => "leave it out",
            Clause::Dump => "leave it out, or run the session with `tracec run` and `recorder tracefs`",
            Clause::DumpWithoutChildren => {
                "write `and children` into the scope: the records of a ring do not say who was a child before them"
            }
            Clause::KeepBesideDump => {
                "leave it out: a dump ends at its event, and the next one begins there; write `stop on` into another session"
            }
            Clause::StopOnSignal => "end the session with SIGINT or SIGTERM",
            Clause::StopWithProcess => "run the command: `run -- COMMAND`",
            Clause::Record
            | Clause::Print
            | Clause::Drop
            | Clause::Redact
            | Clause::TriggerTracing
            | Clause::TriggerStacktrace
            | Clause::TriggerEvent
            | Clause::Buffer
            | Clause::Subbuffer
            | Clause::Queue
            | Clause::Rotate
            | Clause::Clock
            | Clause::Option
            | Clause::IncludingTracec
            | Clause::Instance
            | Clause::StopAfter
            | Clause::StopWithCommand
            | Clause::OutputText
            | Clause::OutputJsonLines => return None,
            Clause::OutputTraceDat => NOT_AS_PAGES,
        })
    }
}

/// A clause of a session.
#[derive(Clone, Debug)]
pub(super) struct FoundClause {
    pub(super) clause: Clause,
    pub(super) span: Span,
    /// What it names, where its words are too general.
    pub(super) name: Option<ClauseName>,
    /// The alternative to just this clause, where [`Clause::alternative`] is too general.
    pub(super) instead: Option<String>,
}

/// What a clause names.
#[derive(Clone, Debug)]
pub(super) enum ClauseName {
    /// An event that the text defines.
    Event(String),
    /// A kind of trigger.
    Trigger(&'static str),
}

/// Returns the wanted clauses of a session, in the order of the session form; each once, although it may be about many
/// events.
pub(super) fn clauses(placed: PlacedSession<'_>, is_wanted: &dyn Fn(Clause) -> bool) -> Vec<FoundClause> {
    // The module, the placement and the ids of the conditions are read where the conditions are validated.
    let PlacedSession { module: _, session, placement: _, events: _ } = placed;
    let Session {
        // The name and the span of the session are not a clause.
        name: _,
        span: _,
        head: _,
        complete: _,
        events,
        // `having` is applied to the names already.
        dropped: _,
        defined,
        buffer_kib,
        subbuffer_kib,
        queue,
        rotate,
        clock,
        recorder,
        options,
        scope,
        // This clause is reported with the scope.
        children: _,
        instance,
        globals,
        ring,
        including_tracec,
        start_paused,
        markers,
        // The session that waits has the clause.
        waits_for: _,
        keep,
        dumps,
        stops,
        output,
    } = session;
    let mut found = Collected { all: Vec::new(), seen: FxHashSet::default(), is_wanted };
    let both = session.recorders() == Recorders::Both;
    let threads_only = session.leaves_out_children();
    let by_program = |event| session.recorder_of(event) == Recorder::Programs;
    for Event { id, record, triggers } in events {
        if let Some(Recording { filter, demands: _, shown, clause }) = record {
            found.add(Clause::Record, *clause);
            let is_new_tasks = || placed.module.catalogue[*id].qualified_name() == NEW_TASKS;
            if threads_only && *filter != ConditionId::ALWAYS && is_new_tasks() {
                found.add(Clause::NewTasksWithoutChildren, *clause);
            }
            let Shown { print_fmt, left_out, blanked } = shown;
            print_fmt.iter().for_each(|print| found.add(Clause::Print, print.span));
            left_out.iter().for_each(|field| found.add(Clause::Drop, field.span));
            blanked.iter().for_each(|field| found.add(Clause::Redact, field.span));
        }
        for Trigger { kind, event, count: _, condition: _, span } in triggers {
            if threads_only {
                found.add(Clause::TriggerWithoutChildren, *span);
                continue;
            }
            let name = Some(ClauseName::Trigger(kind.value.name));
            let clause = match Clause::of_trigger(kind.value) {
                _ if both && (by_program(*id) || event.is_some_and(by_program)) => {
                    Clause::TriggerBesideProgram
                }
                Clause::TriggerSnapshot if !dumps.is_empty() => Clause::SnapshotBesideDump,
                clause => clause,
            };
            found.add_named(clause, kind.span, name);
        }
    }
    for Spanned { value: NamedEvent { name, id: _, is_probe, is_program }, span } in defined {
        found.all.push(FoundClause {
            clause: match (is_probe, is_program) {
                (false, _) => Clause::DefinedTracepoint,
                (true, false) if both => Clause::DefinedProbeBesideProgram,
                (true, _) => Clause::DefinedProbe,
            },
            span: *span,
            name: Some(ClauseName::Event(name.clone())),
            instead: None,
        });
    }
    buffer_kib.iter().for_each(|size| found.add(Clause::Buffer, size.span));
    subbuffer_kib.iter().for_each(|size| found.add(Clause::Subbuffer, size.span));
    queue.iter().for_each(|size| found.add(Clause::Queue, size.span));
    rotate.iter().for_each(|rotate| found.add(Clause::Rotate, rotate.span));
    clock.iter().for_each(|clock| found.add(Clause::Clock, clock.span));
    if let Some(recorder) = recorder {
        let clause = match recorder.value {
            Recorder::Tracefs => Clause::RecorderTracefs,
            Recorder::Programs => Clause::RecorderPrograms,
        };
        found.add(clause, recorder.span);
    }
    for OptionSetting { name: _, on: _, old: _, clause } in options {
        found.add(Clause::Option, *clause);
    }
    for Spanned { value, span } in scope {
        found.add_instead(of_subject(value), *span, instead_of_scope(value));
    }
    if let (Some(name), true) = (session.scoped_name(), session.scoped_tasks().next().is_some()) {
        found.add(Clause::ScopeOfBoth, name);
    }
    instance.iter().for_each(|name| found.add(Clause::Instance, name.span));
    for Global { discarding: _, buffer_kib: _, clock: _, cmdlines: _, options: _, span } in globals {
        found.add(Clause::Global, *span);
    }
    let unit = clock.as_ref().and_then(|clock| clocks::find(&clock.value)).map(|clock| clock.unit);
    let counts_no_time = unit == Some(ClockUnit::Other);
    if let Some(Spanned { value: Ring { last }, span }) = ring {
        found.add(Clause::Ring, *span);
        if last.is_some() && counts_no_time {
            found.add(Clause::TimeWithoutNanoseconds, *span);
        }
        let keeps_oldest = |option: &&OptionSetting| option.name.value == OVERWRITE && !option.on;
        if let Some(option) = options.iter().find(keeps_oldest) {
            found.add(Clause::RingOfOldest, option.clause);
        }
    }
    including_tracec.iter().for_each(|span| found.add(Clause::IncludingTracec, *span));
    start_paused.iter().for_each(|span| found.add(Clause::StartPaused, *span));
    let marker = if start_paused.is_some() { Clause::MarkerWhilePaused } else { Clause::Marker };
    markers.iter().for_each(|text| found.add(marker, text.span));
    let keeps = match counts_no_time {
        true => Clause::TimeWithoutNanoseconds,
        false if !dumps.is_empty() => Clause::KeepBesideDump,
        false => Clause::Keep,
    };
    keep.iter().for_each(|keep| found.add(keeps, keep.span));
    let dumped = if threads_only { Clause::DumpWithoutChildren } else { Clause::Dump };
    dumps.iter().for_each(|dump| found.add(dumped, dump.span));
    for stop in stops {
        let clause = match stop.value {
            Stop::After(_) => Clause::StopAfter,
            Stop::On { events: _, count: _ } => Clause::StopOnEvent,
            Stop::Signal(_) => Clause::StopOnSignal,
            Stop::Command => Clause::StopWithCommand,
            Stop::Process(_) => Clause::StopWithProcess,
        };
        found.add(clause, stop.span);
    }
    if let Some(Output { path, form }) = output {
        let clause = match form {
            OutputForm::Text => Clause::OutputText,
            OutputForm::JsonLines => Clause::OutputJsonLines,
            OutputForm::TraceDat if threads_only => Clause::TraceDatWithoutChildren,
            OutputForm::TraceDat => Clause::OutputTraceDat,
        };
        found.add(clause, path.span);
    }
    found.all
}

/// Returns the clause of a part of a scope.
fn of_subject(subject: &ScopeSubject) -> Clause {
    match subject {
        ScopeSubject::Process(_) | ScopeSubject::Thread(_) | ScopeSubject::Command => Clause::ScopeTasks,
        ScopeSubject::Comm(_) | ScopeSubject::Cpus { .. } => Clause::ScopeConditions,
        ScopeSubject::Cgroup(_) => Clause::ScopeCgroup,
    }
}

/// Returns the alternative to a part of a scope: the condition that selects the same records, where there is one.
fn instead_of_scope(subject: &ScopeSubject) -> Option<String> {
    Some(match subject {
        ScopeSubject::Thread(id) => format!("write a condition: `if current.pid == {id}`"),
        // Records and filters have the id of the thread only.
        ScopeSubject::Process(id) => {
            format!("write a condition on its threads: `if current.pid == {id}` selects the main one")
        }
        ScopeSubject::Command => "leave it out: all tasks are recorded".to_owned(),
        ScopeSubject::Comm(_) | ScopeSubject::Cpus { .. } | ScopeSubject::Cgroup(_) => return None,
    })
}

/// Clauses that were found.
struct Collected<'w> {
    all: Vec<FoundClause>,
    seen: FxHashSet<(Clause, Span)>,
    is_wanted: &'w dyn Fn(Clause) -> bool,
}

impl Collected<'_> {
    /// Adds a clause, once: the events of a group share it.
    fn add(&mut self, clause: Clause, span: Span) {
        self.add_named(clause, span, None);
    }

    fn add_instead(&mut self, clause: Clause, span: Span, instead: Option<String>) {
        if (self.is_wanted)(clause) && self.seen.insert((clause, span)) {
            self.all.push(FoundClause { clause, span, name: None, instead });
        }
    }

    fn add_named(&mut self, clause: Clause, span: Span, name: Option<ClauseName>) {
        if (self.is_wanted)(clause) && self.seen.insert((clause, span)) {
            self.all.push(FoundClause { clause, span, name, instead: None });
        }
    }
}

//! The clauses that a target supports or refuses, and where a session has them.

use std::collections::BTreeSet;

use tracec_grammar::span::{Span, Spanned};

use crate::ir::{
    Dropped, Event, Global, OptionSetting, Output, OutputForm, Recording, Ring, ScopeSubject, Session, Stop,
    Trigger,
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
            pub fn words(self) -> &'static str {
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
    /// A condition, or a part of it, that is decided when the records are read.
    HostCondition = "a condition that is decided on the host",
    /// `trigger`.
    Trigger = "`trigger`",
    /// An event that the text itself defines.
    DefinedEvent = "an event that is defined in the text",
    /// `buffer`.
    Buffer = "`buffer`",
    /// `clock`.
    Clock = "`clock`",
    /// `option`.
    Option = "`option`",
    /// `scope`.
    Scope = "`scope`",
    /// `scope including tracec`.
    IncludingTracec = "`scope including tracec`",
    /// `instance`.
    Instance = "`instance`",
    /// `global`.
    Global = "`global`",
    /// `ring`.
    Ring = "`ring`",
    /// `start paused`.
    StartPaused = "`start paused`",
    /// `marker`.
    Marker = "`marker`",
    /// `stop after`.
    StopAfter = "`stop after`",
    /// `stop when`.
    StopWhen = "`stop when`",
    /// `stop on SIGNAL`.
    StopOnSignal = "`stop on`",
    /// `stop with command`.
    StopWithCommand = "`stop with command`",
    /// `stop with process`.
    StopWithProcess = "`stop with process`",
    /// `output` to a file of text.
    OutputText = "`output` as text",
    /// `output` to a file of JSON lines.
    OutputJsonLines = "`output` as JSON lines",
}

/// The support of a target for a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The target supports it.
    Yes,
    /// The target does not support it, and another one does; the text is an alternative, as an order.
    No(&'static str),
    /// It is not implemented in any target yet; the text is an alternative, as an order.
    NotYet(&'static str),
}

/// Returns every clause of a session, with its place.
pub(super) fn clauses(placed: PlacedSession<'_>) -> Vec<(Clause, Span)> {
    // The module, the placement and the ids of the conditions are read where the conditions are validated.
    let PlacedSession { module: _, session, placement: _, events: _ } = placed;
    let Session {
        // The name and the span of the session are not a clause.
        name: _,
        span: _,
        complete: _,
        events,
        // `having` is applied to the names already.
        dropped,
        defined,
        buffer_kib,
        clock,
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
        stops,
        output,
    } = session;
    // What was removed has no clause left.
    for Dropped { event: _, field: _, span: _ } in dropped {}
    let mut found = Vec::new();
    for Event { id: _, record, triggers } in events {
        let recording =
            record.iter().map(|Recording { filter: _, demands: _, clause }| (Clause::Record, *clause));
        found.extend(recording);
        let armed = triggers
            .iter()
            .map(|Trigger { kind: _, target: _, count: _, condition: _, span }| (Clause::Trigger, *span));
        found.extend(armed);
    }
    let on_host = placed.conditions().flat_map(|condition| placed.on_host(condition));
    let on_host: BTreeSet<Span> = on_host.map(|conjunct| conjunct.span).collect();
    found.extend(on_host.into_iter().map(|span| (Clause::HostCondition, span)));
    found.extend(defined.iter().map(|event| (Clause::DefinedEvent, event.span)));
    found.extend(buffer_kib.iter().map(|size| (Clause::Buffer, size.span)));
    found.extend(clock.iter().map(|clock| (Clause::Clock, clock.span)));
    let option = |&OptionSetting { name: _, on: _, old: _, clause }: &OptionSetting| (Clause::Option, clause);
    found.extend(options.iter().map(option));
    for Spanned { value, span } in scope {
        let clause = match value {
            ScopeSubject::Process(_)
            | ScopeSubject::Thread(_)
            | ScopeSubject::Command
            | ScopeSubject::Comm(_)
            | ScopeSubject::Cgroup(_)
            | ScopeSubject::Cpus { first: _, last: _ } => Clause::Scope,
        };
        found.push((clause, *span));
    }
    found.extend(instance.iter().map(|name| (Clause::Instance, name.span)));
    found.extend(
        globals.iter().map(|Global { discarding: _, buffer_kib: _, clock: _, options: _, span }| {
            (Clause::Global, *span)
        }),
    );
    found.extend(ring.iter().map(|Spanned { value: Ring { last: _ }, span }| (Clause::Ring, *span)));
    found.extend(including_tracec.iter().map(|span| (Clause::IncludingTracec, *span)));
    found.extend(start_paused.iter().map(|span| (Clause::StartPaused, *span)));
    found.extend(markers.iter().map(|marker| (Clause::Marker, marker.span)));
    for stop in stops {
        let clause = match stop.value {
            Stop::After(_) => Clause::StopAfter,
            Stop::When { events: _, count: _ } => Clause::StopWhen,
            Stop::Signal(_) => Clause::StopOnSignal,
            Stop::Command => Clause::StopWithCommand,
            Stop::Process(_) => Clause::StopWithProcess,
        };
        found.push((clause, stop.span));
    }
    if let Some(Output { path, form }) = output {
        let clause = match form {
            OutputForm::Text => Clause::OutputText,
            OutputForm::JsonLines => Clause::OutputJsonLines,
        };
        found.push((clause, path.span));
    }
    found
}

//! The records of a recording that a session asks for: its events, each with its condition.
//!
//! It makes no files: `tracec report` and the library look for the records in the pages of the recording.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::selection::{Numbered, SelectedEvent};
use tracec_kernel::shown::ShownEvent;

use super::{Target, is_implemented};
use crate::diagnostic::Diagnostic;
use crate::place::{Engines, PlacedSession};
use crate::plan::shown;
use crate::validate::{Capabilities, Clause, ClauseSupport, Supported, validate};

/// What `report` says of all other clauses.
const NOT_ABOUT_RECORDS: ClauseSupport =
    ClauseSupport::Instead("leave it out: it is about recording, and the records are there already");

/// The clauses that say how records are made and where they go.
const HOW: &[Clause] = &[
    Clause::TriggerTracing,
    Clause::TriggerSnapshot,
    Clause::SnapshotBesideDump,
    Clause::TriggerStacktrace,
    Clause::TriggerEvent,
    Clause::TriggerBesideProgram,
    Clause::RecorderPrograms,
    Clause::Buffer,
    Clause::Subbuffer,
    Clause::Queue,
    Clause::Rotate,
    Clause::Clock,
    Clause::RecorderTracefs,
    Clause::Option,
    Clause::IncludingTracec,
    Clause::Instance,
    Clause::Global,
    Clause::Ring,
    Clause::TimeWithoutNanoseconds,
    Clause::RingOfOldest,
    Clause::StartPaused,
    Clause::Marker,
    Clause::MarkerWhilePaused,
    Clause::StopAfter,
    Clause::StopOnEvent,
    Clause::Keep,
    Clause::Dump,
    Clause::DumpWithoutChildren,
    Clause::KeepBesideDump,
    Clause::StopOnSignal,
    Clause::StopWithCommand,
    Clause::StopWithProcess,
    Clause::OutputText,
    Clause::OutputJsonLines,
    Clause::OutputTraceDat,
];

/// The clauses that define events.
const DEFINED: &[Clause] =
    &[Clause::DefinedTracepoint, Clause::DefinedProbe, Clause::DefinedProbeBesideProgram];

/// The clauses that say which tasks were traced.
const OF_TASKS: &[Clause] = &[
    Clause::ScopeTasks,
    Clause::ScopeOfBoth,
    Clause::ScopeCgroup,
    Clause::TriggerWithoutChildren,
    Clause::NewTasksWithoutChildren,
    Clause::TraceDatWithoutChildren,
];

/// The target `report`. See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Report;

impl Capabilities for Report {
    const NAME: &'static str = "report";

    const ENGINES: Engines = Engines { kernel: None, host: true };

    const CLAUSES: Supported = Supported::new(&[
        (ClauseSupport::Yes, &[Clause::Record, Clause::Print, Clause::Drop, Clause::Redact]),
        (NOT_ABOUT_RECORDS, HOW),
        (NOT_ABOUT_RECORDS, DEFINED),
        (ClauseSupport::Yes, &[Clause::ScopeConditions]),
        (NOT_ABOUT_RECORDS, OF_TASKS),
    ]);
}

/// The target `filter`: a whole session, of which only the `trace` clauses are asked of a recording. See the
/// [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Filter;

impl Capabilities for Filter {
    const NAME: &'static str = "filter";

    const ENGINES: Engines = Report::ENGINES;

    const CLAUSES: Supported = Supported::new(&[
        (ClauseSupport::Yes, &[Clause::Record, Clause::Print, Clause::Drop, Clause::Redact]),
        (ClauseSupport::Yes, HOW),
        (ClauseSupport::Yes, &[Clause::ScopeConditions]),
        (
            ClauseSupport::Instead("write a condition: a recording does not say which tasks were traced"),
            OF_TASKS,
        ),
        (ClauseSupport::Instead("leave it out: a recording has the events that were there"), DEFINED),
    ]);
}

/// The target of `report`, which is not one of those that sessions are built for.
pub static REPORT: Target =
    Target::without_files::<Report>("the records of a recording that a session would record");

/// The target of `filter` with a session's file, which is not one of those that sessions are built for either.
pub static FILTER: Target = Target::without_files::<Filter>(
    "the records of a recording that the `trace` clauses of a session ask for",
);

/// What a session asks of the records of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Its events, each with the condition of its records. The numbers of the conditions are 0.
    pub events: Vec<SelectedEvent>,
    /// What is shown of the records of some of them.
    pub shown: Vec<ShownEvent>,
}

/// Returns what a session asks of the records of a recording.
///
/// # Errors
/// A refusal of each clause that is about something else than records that are there.
pub fn selected(session: PlacedSession<'_>) -> Result<Asked, Vec<Diagnostic>> {
    events_of::<Report>(session)
}

/// Returns what a session asks as [`selected`] does, whatever its other clauses say of how records are made.
///
/// # Errors
/// A refusal of each clause that decides which records there are, and that records do not show.
pub fn filtered(session: PlacedSession<'_>) -> Result<Asked, Vec<Diagnostic>> {
    events_of::<Filter>(session)
}

fn events_of<T: Capabilities>(session: PlacedSession<'_>) -> Result<Asked, Vec<Diagnostic>> {
    let session = validate::<T>(session, is_implemented)?.session();
    let recorded = session.session.events.iter().filter_map(|event| Some((event.id, event.record.as_ref()?)));
    let selected = recorded.map(|(id, recording)| {
        let conjuncts = &session.module.conditions[recording.filter];
        let condition = Condition::all(conjuncts.iter().map(|conjunct| conjunct.value.clone()).collect());
        SelectedEvent {
            format: session.module.catalogue[id].clone(),
            conditions: vec![Numbered { number: 0, condition }],
        }
    });
    let events = selected.collect();
    let shown = session.session.events.iter().filter_map(|event| shown(session, event)).collect();
    Ok(Asked { events, shown })
}

#[cfg(test)]
mod tests;

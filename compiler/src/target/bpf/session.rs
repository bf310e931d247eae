//! A session that records by programs: its plan has the object, and the rest of the session as far as tracefs has a part
//! in it.

use std::borrow::Cow;

use tracec_kernel::plan::{Plan, Program, Programs};

use super::program;
use crate::bpf::object::object;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::Recorders;
use crate::place::{Engines, InKernel, PlacedSession};
use crate::plan::{self, Recorded, With, of_programs};
use crate::source::{KernelSource, SourceMap};
use crate::target::{Target, is_implemented};
use crate::validate::{Capabilities, Clause, ClauseSupport, Supported, validate};

/// What runs a session by programs.
#[derive(Clone, Copy, Debug)]
pub struct Recorder;

impl Capabilities for Recorder {
    const NAME: &'static str = "bpf";

    const ENGINES: Engines = Engines { kernel: Some(InKernel::Program), host: false };

    const CLAUSES: Supported = Supported::new(&[
        (
            ClauseSupport::Yes,
            &[
                Clause::Record,
                Clause::Print,
                Clause::Drop,
                Clause::Redact,
                Clause::DefinedProbe,
                Clause::DefinedProbeBesideProgram,
                Clause::Buffer,
                Clause::Queue,
                Clause::Rotate,
                Clause::Clock,
                Clause::RecorderPrograms,
                Clause::ScopeConditions,
                Clause::IncludingTracec,
                Clause::StopAfter,
                Clause::StopWithCommand,
                Clause::StopOnSignal,
                Clause::StopWithProcess,
                Clause::OutputText,
                Clause::OutputJsonLines,
            ],
        ),
        (
            ClauseSupport::Instead("leave it out, or let tracefs record the session"),
            &[
                Clause::TriggerTracing,
                Clause::TriggerSnapshot,
                Clause::SnapshotBesideDump,
                Clause::TriggerStacktrace,
                Clause::TriggerEvent,
                Clause::TriggerBesideProgram,
                Clause::Subbuffer,
                Clause::Option,
                Clause::Global,
                Clause::Marker,
                Clause::MarkerWhilePaused,
            ],
        ),
        (ClauseSupport::Instead("leave it out: a session of programs has no instance"), &[Clause::Instance]),
        (ClauseSupport::Instead("leave it out, or leave out `--target bpf`"), &[Clause::RecorderTracefs]),
        (
            ClauseSupport::No,
            &[
                // Its records are not in pages of tracefs.
                Clause::OutputTraceDat,
                Clause::DefinedTracepoint,
                Clause::ScopeTasks,
                Clause::ScopeOfBoth,
                Clause::ScopeCgroup,
                Clause::TriggerWithoutChildren,
                Clause::NewTasksWithoutChildren,
                Clause::TraceDatWithoutChildren,
                Clause::Ring,
                Clause::TimeWithoutNanoseconds,
                Clause::RingOfOldest,
                Clause::StartPaused,
                Clause::StopOnEvent,
                Clause::Keep,
                Clause::Dump,
                Clause::DumpWithoutChildren,
                Clause::KeepBesideDump,
            ],
        ),
    ]);
}

/// The target of `run --target bpf`, which makes no files.
pub static RECORDER: Target = Target::without_files::<Recorder>("a session whose records programs make");

/// What runs a session of which programs record a part, and tracefs the rest.
#[derive(Clone, Copy, Debug)]
pub struct BesideTracefs;

impl Capabilities for BesideTracefs {
    const NAME: &'static str = "tracefs";

    const ENGINES: Engines = Engines::TRACEFS;

    const PROGRAMS: Option<Engines> = Some(Recorder::ENGINES);

    const CLAUSES: Supported = plan::CLAUSES.and(&[Clause::DefinedProbe]).without(&[
        Clause::OutputTraceDat,
        // The lists of tracefs and its switch do not concern programs.
        Clause::ScopeTasks,
        Clause::StartPaused,
        Clause::StopOnEvent,
        Clause::Keep,
        Clause::Ring,
    ]);
}

/// The target of `run` for a session with two recorders.
pub static BESIDE_TRACEFS: Target =
    Target::without_files::<BesideTracefs>("a session whose records programs and tracefs make");

/// Makes the plan of a session of which programs record all events, or a part.
///
/// # Errors
/// A refusal of each clause that such a session cannot have, and of each condition that is too much for one program.
pub fn plan(
    session: PlacedSession<'_>,
    with: With<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
) -> Result<Plan, Vec<Diagnostic>> {
    let placed = validated(session)?;
    let built = program::object(placed, kernel, sources)?;
    let bytes = object(&built.parts, &built.maps)
        .map_err(|error| vec![codes::output_failed::output_failed(None, "the object", &error)])?;
    let programs =
        built.parts.iter().zip(&built.events).zip(&built.clauses).map(|((part, format), clause)| Program {
            name: part.name.clone(),
            event: format.qualified_name(),
            section: part.section.clone(),
            instructions: part.program.instructions.len(),
            origin: *clause,
        });
    let programs = Programs {
        object: bytes,
        programs: programs.collect(),
        leave_out_tracec: placed.session.including_tracec.is_none(),
    };
    let formats = built.events.into_iter().map(Cow::into_owned).collect();
    of_programs(placed, with, kernel, sources, Recorded { programs, clock: built.clock, formats })
        .map_err(|refusal| vec![refusal])
}

/// Returns a session that its recorders support completely.
///
/// # Errors
/// What [`validate`] refuses.
pub(super) fn validated(session: PlacedSession<'_>) -> Result<PlacedSession<'_>, Vec<Diagnostic>> {
    Ok(match session.session.recorders() {
        Recorders::Both if session.placement.among.programs.is_some() => {
            validate::<BesideTracefs>(session, is_implemented)?.session()
        }
        _ => validate::<Recorder>(session, is_implemented)?.session(),
    })
}

/// Returns the refusals of the events and conditions of a session, as [`plan`](fn@plan) returns them, without those
/// of its clauses.
pub fn refusals(
    session: PlacedSession<'_>,
    kernel: &dyn KernelSource,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    program::object(session, kernel, sources).err().unwrap_or_default()
}

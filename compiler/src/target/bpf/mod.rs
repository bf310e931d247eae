//! BPF objects, written without another compiler: each event that a session records becomes a program at its tracepoint,
//! which decides the whole condition and copies the record into a ring buffer.
//!
//! A program of the type `BPF_PROG_TYPE_TRACEPOINT` sees the record as the `format` file describes it, behind its header.

mod attach;
mod automaton;
mod bytes;
mod condition;
mod constants;
mod filter;
mod header;
mod listing;
mod maps;
mod mask;
mod number;
mod probe;
mod program;
mod record;
mod sequence;
mod session;
mod set;
mod text;
mod writer;

use super::{Builder, Built, File, Request};
use crate::bpf::object;
use crate::diagnostic::codes;
use crate::place::{Engines, InKernel};
use crate::validate::{Capabilities, Clause, ClauseSupport, Supported, Validated};

pub use filter::{Filter, filter};
pub use listing::listing;
pub use session::{BESIDE_TRACEFS, BesideTracefs, RECORDER, Recorder, plan, refusals};

/// The target `bpf`: objects for libbpf and others. See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Bpf;

impl Capabilities for Bpf {
    const NAME: &'static str = "bpf";

    const ENGINES: Engines = Engines { kernel: Some(InKernel::Program), host: false };

    const CLAUSES: Supported = Supported::new(&[
        (
            ClauseSupport::Yes,
            &[
                Clause::Record,
                Clause::DefinedProbe,
                Clause::DefinedProbeBesideProgram,
                Clause::Buffer,
                Clause::Clock,
                Clause::RecorderPrograms,
                Clause::ScopeConditions,
            ],
        ),
        (
            ClauseSupport::Instead("leave it out: it is of tracefs; let tracefs record the session"),
            &[
                Clause::TriggerTracing,
                Clause::TriggerSnapshot,
                Clause::SnapshotBesideDump,
                Clause::TriggerStacktrace,
                Clause::TriggerEvent,
                Clause::TriggerBesideProgram,
                Clause::Subbuffer,
                Clause::Option,
                Clause::Instance,
                Clause::Global,
                Clause::Marker,
                Clause::MarkerWhilePaused,
            ],
        ),
        (
            ClauseSupport::Instead(
                "leave it out: what loads the object and reads its ring buffer decides that",
            ),
            &[
                Clause::Queue,
                Clause::Rotate,
                Clause::IncludingTracec,
                Clause::StartPaused,
                Clause::StopAfter,
                Clause::StopOnEvent,
                Clause::Keep,
                Clause::StopOnSignal,
                Clause::StopWithCommand,
                Clause::StopWithProcess,
                Clause::OutputText,
                Clause::OutputJsonLines,
                Clause::OutputTraceDat,
            ],
        ),
        (
            ClauseSupport::Instead(
                "leave it out, or run the session with `tracec run`: what reads the ring buffer of the object gets whole \
                 records",
            ),
            &[Clause::Print, Clause::Drop, Clause::Redact],
        ),
        (ClauseSupport::Instead("leave it out, or leave out `--target bpf`"), &[Clause::RecorderTracefs]),
        (
            ClauseSupport::No,
            &[
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
                Clause::Dump,
                Clause::DumpWithoutChildren,
                Clause::KeepBesideDump,
            ],
        ),
    ]);
}

impl Builder for Bpf {
    const ABOUT: &'static str =
        "an object of BPF programs that bpftool and libbpf load, and a C header of its records";

    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built {
        let built = program::object(session.session(), request.kernel, request.sources)?;
        let stem = session.file_stem();
        let header = header::header(stem, &built);
        let name = format!("{stem}.bpf.o");
        let content = object::object(&built.parts, &built.maps)
            .map_err(|error| vec![codes::output_failed::output_failed(None, &name, &error)])?;
        Ok(vec![
            File { name, content, executable: false },
            File { name: format!("{stem}.bpf.h"), content: header.into_bytes(), executable: false },
        ])
    }
}

#[cfg(test)]
mod tests;

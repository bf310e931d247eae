//! The plan as JSON: the steps that `tracec run` takes, each with its undo, and how the records are read.
//!
//! A program that applies sessions itself reads the JSON with the library's `Plan`, which checks it. `tracec plan`
//! prints the same steps.

use super::{Builder, Built, File, Request};
use crate::diagnostic::codes;
use crate::place::{Engines, InKernel};
use crate::plan::plan;
use crate::validate::{Capabilities, Clause, ClauseSupport, Validated};

/// The target `plan`: tracefs, in an instance of its own. See the [module](self). `tracec run` executes these plans, so
/// that it supports what this target does.
#[derive(Clone, Copy, Debug)]
pub struct PlanTarget;

impl Capabilities for PlanTarget {
    const NAME: &'static str = "plan";

    const ENGINES: Engines = Engines { kernel: Some(InKernel::Filter), host: true };

    fn supports(clause: Clause) -> ClauseSupport {
        match clause {
            Clause::Record
            | Clause::TriggerTracing
            | Clause::TriggerStacktrace
            | Clause::TriggerEvent
            | Clause::Buffer
            | Clause::Queue
            | Clause::Clock
            | Clause::Option
            | Clause::Instance
            | Clause::IncludingTracec
            | Clause::StopAfter
            // Every session that has a command ends with it; `run` asks for one.
            | Clause::StopWithCommand
            | Clause::OutputText
            | Clause::OutputJsonLines => ClauseSupport::Yes,
            // It would need a reader of the snapshot buffer.
            Clause::TriggerSnapshot
            | Clause::DefinedEvent
            | Clause::Scope
            | Clause::Global
            | Clause::Ring
            | Clause::StartPaused
            | Clause::Marker
            | Clause::StopOnEvent
            | Clause::StopOnSignal
            | Clause::StopWithProcess => ClauseSupport::NotYet,
        }
    }
}

impl Builder for PlanTarget {
    const ABOUT: &'static str = "the steps that `tracec run` takes and how the records are read, as JSON";

    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built {
        let plan = plan(session, request.instance, request.kernel, request.sources)?;
        let name = format!("{}.plan.json", session.file_stem());
        match serde_json::to_vec_pretty(&plan) {
            Ok(mut content) => {
                content.push(b'\n');
                Ok(vec![File { name, content, executable: false }])
            }
            Err(error) => Err(vec![codes::output_failed::output_failed(None, &name, &error.to_string())]),
        }
    }
}

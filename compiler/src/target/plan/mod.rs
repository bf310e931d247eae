//! The plan as JSON: the steps that `tracec run` takes, each with its undo, and how the records are read.
//!
//! A program that applies sessions itself reads the JSON with the library's `Plan`, which checks it. `tracec plan`
//! prints the same steps.

use super::{Builder, Built, File, Request};
use crate::diagnostic::codes;
use crate::place::Engines;
use crate::plan::{self, With, plan};
use crate::validate::{Capabilities, Supported, Validated};

/// The target `plan`: tracefs, in an instance of its own. See the [module](self). It supports every clause that plans
/// have a part for, and `tracec run`, which executes them, supports the same.
#[derive(Clone, Copy, Debug)]
pub struct PlanTarget;

impl Capabilities for PlanTarget {
    const NAME: &'static str = "plan";

    const ENGINES: Engines = Engines::TRACEFS;

    const CLAUSES: Supported = plan::CLAUSES;
}

impl Builder for PlanTarget {
    const ABOUT: &'static str = "the steps that `tracec run` takes and how the records are read, as JSON";

    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built {
        let plan = plan(session, With::of(request.instance), request.kernel, request.sources)?;
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

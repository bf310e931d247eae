//! The plan as JSON: the steps that `tracec run` takes, each with its undo, and how the records are read.
//!
//! A program that applies sessions itself reads the JSON with the library's `Plan`, which checks it. `tracec plan`
//! prints the same steps.

use super::{Builder, Built, File, Request};
use crate::diagnostic::codes;
use crate::plan::{Tracefs, plan};
use crate::validate::Validated;

/// The target `plan`. See the [module](self). It supports what `tracec run` supports.
impl Builder for Tracefs {
    const ABOUT: &'static str = "the steps that `tracec run` takes and how the records are read, as JSON";

    fn build(session: &Validated<'_, Self>, request: &Request<'_>) -> Built {
        let plan = plan(session, request.instance, request.kernel)?;
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

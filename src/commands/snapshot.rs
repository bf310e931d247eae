//! `tracec snapshot`: writes what the ring of a started session holds, which goes on.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tracec_runtime::control::{Client, Request, SnapshotTo};

use super::Failure;
use super::dumps::line;
use super::prepared::form_named;
use super::started::{PATIENCE, failed, running, unanswered};
use crate::cli::Started;
use crate::out::out;

/// The time in which a session answers that reads its ring first, which can have gigabytes.
const READING: Duration = Duration::from_secs(60);

/// Asks the one session that is meant for a snapshot, and waits until it is written.
pub(crate) fn snapshot(started: &Started, output: Option<&Path>) -> Result<ExitCode, Failure> {
    let to = match output {
        None => None,
        Some(path) => {
            let form = form_named(path)?.name.to_owned();
            Some(SnapshotTo { path: std::path::absolute(path)?, form })
        }
    };
    let card = running(started)?;
    let unanswered = |error| unanswered(&card, &error);
    let mut client = Client::connect(&started.runtime_dir, &card.name, PATIENCE).map_err(unanswered)?;
    client.ask(&Request::Snapshot { to }, READING).map_err(unanswered)?;
    match client.snapshot().map_err(unanswered)? {
        Some((dump, last)) => write!(out(), "{}: {}", card.name, line(&dump, last))?,
        None => return Err(failed("what the session says is not about the snapshot")),
    }
    Ok(ExitCode::SUCCESS)
}

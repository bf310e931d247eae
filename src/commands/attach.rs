//! `tracec attach`: shows the records of a started session, which ends with a signal as with `run`.

use std::process::ExitCode;

use tracec_runtime::session::HeldBack;

use super::Failure;
use super::follow::follow;
use super::started::{failed, running};
use crate::cli::Started;

/// Shows the records of a session until it ends, or a signal arrives, which ends it.
pub(crate) fn attach(started: &Started) -> Result<ExitCode, Failure> {
    let card = running(started)?;
    let held = HeldBack::new().map_err(|errno| failed(&errno.to_string()))?;
    let followed = follow(&started.runtime_dir, &card, Some(held.arrived()));
    // A signal that has arrived has ended the session. It stays blocked, so that the exit status is that of the session.
    std::mem::forget(held);
    followed
}

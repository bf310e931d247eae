//! `tracec pause`: switches the recording of a started session off.

use std::process::ExitCode;

use tracec_runtime::control::Request;

use super::Failure;
use super::started::request;
use crate::cli::Started;

/// Pauses a session.
pub(crate) fn pause(started: &Started) -> Result<ExitCode, Failure> {
    request(started, &Request::Pause, "paused")
}

//! `tracec resume`: switches the recording of a paused session on again.

use std::process::ExitCode;

use tracec_runtime::control::Request;

use super::Failure;
use super::started::request;
use crate::cli::Started;

/// Lets a session record again.
pub(crate) fn resume(started: &Started) -> Result<ExitCode, Failure> {
    request(started, &Request::Resume, "records again")
}

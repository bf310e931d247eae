//! `tracec clear`: empties the ring of a started session.

use std::process::ExitCode;

use tracec_runtime::control::Request;

use super::Failure;
use super::started::request;
use crate::cli::Started;

/// Empties the ring of a session.
pub(crate) fn clear(started: &Started) -> Result<ExitCode, Failure> {
    request(started, &Request::Clear, "its ring is empty")
}

//! `tracec confirm`: confirms a session that ends unless somebody does.

use std::process::ExitCode;

use tracec_runtime::control::Request;

use super::Failure;
use super::started::request;
use crate::cli::Started;

/// Confirms a session.
pub(crate) fn confirm(started: &Started) -> Result<ExitCode, Failure> {
    request(started, &Request::Confirm, "confirmed")
}

//! `tracec mark`: writes a text into the record of a started session.

use std::path::PathBuf;
use std::process::ExitCode;

use tracec_runtime::control::Request;

use super::Failure;
use super::started::request;
use crate::cli::Started;

/// Marks a session: the words are its name, if there is more than one, and the text.
pub(crate) fn mark(mut words: Vec<String>, runtime_dir: PathBuf) -> Result<ExitCode, Failure> {
    let text = words.pop().unwrap_or_default();
    request(&Started { name: words.pop(), runtime_dir }, &Request::Mark { text }, "marked")
}

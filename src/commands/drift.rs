//! `tracec drift`: shows what differs in the kernel from what a started session has set.

use std::io::Write;
use std::process::ExitCode;

use tracec_kernel::escaped::Escaped;
use tracec_runtime::control::{Answer, ClientError, Difference, Request};

use super::Failure;
use super::started::{ask, running, unanswered};
use crate::cli::Started;
use crate::out::out;

/// The exit status if something differs.
const DIFFERS: u8 = 2;

/// Prints a line for each file that does not hold what the session has left in it.
pub(crate) fn drift(started: &Started) -> Result<ExitCode, Failure> {
    let card = running(started)?;
    let answer = match ask(&started.runtime_dir, &card, &Request::Drift) {
        Ok((_, Answer::Drift { differences })) => Ok(differences),
        Ok(_) => Err(ClientError::Malformed { name: card.name.clone() }),
        Err(error) => Err(error),
    };
    let differences = answer.map_err(|error| unanswered(&card, &error))?;
    if differences.is_empty() {
        writeln!(out(), "{}: nothing differs from what it has set", card.name)?;
        return Ok(ExitCode::SUCCESS);
    }
    for Difference { clause, file, was, is } in &differences {
        writeln!(out(), "{}", Escaped::text(&format!("{clause}: {file} held `{was}`, and holds `{is}`")))?;
    }
    Ok(ExitCode::from(DIFFERS))
}

//! `tracec stop`: ends a started session, and prints its summary.

use std::process::ExitCode;

use tracec_runtime::control::{Found, Request, take_result};

use super::Failure;
use super::started::{ask, ended, failed, one, result, running, unanswered};
use crate::cli::Started;

/// Ends a session, waits until everything is put back, and prints what `run` prints.
pub(crate) fn stop(started: &Started) -> Result<ExitCode, Failure> {
    if let (name, Found::Ended(..)) = one(started)?
        && let Some(ending) =
            take_result(&started.runtime_dir, &name).map_err(|error| failed(&error.to_string()))?
    {
        return Ok(ended(&ending));
    }
    let card = running(started)?;
    let ending = match ask(&started.runtime_dir, &card, &Request::Stop) {
        Ok((mut client, _)) => client.ended(None),
        Err(error) => Err(error),
    };
    match ending {
        Ok(Some(ending)) => Ok(ended(&ending)),
        // It has ended by itself in this moment, or was killed.
        Ok(None) => Err(failed("the session has not ended")),
        Err(
            error @ (tracec_runtime::control::ClientError::Gone { .. }
            | tracec_runtime::control::ClientError::NoSocket { .. }),
        ) => Ok(ended(&result(&started.runtime_dir, &card, &error)?)),
        Err(error) => Err(unanswered(&card, &error)),
    }
}

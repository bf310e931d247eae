//! `tracec tail`: shows the records of a started session as they are written.

use std::process::ExitCode;

use super::Failure;
use super::follow::follow;
use super::started::{running, to};
use crate::cli::Started;

/// Shows the records of a session until it ends.
pub(crate) fn tail(started: &Started) -> Result<ExitCode, Failure> {
    let card = running(started)?;
    if card.is_ring {
        let why = "has a ring, whose records are written when it ends: `tracec stop` ends it, `tracec status` counts them";
        return Err(Failure::Usage(format!("the session `{}` {why}", card.name)));
    }
    if card.is_rotated {
        let why =
            "writes one file after the other: `tracec report --follow` shows a `.dat` file, `tail -f` a text";
        return Err(Failure::Usage(format!(
            "the session `{}` {why}; {}",
            card.name,
            to(card.output.as_deref())
        )));
    }
    follow(&started.runtime_dir, &card, None)
}

//! What the commands about started sessions share: which session is meant, and how it is asked.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tracec_compiler::diagnostic::codes::started_session::started_session;
use tracec_runtime::control::{Answer, Card, Client, ClientError, Ending, Found, Request, list, take_result};

use super::Failure;
use crate::cli::Started;
use crate::out::out;
use crate::print;

/// The time in which a session answers. It is not slow: one that records at full load answers in milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// Returns the error about a started session.
pub(super) fn failed(why: &str) -> Failure {
    started_session(why).into()
}

/// Returns the sessions that are meant: that of a name, or all.
pub(super) fn found(started: &Started) -> Result<Vec<(String, Found)>, Failure> {
    let mut found = list(&started.runtime_dir).map_err(|error| failed(&error.to_string()))?;
    if let Some(name) = &started.name {
        found.retain(|(of, _)| of == name);
        if found.is_empty() {
            return Err(failed(&format!(
                "there is no session `{name}`: `tracec status` lists those that were started"
            )));
        }
    }
    Ok(found)
}

/// Returns the one session that is meant. Without a name, those that have ended do not count where another one is there.
pub(super) fn one(started: &Started) -> Result<(String, Found), Failure> {
    let mut found = found(started)?;
    if found.len() > 1 {
        found.retain(|(_, found)| !matches!(found, Found::Ended(..)));
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(failed("no session is started")),
        (Some((first, _)), Some((second, _))) => {
            let others = found.map(|(name, _)| format!(", `{name}`")).collect::<String>();
            Err(Failure::Usage(format!(
                "several sessions are started, name one: `{first}`, `{second}`{others}"
            )))
        }
    }
}

/// Returns the one session that is meant, which runs.
pub(super) fn running(started: &Started) -> Result<Card, Failure> {
    let (name, found) = one(started)?;
    match found {
        Found::Running(card) => Ok(card),
        Found::Dead(card) => Err(failed(&dead(&card))),
        Found::Ended(..) => {
            Err(failed(&format!("the session `{name}` has ended: `tracec stop {name}` prints its summary")))
        }
        Found::Beginning => Err(failed(&format!("the session `{name}` is not armed yet"))),
        Found::Unreadable(why) => {
            Err(failed(&format!("the card of the session `{name}` cannot be read: {why}")))
        }
    }
}

/// Returns what is said of a session whose supervisor was killed.
pub(super) fn dead(Card { name, pid, .. }: &Card) -> String {
    format!(
        "the supervisor of the session `{name}` (pid {pid}) was killed: `tracec recover` puts back what it left"
    )
}

/// Returns where the records of a session go.
pub(super) fn to(output: Option<&Path>) -> String {
    output.map_or("output none besides its dumps".to_owned(), |output| format!("output {}", output.display()))
}

/// Connects to a session and asks it.
pub(super) fn ask(
    runtime_dir: &Path,
    card: &Card,
    request: &Request,
) -> Result<(Client, Answer), ClientError> {
    let mut client = Client::connect(runtime_dir, &card.name, PATIENCE)?;
    let answer = client.ask(request, PATIENCE)?;
    Ok((client, answer))
}

/// Returns the error of a session that does not answer, with what to do.
pub(super) fn unanswered(card: &Card, error: &ClientError) -> Failure {
    let Card { pid, .. } = card;
    let way_out = match error {
        ClientError::NoSocket { .. } => format!("; `kill -TERM {pid}` ends it"),
        ClientError::Silent { .. } if is_stopped(*pid) => {
            format!(": its supervisor is stopped; `kill -CONT {pid}` lets it go on")
        }
        ClientError::Silent { .. } => format!(" within {} s (pid {pid})", PATIENCE.as_secs()),
        ClientError::Gone { .. } => "; `tracec recover` puts back what it may have left".to_owned(),
        _ => String::new(),
    };
    failed(&format!("{error}{way_out}"))
}

/// Returns whether a process is stopped.
fn is_stopped(pid: u32) -> bool {
    // Without the file nothing is known.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}

/// Asks the one session that is meant to do something, and says that it is done.
pub(super) fn request(started: &Started, request: &Request, done: &str) -> Result<ExitCode, Failure> {
    let card = running(started)?;
    ask(&started.runtime_dir, &card, request).map_err(|error| unanswered(&card, &error))?;
    writeln!(out(), "{}: {done}", card.name)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the result of a session, as `run` does.
pub(super) fn ended(ending: &Ending) -> ExitCode {
    print::complain(&ending.text);
    ExitCode::from(ending.status)
}

/// Returns the result of a session whose supervisor has gone: it may have ended by itself.
pub(super) fn result(runtime_dir: &Path, card: &Card, error: &ClientError) -> Result<Ending, Failure> {
    match take_result(runtime_dir, &card.name) {
        Ok(Some(ending)) => Ok(ending),
        Ok(None) => Err(unanswered(card, error)),
        Err(error) => Err(failed(&error.to_string())),
    }
}

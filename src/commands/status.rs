//! `tracec status`: shows the sessions that were started.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tracec_kernel::escaped::{Escaped, in_json};
use tracec_kernel::grouped::Grouped;
use tracec_runtime::control::{Answer, Card, ClientError, Found, Request, State, Status};

use super::Failure;
use super::started::{ask, dead, found, to, unanswered};
use super::units::{human, records};
use crate::cli::Started;
use crate::out::out;
use crate::print;

/// Prints a line for each session.
pub(crate) fn status(started: &Started, json: bool) -> Result<ExitCode, Failure> {
    let (mut is_well, all) = (true, found(started)?);
    for (name, found) in &all {
        let (text, value) = match found {
            Found::Running(card) => match asked(started, card) {
                Ok(status) => (line(card, &status), object(card, &status)),
                Err(error) => {
                    is_well = false;
                    // The line of the others is not held up by it.
                    super::complain(unanswered(card, &error));
                    (format!("{name}: does not answer, pid {}", card.pid), unknown(card, "silent"))
                }
            },
            Found::Dead(card) => {
                is_well = false;
                (format!("{name}: {}", dead(card)), unknown(card, "dead"))
            }
            Found::Ended(card, ending) => {
                let said = ending.text.lines().next().unwrap_or_default();
                let text = format!("{name}: has ended; `tracec stop {name}` prints its summary: {said}");
                (text, unknown(card, "ended"))
            }
            Found::Beginning => {
                (format!("{name}: is not armed yet"), json!({"name": name, "state": "beginning"}))
            }
            Found::Unreadable(why) => {
                is_well = false;
                (
                    format!("{name}: its card cannot be read: {why}"),
                    json!({"name": name, "state": "unreadable"}),
                )
            }
        };
        match json {
            true => writeln!(out(), "{}", in_json(&value.to_string()))?,
            false => writeln!(out(), "{}", Escaped::text(&text))?,
        }
    }
    if all.is_empty() && !json {
        print::complain("no session is started\n");
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn asked(started: &Started, card: &Card) -> Result<Status, ClientError> {
    match ask(&started.runtime_dir, card, &Request::Status)? {
        (_, Answer::Status(status)) => Ok(status),
        _ => Err(ClientError::Malformed { name: card.name.clone() }),
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::Running => "running",
        State::Paused => "paused",
        State::Off => "off",
        State::Ending => "ending",
    }
}

/// Returns the records of a second, on average.
fn rate(status: &Status) -> u64 {
    status.records.saturating_mul(1000).checked_div(status.recorded_ms).unwrap_or(0)
}

fn line(card: &Card, status: &Status) -> String {
    let Card { name, pid, instance, output, is_ring, .. } = card;
    let mut text = format!("{name}: {}, pid {pid}", word(status.state));
    if status.state == State::Ending {
        return text;
    }
    text += &format!(", {}, {}", human(Duration::from_millis(status.age_ms)), records(status.records));
    text += &match is_ring {
        true => " in the ring".to_owned(),
        false => format!(" ({} a second)", Grouped(rate(status))),
    };
    if let Some(overwritten) = status.overwritten.filter(|overwritten| *overwritten > 0) {
        text += &format!(", {} older ones overwritten", Grouped(overwritten));
    }
    if let Some(covered) = status.covered_ms {
        text += &format!(", covers {}", human(Duration::from_millis(covered)));
    }
    text += &match status.lost {
        0 => ", nothing lost".to_owned(),
        lost => format!(", {} lost", Grouped(lost)),
    };
    if let Some(fill) = status.fill_percent {
        text += &format!(", rings {fill}% full");
    }
    if let Some(left) = status.unconfirmed_ms {
        text += &format!(", ends in {} unless confirmed", human(Duration::from_millis(left)));
    }
    if let Some(instance) = instance {
        text += &format!(", instance {instance}");
    }
    text + ", " + &to(output.as_deref())
}

fn object(card: &Card, status: &Status) -> Value {
    json!({
        "name": card.name,
        "state": word(status.state),
        "pid": card.pid,
        "instance": card.instance,
        "output": card.output.as_ref().map(|output| output.display().to_string()),
        "age_ms": status.age_ms,
        "recorded_ms": status.recorded_ms,
        "records": status.records,
        "rate": rate(status),
        "lost": status.lost,
        "fill_percent": status.fill_percent,
        "overwritten": status.overwritten,
        "covered_ms": status.covered_ms,
        "unconfirmed_ms": status.unconfirmed_ms,
    })
}

/// Returns what is known of a session that was not asked.
fn unknown(card: &Card, state: &str) -> Value {
    json!({
        "name": card.name,
        "state": state,
        "pid": card.pid,
        "instance": card.instance,
        "output": card.output.as_ref().map(|output| output.display().to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_says_what_is_known() {
        let output = Some("/tmp/x.txt".into());
        let card = Card {
            version: 1,
            name: "a".to_owned(),
            pid: 7,
            instance: Some("i".to_owned()),
            output,
            is_ring: false,
            is_rotated: false,
        };
        let status = Status {
            state: State::Running,
            age_ms: 4000,
            recorded_ms: 2000,
            records: 3000,
            lost: 0,
            fill_percent: Some(3),
            overwritten: None,
            covered_ms: None,
            unconfirmed_ms: Some(9000),
        };
        assert_eq!(
            line(&card, &status),
            "a: running, pid 7, 4 s, 3,000 records (1,500 a second), nothing lost, rings 3% full, ends in 9 s unless \
             confirmed, instance i, output /tmp/x.txt"
        );
        let ring =
            Status { overwritten: Some(5), covered_ms: Some(1500), unconfirmed_ms: None, lost: 2, ..status };
        assert_eq!(
            line(&Card { is_ring: true, ..card }, &Status { state: State::Paused, ..ring }),
            "a: paused, pid 7, 4 s, 3,000 records in the ring, 5 older ones overwritten, covers 1.5 s, 2 lost, rings 3% \
             full, instance i, output /tmp/x.txt"
        );
    }
}

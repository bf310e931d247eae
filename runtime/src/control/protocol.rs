//! The requests and answers of the control protocol: one JSON line each, `{"version":1,"body":..}`.

use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::record::Dump;

/// The version of the protocol. Both sides state theirs in each line.
pub const VERSION: u32 = 1;

/// The greatest length of a request in bytes, with its newline.
pub(super) const LONGEST_REQUEST: usize = 16 << 10;
/// The greatest length of an answer in bytes.
pub(super) const LONGEST_ANSWER: usize = 4 << 20;

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Asks how the session is: [`Answer::Status`].
    Status,
    /// Switches recording off.
    Pause,
    /// Switches recording on again.
    Resume,
    /// Writes a text into the record.
    Mark {
        /// The text.
        text: String,
    },
    /// Empties the ring of a session with `ring`.
    Clear,
    /// Writes what the ring of a session with `ring` holds to a file. After [`Answer::Done`] another line follows once the file
    /// is complete: [`Answer::Snapshot`], or [`Answer::Refused`].
    Snapshot {
        /// The file; without it, one beside the output of the session.
        to: Option<SnapshotTo>,
    },
    /// Confirms a session that ends unless somebody confirms it in time.
    Confirm,
    /// Asks what differs in the kernel from what the session has set: [`Answer::Drift`].
    Drift,
    /// Ends the session. After [`Answer::Done`] another line follows at the end: [`Answer::Ended`].
    Stop,
    /// Waits for the end: answered as [`Request::Stop`].
    Wait,
}

/// The file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotTo {
    /// Its path, which does not depend on a working directory.
    pub path: PathBuf,
    /// The name of the form of its records.
    pub form: String,
}

/// An answer of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// It is done, or has begun.
    Done,
    /// How the session is.
    Status(Status),
    /// What differs.
    Drift {
        /// In the order of the session's changes; empty if nothing does.
        differences: Vec<Difference>,
    },
    /// A snapshot is written.
    Snapshot {
        /// Its file, and what is in it.
        dump: Dump,
        /// The time that the session keeps records for; `None` for as long as there is room.
        last: Option<Duration>,
    },
    /// The session has ended and everything is put back.
    Ended(Ending),
    /// The request cannot be met.
    Refused {
        /// Why.
        why: String,
    },
}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It records.
    Running,
    /// A client has paused it.
    Paused,
    /// The kernel does not record: a trigger or another program has switched it off, or nothing has switched it on yet.
    Off,
    /// Everything is put back, and the last records are written.
    Ending,
}

/// How a session is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Its state.
    pub state: State,
    /// The time since it was armed, in milliseconds.
    pub age_ms: u64,
    /// The part of it for which recording was not paused, in milliseconds.
    pub recorded_ms: u64,
    /// Records written; of a session with a ring, those that the ring holds.
    pub records: u64,
    /// Records lost.
    pub lost: u64,
    /// How full the fullest ring is, in percent; `None` for a session without a ring of its own.
    pub fill_percent: Option<u64>,
    /// Records that newer ones have replaced, of a session with `ring`.
    pub overwritten: Option<u64>,
    /// The time that the rings of all CPUs cover, in milliseconds, once one has overwritten records.
    pub covered_ms: Option<u64>,
    /// The time that is left to confirm it, in milliseconds.
    pub unconfirmed_ms: Option<u64>,
}

/// A file that does not hold what the session has left in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The clause that the file was written for: `session.trc:4`.
    pub clause: String,
    /// The file.
    pub file: String,
    /// What it showed once the session was armed.
    pub was: String,
    /// What it shows now.
    pub is: String,
}

/// The result of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// The summary, or the diagnostics, as `tracec run` prints them.
    pub text: String,
    /// The exit status of `tracec run`.
    pub status: u8,
}

/// What is said of a line that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// It is of another version.
    Version(u32),
    /// It is not a line of the protocol.
    Malformed,
}

#[derive(Serialize, Deserialize)]
struct Line<T> {
    version: u32,
    body: T,
}

/// The part of a line that is the same in all versions.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Returns a line with its newline.
pub(super) fn line<T: Serialize>(body: &T) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Line { version: VERSION, body })?;
    line.push(b'\n');
    Ok(line)
}

/// Reads a line.
pub(super) fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, Unusable> {
    let Versioned { version } = serde_json::from_slice(line).map_err(|_| Unusable::Malformed)?;
    if version != VERSION {
        return Err(Unusable::Version(version));
    }
    serde_json::from_slice::<Line<T>>(line).map(|line| line.body).map_err(|_| Unusable::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_read_as_it_was_written() {
        let mark = Request::Mark { text: "a\nb \u{e4}".to_owned() };
        for request in [Request::Status, Request::Stop, mark] {
            let written = line(&request).unwrap();
            assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
            assert_eq!(parse::<Request>(&written), Ok(request));
        }
        let status = Status {
            state: State::Paused,
            age_ms: 7,
            recorded_ms: 5,
            records: u64::MAX,
            lost: 1,
            fill_percent: None,
            overwritten: Some(3),
            covered_ms: Some(4),
            unconfirmed_ms: None,
        };
        for answer in [Answer::Done, Answer::Status(status), Answer::Refused { why: "no".to_owned() }] {
            assert_eq!(parse::<Answer>(&line(&answer).unwrap()), Ok(answer));
        }
    }

    #[test]
    fn line_of_another_version_is_recognised_whatever_it_has() {
        assert_eq!(parse::<Request>(br#"{"version":2,"body":{"fly":1}}"#), Err(Unusable::Version(2)));
        assert_eq!(parse::<Request>(br#"{"version":0}"#), Err(Unusable::Version(0)));
        let lines: [&[u8]; 5] = [
            b"",
            b"status",
            br#"{"version":"1"}"#,
            br#"{"version":1}"#,
            br#"{"version":1,"body":{"request":"fly"}}"#,
        ];
        for line in lines {
            assert_eq!(parse::<Request>(line), Err(Unusable::Malformed));
        }
    }
}

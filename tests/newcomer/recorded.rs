//! What the peers did when they were last run: one JSON object a line, in `peers.jsonl`.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Failed;
use serde::{Deserialize, Serialize};

use crate::mistake::{Mistake, Said};
use crate::table;

const FILE: &str = include_str!("peers.jsonl");

/// Stands before a line that is to be recorded, on the console of the machine.
pub(crate) const MARK: &str = "@@ peer ";

/// What was recorded: the versions of bpftrace, of trace-cmd and of the kernel.
pub(crate) const VERSIONS: [&str; 3] = ["0.17", "3.1.6", "6.1"];

/// A peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tool {
    /// bpftrace.
    Bpftrace,
    /// trace-cmd.
    TraceCmd,
}

/// The outcome of one run of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Its exit status; -1 if a signal ended it.
    pub(crate) status: i32,
    /// What it printed about the mistake.
    pub(crate) message: String,
    /// The tracing state that it left; bpftrace in its dry run leaves none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<Left>,
}

/// The state of a session of trace-cmd at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Left {
    /// Whether tracing is on in the instance.
    pub(crate) on: bool,
    /// The number of events that are enabled in it.
    pub(crate) enabled: usize,
    /// The number of these with a filter that the kernel has accepted.
    pub(crate) filtered: usize,
    /// The number of their triggers.
    pub(crate) triggers: usize,
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The name of the mistake.
    pub(crate) mistake: String,
    /// The tool that was run.
    pub(crate) tool: Tool,
    /// Its outcome.
    pub(crate) outcome: Outcome,
}

/// The result for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// A status other than 0, and no tracing state is left.
    Refused,
    /// A status other than 0, but the kernel's state is changed.
    HalfWay,
    /// A complaint, but the status is 0 and tracing has begun.
    Loud,
    /// No complaint, and another meaning.
    Silent,
    /// It is right in that language.
    Right,
    /// It cannot be said.
    Never,
}

impl Outcome {
    /// Returns the result for the user, if it was a mistake.
    pub(crate) fn verdict(&self) -> Verdict {
        match (self.status, &self.left, self.message.is_empty()) {
            (0, _, true) => Verdict::Silent,
            (0, _, false) => Verdict::Loud,
            (_, Some(left), _) if left.on || left.enabled > 0 => Verdict::HalfWay,
            _ => Verdict::Refused,
        }
    }
}

/// Returns everything recorded.
pub(crate) fn outcomes() -> Result<BTreeMap<(String, Tool), Outcome>, Failed> {
    let records = FILE.lines().map(serde_json::from_str::<Record>);
    let records = records.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    Ok(records.into_iter().map(|record| ((record.mistake, record.tool), record.outcome)).collect())
}

/// Returns the tools for which a mistake has words.
pub(crate) fn tools(mistake: &Mistake) -> impl Iterator<Item = Tool> {
    let bpftrace = mistake.bpftrace.words().map(|_| Tool::Bpftrace);
    let trace_cmd = mistake.trace_cmd.words().map(|_| Tool::TraceCmd);
    bpftrace.into_iter().chain(trace_cmd)
}

/// Checks that there is a record for each run that the table asks for and no other, and that what the table calls right
/// was accepted.
pub(crate) fn fits_the_table() -> Result<(), Failed> {
    let outcomes = outcomes()?;
    let wanted: BTreeSet<(String, Tool)> =
        table::all().flat_map(|mistake| tools(mistake).map(|tool| (mistake.name.to_owned(), tool))).collect();
    let found: BTreeSet<(String, Tool)> = outcomes.keys().cloned().collect();
    if wanted != found {
        let differ: Vec<_> = wanted.symmetric_difference(&found).collect();
        return Err(format!("UPDATE_EXPECT=1 cargo xtask test newcomer: {differ:?}").into());
    }
    for mistake in table::all() {
        let right = [
            (Tool::Bpftrace, matches!(mistake.bpftrace, Said::Right(..))),
            (Tool::TraceCmd, matches!(mistake.trace_cmd, Said::Right(..))),
        ];
        for (tool, _) in right.into_iter().filter(|(_, right)| *right) {
            let verdict = outcomes.get(&(mistake.name.to_owned(), tool)).map(Outcome::verdict);
            if verdict != Some(Verdict::Silent) {
                return Err(format!("{} is not a mistake, but {tool:?}: {verdict:?}", mistake.name).into());
            }
        }
    }
    Ok(())
}

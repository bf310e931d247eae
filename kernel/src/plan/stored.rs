//! The check of a stored plan: its spans lie in the texts that it lists, and records have the clock that it sets.

use serde::Deserialize;

use super::{
    Action, LeftOut, Life, Location, Output, Plan, PlanVersion, Programs, Reading, Span, Transaction, Watch,
    stated,
};
use crate::tables::files;

/// An error for a plan whose parts do not belong together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlan {
    /// A span of a text that the plan does not list.
    #[error("the plan refers to text {file}, and lists {listed}")]
    UnlistedFile {
        /// The index of the text.
        file: u32,
        /// How many texts the plan lists.
        listed: usize,
    },
    /// A span that ends before it begins.
    #[error("a span of the plan begins at byte {start} and ends at {end}")]
    ReversedSpan {
        /// The offset of its first byte.
        start: u32,
        /// The offset one past its last byte.
        end: u32,
    },
    /// Records that are read with another clock than they are recorded with.
    #[error("the records are read with the clock `{}`, the instance has `{}`", .read.escape_debug(), .set.escape_debug())]
    OtherClock {
        /// The clock of [`Reading`].
        read: String,
        /// The clock that the transaction sets, or a new instance's.
        set: String,
    },
}

/// A plan as it is serialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unchecked {
    version: PlanVersion,
    session: String,
    #[serde(default)]
    kernel: String,
    files: Vec<String>,
    transaction: Transaction,
    reading: Reading,
    #[serde(default)]
    programs: Option<Programs>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
    life: Life,
    #[serde(default)]
    watches: Vec<Watch>,
    #[serde(deserialize_with = "stated::option")]
    output: Option<Output>,
}

impl TryFrom<Unchecked> for Plan {
    type Error = InvalidPlan;

    fn try_from(stored: Unchecked) -> Result<Self, Self::Error> {
        let Unchecked {
            version,
            session,
            kernel,
            files,
            transaction,
            reading,
            programs,
            left_out,
            life,
            watches,
            output,
        } = stored;
        let plan = Plan {
            version,
            session,
            kernel,
            files,
            transaction,
            reading,
            programs,
            left_out,
            life,
            watches,
            output,
        };
        plan.check()?;
        Ok(plan)
    }
}

impl Plan {
    fn check(&self) -> Result<(), InvalidPlan> {
        for Span { file, start, end } in self.spans() {
            if file.index() >= self.files.len() {
                return Err(InvalidPlan::UnlistedFile { file: file.0, listed: self.files.len() });
            }
            if start > end {
                return Err(InvalidPlan::ReversedSpan { start, end });
            }
        }
        if !self.has_ring() {
            // The records of programs alone have the clock that the programs read.
            return Ok(());
        }
        let set = self.transaction.steps().iter().rev().find_map(|step| match &step.action {
            Action::Write { file: Location::Instance(file), value } if file.as_str() == CLOCK => {
                Some(&**value)
            }
            _ => None,
        });
        let set = set.or_else(|| files::find(CLOCK).and_then(|file| file.default)).unwrap_or_default();
        if self.reading.clock == set {
            Ok(())
        } else {
            Err(InvalidPlan::OtherClock { read: self.reading.clock.clone(), set: set.to_owned() })
        }
    }

    /// Returns the span of each part.
    fn spans(&self) -> impl Iterator<Item = Span> {
        let transactions = self.watches.iter().map(|watch| &watch.transaction).chain([&self.transaction]);
        let steps = transactions.flat_map(Transaction::steps).map(|step| step.origin);
        let watches = self.watches.iter().map(|watch| watch.origin);
        let dumps = self.watches.iter().filter_map(Watch::dump).map(|files| files.to.origin);
        let readings = self.watches.iter().map(|watch| &watch.reading).chain([&self.reading]);
        let host = readings.flat_map(|reading| &reading.host).map(|condition| condition.origin);
        let left_out = self.left_out.iter().map(|left_out| left_out.origin);
        let output = self.output.iter().map(|output| output.origin);
        let programs = self.programs.iter().flat_map(|own| &own.programs).map(|program| program.origin);
        let children = self.reading.without_children.iter().map(|without| without.origin);
        let Life {
            stop_after: _,
            stop_with_command,
            stop_on_signals,
            stop_with_processes,
            ring,
            rotate,
            snapshot,
            start_paused,
        } = &self.life;
        let signals = stop_on_signals.iter().map(|signal| signal.origin);
        let processes = stop_with_processes.iter().map(|process| process.origin);
        let ring = ring.iter().map(|ring| ring.origin);
        let ring = ring.chain(rotate.iter().map(|rotate| rotate.origin));
        let life = signals.chain(processes).chain(ring).chain(*stop_with_command);
        let life = life.chain(*snapshot).chain(*start_paused);
        let clauses = children.chain(life);
        steps
            .chain(watches)
            .chain(dumps)
            .chain(host)
            .chain(programs)
            .chain(left_out)
            .chain(clauses)
            .chain(output)
    }
}

/// The file of an instance that holds its clock.
const CLOCK: &str = "trace_clock";

#[cfg(test)]
mod tests {
    use tracec_span::FileId;

    use super::*;
    use crate::plan::{FilePath, InstanceName, Location, Step};

    /// Returns a plan of one text.
    fn plan() -> Plan {
        let path = FilePath::new("tracing_on").unwrap();
        let span = Span::new(1, 2);
        let steps = vec![Step::create(span), Step::write(Location::Instance(path), "0", span)];
        Plan {
            version: PlanVersion,
            session: "s".to_owned(),
            kernel: String::new(),
            files: vec!["a.trc".to_owned()],
            transaction: Transaction::new(InstanceName::new("x").unwrap(), steps).unwrap(),
            reading: Reading::new("local".to_owned(), 1, Vec::new(), Vec::new()).unwrap(),
            programs: None,
            left_out: vec![LeftOut { event: "a:b".to_owned(), reason: String::new(), origin: span }],
            life: Life { stop_with_command: Some(span), ..Life::default() },
            watches: Vec::new(),
            output: Some(Output { path: "x".to_owned(), form: "text".to_owned(), origin: span }),
        }
    }

    fn read(plan: &Plan) -> Result<Plan, String> {
        let text = serde_json::to_string(plan).unwrap();
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn span_of_a_text_that_is_not_listed_is_refused() {
        assert_eq!(read(&plan()), Ok(plan()));
        let other = FileId(1).span(1, 2);
        let step = |plan: &mut Plan| {
            let steps = vec![Step { origin: other, ..Step::create(other) }];
            plan.transaction = Transaction::new(InstanceName::new("x").unwrap(), steps).unwrap();
        };
        let changes: [&dyn Fn(&mut Plan); 4] = [
            &step,
            &|plan| plan.left_out[0].origin = other,
            &|plan| plan.life.stop_with_command = Some(other),
            &|plan| plan.output.as_mut().unwrap().origin = other,
        ];
        for change in changes {
            let mut plan = plan();
            change(&mut plan);
            let error = read(&plan).unwrap_err();
            assert!(error.contains("the plan refers to text 1, and lists 1"), "{error}");
            plan.files.push("b.trc".to_owned());
            assert_eq!(read(&plan), Ok(plan));
        }
    }

    #[test]
    fn span_that_ends_before_it_begins_is_refused() {
        let mut plan = plan();
        plan.left_out[0].origin = Span::new(7, 2);
        let error = read(&plan).unwrap_err();
        assert!(error.contains("a span of the plan begins at byte 7 and ends at 2"), "{error}");
    }

    #[test]
    fn clock_of_the_records_is_the_one_that_is_set() {
        let mut plan = plan();
        plan.reading.clock = "mono".to_owned();
        let error = read(&plan).unwrap_err();
        assert!(error.contains("read with the clock `mono`, the instance has `local`"), "{error}");
        let span = Span::new(1, 2);
        let path = FilePath::new("trace_clock").unwrap();
        let steps = vec![Step::create(span), Step::write(Location::Instance(path), "mono", span)];
        plan.transaction = Transaction::new(InstanceName::new("x").unwrap(), steps).unwrap();
        assert_eq!(read(&plan), Ok(plan));
    }

    /// Without an end, an output or the texts of its spans a plan would mean another session.
    #[test]
    fn plan_with_a_member_misspelt_or_missing_is_refused() {
        let text = serde_json::to_string(&plan()).unwrap();
        for member in ["files", "output", "stop_after", "stop_with_command", "old", "undo", "life", "queue"] {
            let named = format!("\"{member}\":");
            assert!(text.contains(&named), "{member}");
            let misspelt = text.replace(&named, &format!("\"{member}x\":"));
            let error = serde_json::from_str::<Plan>(&misspelt).unwrap_err().to_string();
            assert!(error.contains(&format!("unknown field `{member}x`")), "{error}");
            let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
            remove(&mut value, member);
            let error = serde_json::from_value::<Plan>(value).unwrap_err().to_string();
            assert!(error.contains(&format!("missing field `{member}`")), "{error}");
        }
    }

    fn remove(value: &mut serde_json::Value, member: &str) {
        if let Some(members) = value.as_object_mut() {
            members.remove(member);
            members.values_mut().for_each(|value| remove(value, member));
        }
        value.as_array_mut().into_iter().flatten().for_each(|value| remove(value, member));
    }
}

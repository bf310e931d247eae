//! The check of a stored plan: its spans lie in the texts that it lists.

use serde::Deserialize;

use super::{LeftOut, Life, Output, Plan, PlanVersion, Reading, Span, Transaction};

/// An error for a span of a text that the plan does not list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plan refers to text {file}, and lists {listed}")]
pub struct UnlistedFile {
    /// The index of the text.
    pub file: u32,
    /// How many texts the plan lists.
    pub listed: usize,
}

/// A plan as it is serialised.
#[derive(Deserialize)]
pub(super) struct Unchecked {
    version: PlanVersion,
    session: String,
    #[serde(default)]
    kernel: String,
    files: Vec<String>,
    transaction: Transaction,
    reading: Reading,
    #[serde(default)]
    left_out: Vec<LeftOut>,
    life: Life,
    output: Option<Output>,
}

impl TryFrom<Unchecked> for Plan {
    type Error = UnlistedFile;

    fn try_from(stored: Unchecked) -> Result<Self, Self::Error> {
        let Unchecked { version, session, kernel, files, transaction, reading, left_out, life, output } =
            stored;
        let plan = Plan { version, session, kernel, files, transaction, reading, left_out, life, output };
        let unlisted = plan.spans().find(|span| span.file.index() >= plan.files.len());
        match unlisted {
            Some(span) => Err(UnlistedFile { file: span.file.0, listed: plan.files.len() }),
            None => Ok(plan),
        }
    }
}

impl Plan {
    /// Returns the span of each part.
    fn spans(&self) -> impl Iterator<Item = Span> {
        let steps = self.transaction.steps().iter().map(|step| step.origin);
        let host = self.reading.host.iter().map(|condition| condition.origin);
        let left_out = self.left_out.iter().map(|left_out| left_out.origin);
        let output = self.output.iter().map(|output| output.origin);
        steps.chain(host).chain(left_out).chain(self.life.stop_with_command).chain(output)
    }
}

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
            reading: Reading::default(),
            left_out: vec![LeftOut { event: "a:b".to_owned(), reason: String::new(), origin: span }],
            life: Life { stop_after: None, stop_with_command: Some(span) },
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
    fn plan_without_its_texts_is_refused() {
        let text = serde_json::to_string(&plan()).unwrap().replace("\"files\":[\"a.trc\"],", "");
        let error = serde_json::from_str::<Plan>(&text).unwrap_err().to_string();
        assert!(error.contains("missing field `files`"), "{error}");
    }
}

//! The data for reading the records of a session.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{NEW_TASKS, Span, WithoutChildren};
use crate::condition::check::InvalidCondition;
use crate::condition::ir::Condition;
use crate::format::EventFormat;
use crate::selection::{UndecidableCondition, check_condition};
use crate::shown::ShownEvent;

/// The data for reading the records of a session. Applying and undoing the session does not need it.
///
/// It is checked when it is created and when it is deserialised: a reader evaluates conditions on raw records, and one
/// that it cannot evaluate would drop or keep records without a word. So would one of two layouts of a name or of an
/// id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
#[non_exhaustive]
pub struct Reading {
    /// The trace clock of the instance.
    pub clock: String,
    /// The size in bytes of the raw pages that may wait for the output, besides those of one reading of the rings. When
    /// it is reached, the rings keep what comes, and lose what they cannot hold.
    pub queue: u64,
    /// The conditions that are evaluated when records are read, because the kernel's filters cannot express them.
    pub host: Vec<HostCondition>,
    /// The layouts of the events that can appear in the buffer.
    pub formats: Vec<EventFormat>,
    /// What is shown of the records of some events, where it is not all as the kernel has it.
    pub shown: Vec<ShownEvent>,
    /// Whether the records of children of the scope's processes are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_children: Option<WithoutChildren>,
}

/// The size of the queue of a session that sets none: an output that stalls for some seconds loses nothing.
pub const DEFAULT_QUEUE: u64 = 64 << 20;

/// Returns how no records at all are read.
impl Default for Reading {
    fn default() -> Self {
        Reading {
            clock: String::new(),
            queue: DEFAULT_QUEUE,
            host: Vec::new(),
            formats: Vec::new(),
            shown: Vec::new(),
            without_children: None,
        }
    }
}

/// A condition on an event's records that the reader evaluates, in addition to the event's filter in the kernel.
///
/// A record is kept if all conditions of its event hold. They are evaluated on raw records: their fields are those of
/// the event's layout in [`Reading::formats`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCondition {
    /// The event, `system:name`.
    pub event: String,
    /// The condition. The only context that it may use is the CPU.
    pub condition: Condition,
    /// The span of the condition.
    pub origin: Span,
}

/// An error for data by which records cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadingError {
    /// Nothing may wait for the output, so that nothing is read.
    #[error("the plan has a queue without room")]
    NoQueue,
    /// An event has two layouts.
    #[error("the plan has two layouts of `{event}`")]
    TwoLayouts {
        /// The event.
        event: String,
    },
    /// Two events have one id, by which records name their event.
    #[error("the plan has the id {id} for `{first}` and for `{second}`")]
    SharedId {
        /// The id.
        id: u16,
        /// An event with this id.
        first: String,
        /// Another one.
        second: String,
    },
    /// A condition is on the records of an event without a layout.
    #[error("the plan has a condition on `{event}`, and no layout of that event")]
    NoLayout {
        /// The event.
        event: String,
    },
    /// What is shown is that of an event without a layout.
    #[error("the plan says what is shown of `{event}`, and has no layout of that event")]
    ShowsNoLayout {
        /// The event.
        event: String,
    },
    /// A field is left out or blanked that the event does not have.
    #[error("the plan hides the field `{field}` of `{event}`, which the event does not have for itself")]
    Lacking {
        /// The event.
        event: String,
        /// The field.
        field: String,
    },
    /// Children cannot be told from threads without the layout of [`NEW_TASKS`].
    #[error("the plan leaves out the children of processes, and has no layout of `{NEW_TASKS}`")]
    NoNewTasks,
    /// A condition breaks a rule, or tests fields that the event does not have.
    #[error("the plan has an invalid condition on `{event}`: {source}")]
    Invalid {
        /// The event.
        event: String,
        /// The rule.
        source: InvalidCondition,
    },
    /// The reader of records cannot decide a condition.
    #[error("the plan has a condition on `{event}` that cannot be decided when records are read: {reason}")]
    Undecidable {
        /// The event.
        event: String,
        /// The part, and why.
        reason: String,
    },
}

/// The data as it is serialised. Each member has to be there, and no other: without its conditions a plan would keep
/// records that nobody wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    clock: String,
    queue: u64,
    host: Vec<HostCondition>,
    formats: Vec<EventFormat>,
    shown: Vec<ShownEvent>,
    #[serde(default)]
    without_children: Option<WithoutChildren>,
}

impl Reading {
    /// Checks the data for reading records.
    ///
    /// # Errors
    /// [`ReadingError`] unless each record has one layout by which the conditions on its event can be evaluated.
    pub fn new(
        clock: String,
        queue: u64,
        host: Vec<HostCondition>,
        formats: Vec<EventFormat>,
    ) -> Result<Self, ReadingError> {
        if queue == 0 {
            return Err(ReadingError::NoQueue);
        }
        let by_name = by_name(&formats)?;
        host.iter().try_for_each(|condition| condition.check(&by_name))?;
        Ok(Reading { clock, queue, host, formats, ..Reading::default() })
    }

    /// Adds what is shown of the records of some events.
    ///
    /// # Errors
    /// [`ReadingError`] for an event without a layout, and for a field that the event does not have for itself: what it
    /// is to hide would be shown.
    pub fn showing(self, shown: Vec<ShownEvent>) -> Result<Self, ReadingError> {
        let by_name = by_name(&self.formats)?;
        for event in &shown {
            let name = || event.event.clone();
            let Some(format) = by_name.get(&event.event) else {
                return Err(ReadingError::ShowsNoLayout { event: name() });
            };
            if let Some(field) = event.lacking(format) {
                return Err(ReadingError::Lacking { event: name(), field: field.to_owned() });
            }
        }
        drop(by_name);
        Ok(Reading { shown, ..self })
    }

    /// Leaves out what children of the scope's processes do.
    ///
    /// # Errors
    /// [`ReadingError::NoNewTasks`] without the layout of the event that tells them from threads.
    pub fn without_children(self, without: Option<WithoutChildren>) -> Result<Self, ReadingError> {
        let is_known = self.formats.iter().any(|format| format.qualified_name() == NEW_TASKS);
        if without.is_some() && !is_known {
            return Err(ReadingError::NoNewTasks);
        }
        Ok(Reading { without_children: without, ..self })
    }
}

impl TryFrom<Unchecked> for Reading {
    type Error = ReadingError;

    fn try_from(unchecked: Unchecked) -> Result<Self, Self::Error> {
        let Unchecked { clock, queue, host, formats, shown, without_children } = unchecked;
        Reading::new(clock, queue, host, formats)?.showing(shown)?.without_children(without_children)
    }
}

impl ReadingError {
    /// Returns the names of the events that it is about, `system:name`.
    pub fn events(&self) -> Vec<&str> {
        match self {
            ReadingError::NoQueue => Vec::new(),
            ReadingError::NoNewTasks => vec![NEW_TASKS],
            ReadingError::SharedId { id: _, first, second } => vec![first, second],
            ReadingError::TwoLayouts { event }
            | ReadingError::NoLayout { event }
            | ReadingError::ShowsNoLayout { event }
            | ReadingError::Lacking { event, field: _ }
            | ReadingError::Invalid { event, source: _ }
            | ReadingError::Undecidable { event, reason: _ } => vec![event],
        }
    }
}

/// Layouts by the names of their events, `system:name`.
type ByName<'f> = FxHashMap<String, &'f EventFormat>;

/// Returns the layouts by name, if each name and each id has one.
fn by_name(formats: &[EventFormat]) -> Result<ByName<'_>, ReadingError> {
    let mut names = ByName::default();
    let mut ids = FxHashMap::default();
    for format in formats {
        let event = format.qualified_name();
        if let Some(first) = names.insert(event, format) {
            return Err(ReadingError::TwoLayouts { event: first.qualified_name() });
        }
        if let Some(first) = ids.insert(format.id, format) {
            let (first, second) = (first.qualified_name(), format.qualified_name());
            return Err(ReadingError::SharedId { id: format.id, first, second });
        }
    }
    Ok(names)
}

impl HostCondition {
    /// Checks that records with one of these layouts can be evaluated.
    fn check(&self, formats: &ByName<'_>) -> Result<(), ReadingError> {
        let event = || self.event.clone();
        let Some(format) = formats.get(&self.event) else {
            return Err(ReadingError::NoLayout { event: event() });
        };
        check_condition(&self.condition, format).map_err(|source| match source {
            UndecidableCondition::Invalid(source) => ReadingError::Invalid { event: event(), source },
            UndecidableCondition::Obstacle(obstacle) => {
                ReadingError::Undecidable { event: event(), reason: obstacle.to_string() }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::ir::{Atom, Number, Text, TextTest};
    use crate::condition::ranges::Ranges;

    const FORMAT: &str = "name: b\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

    /// Returns data with one condition, `x in {1}`.
    fn reading() -> Reading {
        let format = EventFormat::parse("a", FORMAT).unwrap();
        let of = Number::Field(format.field("x").unwrap().clone());
        let condition = Condition::Atom(Atom::In { of, ranges: Ranges::new([(1, 1)]) });
        let host = HostCondition { event: "a:b".to_owned(), condition, origin: Span::default() };
        Reading { clock: "mono".to_owned(), host: vec![host], formats: vec![format], ..Reading::default() }
    }

    fn read(reading: &Reading) -> Result<Reading, String> {
        let text = serde_json::to_string(reading).unwrap();
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn data_is_read_back() {
        assert_eq!(read(&reading()), Ok(reading()));
    }

    #[test]
    fn data_without_a_part_or_with_another_is_refused() {
        let text = serde_json::to_string(&reading()).unwrap();
        let said = |text: &str| serde_json::from_str::<Reading>(text).unwrap_err().to_string();
        assert!(said(&text.replace("\"host\"", "\"hosts\"")).contains("unknown field `hosts`"));
        assert!(said(&text.replace("\"queue\":67108864,", "")).contains("missing field `queue`"));
        assert!(said(&text.replace("67108864", "0")).contains("a queue without room"));
    }

    #[test]
    fn what_is_shown_is_of_events_and_fields_that_are_there() {
        let with = |event: &str, field: &str| {
            let shown = ShownEvent {
                event: event.to_owned(),
                blanked: vec![field.to_owned()],
                ..ShownEvent::default()
            };
            let changed = Reading { shown: vec![shown], ..reading() };
            read(&changed).map(|read| assert_eq!(read, changed))
        };
        assert_eq!(with("a:b", "x"), Ok(()));
        let said = with("a:b", "common_type").unwrap_err();
        assert!(said.contains("hides the field `common_type` of `a:b`"), "{said}");
        let said = with("a:c", "x").unwrap_err();
        assert!(said.contains("what is shown of `a:c`, and has no layout"), "{said}");
    }

    #[test]
    fn two_layouts_of_one_name_or_of_one_id_are_refused() {
        let with = |system: &str, id: &str| {
            let mut changed = reading();
            let text = FORMAT.replace("ID: 7", id).replace("offset:8;", "offset:12;");
            changed.formats.push(EventFormat::parse(system, &text).unwrap());
            read(&changed).map(|_| ()).map_err(|error| error.split(" at line").next().unwrap().to_owned())
        };
        assert_eq!(with("c", "ID: 8"), Ok(()));
        assert_eq!(with("a", "ID: 8"), Err("the plan has two layouts of `a:b`".to_owned()));
        assert_eq!(with("c", "ID: 7"), Err("the plan has the id 7 for `a:b` and for `c:b`".to_owned()));
    }

    #[test]
    fn condition_that_the_reader_cannot_evaluate_is_refused() {
        let with = |condition| {
            let mut changed = reading();
            changed.host[0].condition = condition;
            read(&changed).unwrap_err()
        };
        assert!(with(Condition::Or(Vec::new())).contains("an invalid condition on `a:b`: a conjunction or"));
        let comm = Atom::Text { of: Text::Comm, test: TextTest::Eq("x".to_owned()) };
        assert!(with(Condition::Atom(comm)).contains("cannot be decided when records are read"));
        let mut other = reading();
        let mut field = other.formats[0].field("x").unwrap().clone();
        field.offset = 4_000_000_000;
        let of = Number::Field(field);
        other.host[0].condition = Condition::Atom(Atom::In { of, ranges: Ranges::new([(1, 1)]) });
        assert!(read(&other).unwrap_err().contains("has no field `x` of this type and place"));
        other = reading();
        other.host[0].event = "a:c".to_owned();
        assert!(read(&other).unwrap_err().contains("a condition on `a:c`, and no layout"));
    }
}

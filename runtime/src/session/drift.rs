//! What differs in the kernel from what a session has set: the files of its steps are read once it is armed, and again when
//! somebody asks. Nothing is opened for writing.

use rustc_hash::FxHashSet;
use rustix::io::Errno;
use tracec_kernel::plan::{Action, Definition, Location, Span, Transaction};
use tracec_kernel::tables::files;

use crate::control::Difference;
use crate::tracefs::{Directory, Tracefs};

/// The most characters of a value that are shown.
const SHOWN: usize = 200;

/// A file as it was once the session was armed.
#[derive(Debug)]
struct Entry {
    origin: Span,
    step: Read,
    shows: String,
}

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Read {
    File(Location),
    Event(Definition),
}

/// The files of a session, as they were once it was armed.
#[derive(Debug, Default)]
pub(super) struct Baseline(Vec<Entry>);

impl Baseline {
    /// Reads the files that a transaction has written. Lists of tasks are left out, which change as tasks come and go; so is
    /// what cannot be read.
    pub(super) fn of(tracefs: &Tracefs, instance: Option<&Directory>, transaction: &Transaction) -> Baseline {
        let (mut entries, mut known) = (Vec::new(), FxHashSet::default());
        // The last clause that writes a file is the one that counts.
        for step in transaction.steps().iter().rev() {
            let (read, path) = match &step.action {
                Action::Create | Action::LeaveOut | Action::Scope(_) | Action::Load { .. } => continue,
                Action::Write { file, .. } | Action::Append { file, .. } => {
                    (Read::File(file.clone()), file.to_string())
                }
                Action::Define(definition) => {
                    (Read::Event(definition.clone()), definition.event().to_owned())
                }
            };
            let is_marker = |path: &str| path == files::TRACE_MARKER;
            if matches!(&read, Read::File(Location::Instance(path)) if is_marker(path.as_str()))
                || !known.insert(path)
            {
                continue;
            }
            if let Ok(shows) = show(tracefs, instance, &read) {
                entries.push(Entry { origin: step.origin, step: read, shows });
            }
        }
        entries.reverse();
        Baseline(entries)
    }

    /// Returns what differs now. `is_expected` says of a file that a difference is wanted.
    pub(super) fn differences(
        &self,
        (tracefs, instance): (&Tracefs, Option<&Directory>),
        clause: &dyn Fn(Span) -> String,
        is_expected: impl Fn(&Location) -> bool,
    ) -> Vec<Difference> {
        let mut differences = Vec::new();
        for Entry { origin, step, shows } in &self.0 {
            if matches!(step, Read::File(file) if is_expected(file)) {
                continue;
            }
            let is = match show(tracefs, instance, step) {
                Ok(is) if is == *shows => continue,
                Ok(is) => is,
                Err(errno) => format!("({errno})"),
            };
            let file = match (step, instance) {
                (Read::File(Location::Instance(path)), Some(instance)) => instance.path().join(path.as_str()),
                (Read::File(file), _) => tracefs.path_of(file),
                (Read::Event(definition), _) => tracefs.path().join("events").join(definition.event()),
            };
            differences.push(Difference {
                clause: clause(*origin),
                file: file.display().to_string(),
                was: short(shows),
                is: short(&is),
            });
        }
        differences
    }
}

fn show(tracefs: &Tracefs, instance: Option<&Directory>, read: &Read) -> Result<String, Errno> {
    let text = match read {
        Read::Event(definition) => {
            return Ok(definition.listed(&tracefs.root().read_text(Definition::LIST)?));
        }
        Read::File(Location::Instance(path)) => instance.ok_or(Errno::NOENT)?.read_text(path.as_str())?,
        Read::File(file) => tracefs.read_shared(file)?,
    };
    let Read::File(file) = read else { return Ok(text) };
    Ok(without_counts(file.shown_value(&text)))
}

/// Returns the text of a file without what is left of the counts of triggers: they count down
/// (kernel/trace/trace_events_trigger.c, `event_trigger_print`).
fn without_counts(text: &str) -> String {
    let mut parts = text.split(":count=");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(":count");
        kept.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    kept
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ..", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::plan::{FilePath, InstanceName, Step};

    use super::*;

    #[test]
    fn counts_of_triggers_do_not_differ() {
        assert_eq!(without_counts("stacktrace:count=5 if x\n"), without_counts("stacktrace:count=0 if x\n"));
        assert_ne!(without_counts("stacktrace:count=5"), without_counts("snapshot:count=5"));
        assert_eq!(without_counts("stacktrace:unlimited"), "stacktrace:unlimited");
    }

    #[test]
    fn what_differs_is_said_for_the_last_clause_that_wrote_it() {
        let directory = tempfile::tempdir().unwrap();
        let files = [("tracing_on", "1\n"), ("trace_clock", "local [mono] boot\n"), ("x", "a\n")];
        for (file, text) in files {
            std::fs::write(directory.path().join(file), text).unwrap();
        }
        let tracefs = Tracefs::open(directory.path()).unwrap();
        let write = |file: &str, at| {
            let location = Location::Instance(FilePath::new(file).unwrap());
            Step::write(location, "1", Span::new(at, at + 1))
        };
        let steps = vec![
            Step::create(Span::new(0, 1)),
            write("tracing_on", 1),
            write("trace_clock", 2),
            write("tracing_on", 3),
            write("none", 4),
            write("x", 5),
        ];
        let transaction = Transaction::new(InstanceName::new("x").unwrap(), steps).unwrap();
        let instance = Some(tracefs.root());
        let baseline = Baseline::of(&tracefs, instance, &transaction);
        let clause = |span: Span| span.start.to_string();
        let now = |expected: &str| {
            let is_expected =
                |file: &Location| file.in_instance().is_some_and(|path| path.as_str() == expected);
            let found = baseline.differences((&tracefs, instance), &clause, is_expected);
            found.into_iter().map(|found| (found.clause, found.was, found.is)).collect::<Vec<_>>()
        };
        assert_eq!(now(""), []);
        std::fs::write(directory.path().join("tracing_on"), "0\n").unwrap();
        std::fs::write(directory.path().join("trace_clock"), "[local] mono boot\n").unwrap();
        std::fs::remove_file(directory.path().join("x")).unwrap();
        let found = now("");
        let of = |clause: &str, was: &str, is: &str| (clause.to_owned(), was.to_owned(), is.to_owned());
        assert_eq!(found[..2], [of("2", "mono", "local"), of("3", "1", "0")]);
        assert_eq!((found.len(), found[2].0.as_str()), (3, "5"));
        assert_eq!(now("tracing_on").len(), 2);
    }
}

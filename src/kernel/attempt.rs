//! Features that show only in an instance, or only when a filter is written.
//!
//! For each, the runtime creates an instance as for a session, with a journal, so that `tracec recover` removes what a
//! killed save left. The instance is removed at once. At most the name of a thread is recorded.

use std::collections::BTreeMap;
use std::path::Path;

use tracec_kernel::plan::{FilePath, Location, Span, Step, Transaction};
use tracec_kernel::profile::EventText;
use tracec_kernel::tables::features::{self, Feature, Found, Probe};
use tracec_runtime::session::{self, ApplyError, Call, Residue, own_name};
use tracec_runtime::tracefs::Tracefs;

use super::evidence::{self, Tree};

/// The contents of an instance.
#[derive(Debug)]
pub(super) struct Instance {
    /// The names of its files.
    pub(super) files: Vec<String>,
    /// Its trace options.
    pub(super) options: Vec<String>,
    /// Its tracers, in the kernel's order.
    pub(super) tracers: Vec<String>,
}

/// The instance that was created could not be removed; this is what is left of it.
#[derive(Debug, thiserror::Error)]
#[error("the instance that was created to be read could not be removed{}", left(.0))]
pub struct InstanceLeft(pub Vec<Residue>);

fn left(residue: &[Residue]) -> String {
    residue.iter().map(|left| format!("; {left}")).collect()
}

/// Creates an instance, reads it and removes it. The inner error says why none could be created.
pub(super) fn instance(tracefs: &Tracefs, runtime_dir: &Path) -> Result<Found<Instance>, InstanceLeft> {
    let transaction = match transaction(&[]) {
        Ok(transaction) => transaction,
        Err(reason) => return Ok(Err(reason)),
    };
    let applied = match session::apply(tracefs, &transaction, runtime_dir) {
        Ok(applied) => applied,
        Err(error) => return refused(error).map(Err),
    };
    let path = format!("instances/{}", transaction.instance());
    let names = |directory: &str| -> Found<Vec<String>> {
        Ok(evidence::names(tracefs, directory, false)?.into_iter().collect())
    };
    let seen = names(&path).and_then(|files| {
        let tracers = tracefs.text(&format!("{path}/available_tracers"))?.unwrap_or_default();
        let tracers = tracers.split_whitespace().map(str::to_owned).collect();
        Ok(Instance { files, options: names(&format!("{path}/options"))?, tracers })
    });
    applied.undo().map_err(|error| InstanceLeft(error.residue))?;
    Ok(seen)
}

/// The event that records a new name of a thread.
const RENAMED: &str = "task:task_rename";

/// Tries filters that only some kernels accept, or that let a record pass only on some kernels, each in an instance of
/// its own.
pub(super) fn filters(
    tracefs: &Tracefs,
    events: &[EventText],
    runtime_dir: &Path,
) -> Result<BTreeMap<String, Found<bool>>, InstanceLeft> {
    let known =
        |system: &str, name: &str| events.iter().any(|event| event.system == system && event.name == name);
    let mut found = BTreeMap::new();
    for feature in features::ALL {
        if let Some(taken) = filter(tracefs, feature, known, runtime_dir)? {
            found.insert(feature.name.to_owned(), taken);
        }
    }
    Ok(found)
}

/// Tries the filter of a feature; `None` if no filter shows it. `known` says whether the kernel has an event.
pub(super) fn filter(
    tracefs: &Tracefs,
    feature: &Feature,
    known: impl Fn(&str, &str) -> bool,
    runtime_dir: &Path,
) -> Result<Option<Found<bool>>, InstanceLeft> {
    let (event, text, thread) = match feature.probe {
        Probe::Filter { event, text, .. } => (event, text, None),
        Probe::Rename { text, name } => (RENAMED, text, Some(name)),
        _ => return Ok(None),
    };
    let taken = match (event.split_once(':').filter(|(system, name)| known(system, name)), thread) {
        (Some((system, name)), None) => takes(tracefs, system, name, text, runtime_dir)?,
        (Some(_), Some(thread)) => passes(tracefs, text, thread, runtime_dir)?,
        (None, _) => Err(format!("the kernel has no event {event} to try it on")),
    };
    Ok(Some(taken))
}

/// Returns whether an event accepts a filter.
fn takes(
    tracefs: &Tracefs,
    system: &str,
    name: &str,
    filter: &str,
    runtime_dir: &Path,
) -> Result<Found<bool>, InstanceLeft> {
    let transaction = match transaction(&[(format!("events/{system}/{name}/filter"), filter)]) {
        Ok(transaction) => transaction,
        Err(reason) => return Ok(Err(reason)),
    };
    match session::apply(tracefs, &transaction, runtime_dir) {
        Ok(applied) => match applied.undo() {
            Ok(()) => Ok(Ok(true)),
            Err(error) => Err(InstanceLeft(error.residue)),
        },
        // The errno of this write may be a code of the filter's parser, so that any of them means no.
        Err(ApplyError::Refused { step: 1, call: Call::Write, residue, .. }) if residue.is_empty() => {
            Ok(Ok(false))
        }
        Err(error) => refused(error).map(Err),
    }
}

/// Returns whether a filter of [`RENAMED`] lets the record of a thread with this name pass.
fn passes(
    tracefs: &Tracefs,
    filter: &str,
    thread: &str,
    runtime_dir: &Path,
) -> Result<Found<bool>, InstanceLeft> {
    let directory = format!("events/{}", RENAMED.replace(':', "/"));
    let writes = [(format!("{directory}/filter"), filter), (format!("{directory}/enable"), "1")];
    let transaction = match transaction(&writes) {
        Ok(transaction) => transaction,
        Err(reason) => return Ok(Err(reason)),
    };
    let applied = match session::apply(tracefs, &transaction, runtime_dir) {
        Ok(applied) => applied,
        Err(error) => return refused(error).map(Err),
    };
    let seen = name_a_thread(thread).and_then(|()| {
        let trace = tracefs.text(&format!("instances/{}/trace", transaction.instance()))?;
        let trace = trace.ok_or("the instance has no file `trace`")?;
        Ok(trace.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#')))
    });
    applied.undo().map_err(|error| InstanceLeft(error.residue))?;
    Ok(seen)
}

/// Starts a thread with a name and waits for its end.
fn name_a_thread(name: &str) -> Found<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(|| {});
    let thread = thread.map_err(|error| format!("no thread could be started: {error}"))?;
    thread.join().map_err(|_| "the thread panicked".to_owned())
}

/// Returns why a feature could not be tried, or an error if something was left behind.
fn refused(error: ApplyError) -> Result<String, InstanceLeft> {
    match error.residue() {
        [] => Ok(error.to_string()),
        left => Err(InstanceLeft(left.to_vec())),
    }
}

/// Returns the steps that create an instance and write some of its files.
fn transaction(writes: &[(String, &str)]) -> Found<Transaction> {
    let instance = own_name("save").map_err(|error| error.to_string())?;
    let mut steps = vec![Step::create(Span::default())];
    for (file, value) in writes {
        let file = FilePath::new(file).map_err(|error| error.to_string())?;
        steps.push(Step::write(Location::Instance(file), *value, Span::default()));
    }
    Transaction::new(instance, steps).map_err(|error| error.to_string())
}

//! Collects what an instance of another program holds: its rings are read and written to a file, and the instance records on.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Page, PageLayout};
use tracec_kernel::plan::{DEFAULT_QUEUE, InstanceName, Reading};

use crate::failure::Failure;
use crate::journal::{self, Found, JournalDirectory};
use crate::record::dumper::{self, Job};
use crate::record::environment::Kernel;
use crate::record::facts::Facts;
use crate::record::host::HostFilter;
use crate::record::names::Names;
use crate::record::pass::Pass;
use crate::record::recorder::RingEnd;
use crate::record::ring::{self, Damaged, Ring};
use crate::record::stages::{LastStages, Making, RenderError, Stages};
use crate::sink::outlet::Outlet;
use crate::sink::progress::Progress;
use crate::sink::{Form, NewFile, SinkError, Timestamps};
use crate::tracefs::Tracefs;

/// The most passes over the rings: one that records on is never empty.
const PASSES: usize = 2;

/// What was collected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// The number of records in the file.
    pub records: u64,
    /// The number of records that newer ones had replaced.
    pub overwritten: u64,
    /// The number of records that were lost otherwise.
    pub lost: u64,
    /// The pages that could not be read, whose records are lost too.
    pub damaged: Vec<Damaged>,
}

/// The reason why nothing was collected.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// There is no instance of the name.
    #[error("there is no instance `{0}`, and no started session of this name")]
    NoInstance(InstanceName),
    /// It is the instance of a session that runs.
    #[error("the instance `{0}` is that of a session of tracec, which reads it itself")]
    OfSession(InstanceName),
    /// The file cannot be written. What was read of the rings is lost only if `has_read`.
    #[error("{path}: {source}{}", if *.has_read { "; what the rings held was read, and is lost" } else { "" })]
    Output {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
        /// Whether the rings were read.
        has_read: bool,
    },
    /// The instance cannot be read.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// Reads what the rings of an instance hold, and writes it to a file. What is read is no longer in the rings.
///
/// # Errors
/// [`CollectError`].
pub fn collect(
    tracefs: &Tracefs,
    runtime_dir: &Path,
    name: &InstanceName,
    (path, form): (&Path, &'static Form),
) -> Result<Collected, CollectError> {
    let none = || CollectError::NoInstance(name.clone());
    if tracefs.instance_inode(name).map_err(Failure::system("stat"))?.is_none() {
        return Err(none());
    }
    if is_of_session(runtime_dir, name) {
        return Err(CollectError::OfSession(name.clone()));
    }
    let output =
        |source, has_read| CollectError::Output { path: path.display().to_string(), source, has_read };
    // Before anything is taken out of the rings.
    let file = NewFile::create(path).map_err(|source| output(source, false))?;
    let instance = tracefs.open_instance(name).map_err(Failure::from)?;
    let mut ring = Ring::open(&instance)?;
    let (layout, cpus) = (ring.layout(), ring.cpus().collect::<Vec<_>>());
    let stats = ring::stats(&instance).map_err(Failure::from)?;
    let passes = read(&mut ring)?;
    let damaged = ring.damaged().to_vec();
    // The instance cannot be removed while its files are open.
    drop(ring);
    let clock = instance.read_to_string("trace_clock").map_err(Failure::from)?;
    let clock = chosen(&clock).to_owned();
    let formats = formats(tracefs, &ids(&passes, &layout)?)?;
    let reading = Reading::new(clock.clone(), DEFAULT_QUEUE, Vec::new(), formats)
        .map_err(|error| output(std::io::Error::other(error.to_string()), true))?;
    let progress = Arc::<Progress>::default();
    let dup = Failure::system("dup");
    let fd = rustix::io::fcntl_dupfd_cloexec(file.file(), 3).map_err(&dup)?;
    let making = Making {
        reading: &reading,
        layout,
        cpus: cpus.clone(),
        names: Names::live(tracefs).map_err(&dup)?,
        kernel: Kernel::running(tracefs).map_err(&dup)?,
        children: None,
        progress: Arc::clone(&progress),
    };
    let last = if form.is_of_pages() {
        LastStages::of_pages(fd, Facts::new(tracefs, &instance)?, making)
    } else {
        let outlet = Outlet::new(fd, progress).map_err(Failure::system("fstat"))?;
        LastStages::of_records(form.sink(Box::new(outlet), Timestamps::of_clock(&clock)), making)
    };
    let stages = Stages { layout, clock, cpus: cpus.len(), filter: HostFilter::default(), last, files: None };
    let (overwritten, lost) = ring::overwritten(&stats);
    let end = RingEnd { lost: Vec::new(), stats };
    let records = dumper::write(Job { stages, file, passes, end }).map_err(|error| match error {
        RenderError::Page(cpu, source) => Failure::Page { cpu, source }.into(),
        RenderError::Sink(SinkError::Io(source)) => output(source, true),
        RenderError::Sink(SinkError::Closed) => output(std::io::Error::other("it was left"), true),
    })?;
    Ok(Collected {
        records,
        overwritten: overwritten.iter().map(|(_, overwritten)| overwritten.records).sum(),
        lost: lost.iter().map(|(_, lost)| lost).sum(),
        damaged,
    })
}

/// Returns whether the journal of an instance is that of a session that runs.
fn is_of_session(runtime_dir: &Path, name: &InstanceName) -> bool {
    let directory = JournalDirectory::open(runtime_dir).ok();
    let found = directory.and_then(|directory| journal::examine(&directory, &journal::file_name(name)));
    matches!(found, Some(Found::Live))
}

fn read(ring: &mut Ring) -> Result<Vec<Pass>, Failure> {
    let mut passes = Vec::new();
    for _ in 0..PASSES {
        let pass = ring.drain()?;
        let is_all = pass.is_all();
        passes.push(pass);
        if is_all {
            break;
        }
    }
    Ok(passes)
}

/// Returns the clock in brackets.
fn chosen(clocks: &str) -> &str {
    let named = clocks.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    named.map_or(clocks.trim(), |(name, _)| name)
}

/// Returns the ids of the events that records are of.
fn ids(passes: &[Pass], layout: &PageLayout) -> Result<BTreeSet<u16>, Failure> {
    let mut ids = BTreeSet::new();
    for (_, cpu, bytes) in passes.iter().flat_map(Pass::pages) {
        let damaged = |source| Failure::Page { cpu, source };
        for entry in Page::new(layout, bytes).map_err(damaged)?.entries() {
            // `common_type` is the first field of each record (`struct trace_entry`, include/linux/trace_events.h).
            ids.extend(entry.map_err(damaged)?.data.first_chunk().map(|id| u16::from_ne_bytes(*id)));
        }
    }
    Ok(ids)
}

/// Returns the layouts of the events that have these ids.
fn formats(tracefs: &Tracefs, ids: &BTreeSet<u16>) -> Result<Vec<EventFormat>, Failure> {
    let mut formats = Vec::new();
    let directories = |path: &str| -> Result<Vec<String>, Failure> {
        let entries = tracefs.list(path)?.into_iter().filter(|entry| entry.is_directory);
        Ok(entries.map(|entry| entry.name).collect())
    };
    for system in directories("events")? {
        for event in directories(&format!("events/{system}"))? {
            let path = format!("events/{system}/{event}/format");
            let text = match tracefs.read_to_string(&path) {
                // It has just been removed.
                Err(error) if error.is_not_found() => continue,
                text => text?,
            };
            let format = EventFormat::parse(&system, &text);
            // One that cannot be read has records that are counted as unknown.
            formats.extend(format.ok().filter(|format| ids.contains(&format.id)));
        }
    }
    Ok(formats)
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn chosen_clock_stands_in_brackets() {
        assert_eq!(chosen("local [mono] boot\n"), "mono");
        assert_eq!(chosen("[local] mono\n"), "local");
    }
}

//! Shared parts of the live tests: a tracefs, plans for it, and a sink that keeps its records.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use libtest_mimic::Failed;
use rustix::fd::{AsFd, OwnedFd};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::plan::{
    DEFAULT_QUEUE, FilePath, InstanceName, Life, Location, Plan, PlanVersion, Reading, Span, Step,
    Transaction,
};
use tracec_runtime::Errno;
use tracec_runtime::session::{Outcome, Undone, own_name, recover, recover_instance};
use tracec_runtime::sink::{Event, Ring, Sink, SinkError};
use tracec_runtime::tracefs::{Tracefs, TracefsError};

/// Opens the tracefs for the tests, writable.
pub(crate) fn open_tracefs() -> Result<Tracefs, TracefsError> {
    if let Some(directory) = std::env::var_os("TRACEC_TEST_TRACEFS") {
        return Tracefs::open(Path::new(&directory));
    }
    Tracefs::find().or_else(|_| Tracefs::mount_private())
}

/// Waits until no other process tests on this tracefs. Other processes wait as long as the file is open.
///
/// The live tests of the command compare all of tracefs, and take the same lock.
pub(crate) fn alone(tracefs: &Tracefs) -> std::io::Result<File> {
    let root = File::open(tracefs.path())?;
    if root.try_lock().is_err() {
        println!("waiting for other tests on {} to end", tracefs.path().display());
        root.lock()?;
    }
    Ok(root)
}

/// Prints why a test is skipped. The line with the test's name is not ended yet.
pub(crate) fn skip(reason: impl std::fmt::Display) -> Result<(), Failed> {
    skipped(reason);
    Ok(())
}

/// Prints why a test is skipped, where no result is returned.
pub(crate) fn skipped(reason: impl std::fmt::Display) {
    println!("\nSKIPPED: {reason}");
}

/// A tracefs, an instance name that is not in use, and a temporary directory for journals.
pub(crate) struct Fixture {
    pub(crate) tracefs: Tracefs,
    pub(crate) name: InstanceName,
    directory: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Fixture::named("tracec-test")
    }

    /// Creates a fixture with an instance whose name begins with `prefix`.
    pub(crate) fn named(prefix: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Fixture {
            tracefs: open_tracefs().expect("a tracefs was there a moment ago"),
            name: InstanceName::new(&format!("{prefix}-{}-{number}", std::process::id())).unwrap(),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// Creates a fixture with a name that tracec chooses. There can be one at a time.
    pub(crate) fn own() -> Result<Self, Failed> {
        Ok(Fixture { name: own_name("test")?, ..Fixture::new() })
    }

    /// Returns the directory for journals, which sessions create.
    pub(crate) fn runtime_dir(&self) -> PathBuf {
        self.directory.path().join("run")
    }

    /// Returns a path for a file of the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.runtime_dir().join(format!("{}.journal", self.name))
    }

    /// Returns a plan that records events, with further writes before the last step, which turns recording on.
    pub(crate) fn plan(&self, events: &[&str], writes: &[(&str, &str)]) -> Plan {
        plan(&self.tracefs, &self.name, events, writes)
    }

    /// Returns the transaction of such a plan.
    pub(crate) fn transaction(&self, events: &[&str], writes: &[(&str, &str)]) -> Transaction {
        self.plan(events, writes).transaction
    }

    /// Returns the path of the instance for messages.
    pub(crate) fn instance(&self) -> PathBuf {
        self.tracefs.path().join("instances").join(self.name.as_str())
    }

    /// Recovers one journal, whose session was killed.
    pub(crate) fn recover(&self) -> Undone {
        let mut recovered = recover(&self.runtime_dir(), &self.tracefs).unwrap().journals;
        assert_eq!(recovered.len(), 1, "{recovered:?}");
        let Outcome::Undone(undone) = recovered.remove(0).outcome else { panic!("it was not undone") };
        undone
    }

    /// Recovers the session of this instance, which is removed also where it is unknown who made it.
    pub(crate) fn recover_named(&self) -> Undone {
        let recovered = recover_instance(&self.runtime_dir(), &self.tracefs, &self.name).unwrap();
        let Outcome::Undone(undone) = recovered.outcome else { panic!("it was not undone") };
        undone
    }

    pub(crate) fn instance_exists(&self) -> bool {
        self.tracefs.exists(&format!("instances/{}", self.name)).unwrap()
    }

    /// Returns the contents of a file of the instance.
    pub(crate) fn read(&self, file: &str) -> String {
        self.tracefs.read_to_string(&format!("instances/{}/{file}", self.name)).unwrap()
    }

    /// Panics if anything is left of the session.
    pub(crate) fn assert_nothing_left(&self) {
        assert!(!self.instance_exists(), "the instance is left");
        assert!(!self.runtime_dir().exists(), "the journal or its directory is left");
    }
}

pub(crate) fn plan(tracefs: &Tracefs, name: &InstanceName, events: &[&str], writes: &[(&str, &str)]) -> Plan {
    let read = |path: &str| tracefs.read_to_string(path).unwrap_or_else(|error| panic!("{error}"));
    let mut steps =
        vec![Step::create(Span::default()), write("tracing_on", "0"), write("trace_clock", "global")];
    // Not every kernel has the file; those that have it wake readers late otherwise.
    if tracefs.exists("buffer_percent").unwrap() {
        steps.push(write("buffer_percent", "0"));
    }
    steps.extend(writes.iter().map(|(file, value)| write(file, value)));
    let mut formats = Vec::new();
    for event in events {
        let (system, name) = event.split_once(':').unwrap();
        formats.push(EventFormat::parse(system, &read(&format!("events/{system}/{name}/format"))).unwrap());
        if system != "ftrace" {
            steps.push(write(&format!("events/{system}/{name}/enable"), "1"));
        }
    }
    steps.push(write("tracing_on", "1"));
    Plan {
        version: PlanVersion,
        session: "test".to_owned(),
        kernel: String::new(),
        files: Vec::new(),
        transaction: Transaction::new(name.clone(), steps).unwrap(),
        reading: Reading::new("global".to_owned(), DEFAULT_QUEUE, Vec::new(), formats).unwrap(),
        programs: None,
        left_out: Vec::new(),
        life: Life::default(),
        watches: Vec::new(),
        output: None,
    }
}

pub(crate) fn write(file: &str, value: &str) -> Step {
    Step::write(Location::Instance(FilePath::new(file).unwrap()), value, Span::default())
}

/// Mounts a file system that no path leads to.
pub(crate) fn mount(
    kind: &str,
    option: Option<(&str, &str)>,
    attributes: MountAttrFlags,
) -> Result<OwnedFd, Errno> {
    let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    if let Some((key, value)) = option {
        rustix::mount::fsconfig_set_string(context.as_fd(), key, value)?;
    }
    rustix::mount::fsconfig_create(context.as_fd())?;
    rustix::mount::fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

/// The calls that a [`Memory`] has received.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) timestamps: Vec<u64>,
    /// `name field=value ...` of each record.
    pub(crate) records: Vec<String>,
    pub(crate) comms: Vec<String>,
    /// The frames of stacks.
    pub(crate) frames: Vec<String>,
    pub(crate) losses: Vec<Lost>,
    pub(crate) finished: bool,
}

/// A function that a [`Memory`] calls for each record.
type OnRecord = Box<dyn FnMut(&Seen) -> Result<(), SinkError> + Send>;

/// A sink that keeps its records, and calls a function for each.
pub(crate) struct Memory {
    seen: Arc<Mutex<Seen>>,
    on_record: OnRecord,
}

impl Memory {
    pub(crate) fn new(
        on_record: impl FnMut(&Seen) -> Result<(), SinkError> + Send + 'static,
    ) -> (Self, Arc<Mutex<Seen>>) {
        let seen = Arc::default();
        (Memory { seen: Arc::clone(&seen), on_record: Box::new(on_record) }, seen)
    }
}

impl Sink for Memory {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let mut shown = event.record.format.name.to_string();
        // The format of a stack says that it has eight frames. A shorter one ends the record before.
        for (field, value) in event.record.fields().filter(|_| event.stack.is_none()) {
            shown.push_str(&format!(" {}={}", field.name, value.unwrap()));
        }
        let mut seen = self.seen.lock().unwrap();
        seen.timestamps.push(event.timestamp);
        seen.records.push(shown);
        seen.comms.push(String::from_utf8_lossy(event.comm).into_owned());
        seen.frames.extend(event.stack.unwrap_or_default().iter().map(ToString::to_string));
        drop(seen);
        (self.on_record)(&self.seen.lock().unwrap())
    }

    fn lost(&mut self, _ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.seen.lock().unwrap().losses.push(lost);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.seen.lock().unwrap().finished = true;
        Ok(())
    }
}

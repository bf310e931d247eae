//! Shared files are restored if they still hold what the session wrote.
//!
//! The files are those at the top level, because a transaction writes to no other instance. Each test puts them back.
//! No event is enabled: that would give the machine's ring its full size for good.

use std::os::fd::AsRawFd;
use std::path::PathBuf;

use libtest_mimic::Failed;
use rustix::fd::OwnedFd;
use rustix::mount::MountAttrFlags;
use rustix::process::Signal;
use tracec_kernel::plan::{FilePath, InstanceName, Location, Span, Step, Transaction};
use tracec_runtime::Errno;
use tracec_runtime::session::{ApplyError, Call, Cause, Residue, apply};

use crate::Test;
use crate::child::Child;
use crate::fixture::{Fixture, mount, skipped};

pub(crate) const TESTS: &[Test] = &[
    ("shared::files_of_every_kind_are_restored", files_of_every_kind_are_restored),
    ("shared::a_refused_value_is_restored", a_refused_value_is_restored),
    ("shared::value_of_another_program_is_left", value_of_another_program_is_left),
    ("shared::a_killed_session_is_recovered", a_killed_session_is_recovered),
    ("shared::value_overwritten_after_a_kill_is_left", value_overwritten_after_a_kill_is_left),
];

/// The writes: a flag that is written twice, a choice, an option, a mask of CPUs, filters.
const WRITES: [(&str, &str); 7] = [
    ("tracing_on", "0"),
    ("trace_clock", "mono"),
    ("options/overwrite", "0"),
    ("tracing_cpumask", "1"),
    ("events/sched/sched_switch/filter", "prev_prio < 100"),
    ("events/sched/sched_waking/filter", "prio < 100"),
    ("tracing_on", "1"),
];

/// Returns a transaction that writes to files at the top level.
fn transaction(name: &InstanceName, writes: &[(&str, &str)]) -> Transaction {
    let write = |(file, value): &(&str, &str)| {
        let file = FilePath::new(*file).unwrap();
        Step::write(Location::Top(file), *value, Span::default())
    };
    let steps = std::iter::once(Step::create(Span::default())).chain(writes.iter().map(write));
    Transaction::new(name.clone(), steps.collect()).unwrap()
}

/// Returns a transaction with a write to each kind of file.
pub(crate) fn every_kind(name: &InstanceName) -> Transaction {
    transaction(name, &WRITES)
}

/// The files at the top level, reached through a mount of the test's own, with their values before it.
struct Top {
    path: PathBuf,
    values: Vec<(Location, String)>,
    _mount: OwnedFd,
}

impl Top {
    /// Sets one of the files for a test. Prints the reason if the files cannot be written here.
    fn new() -> Option<Self> {
        let mount = mount("tracefs", None, MountAttrFlags::empty()).map_err(skipped).ok()?;
        let path = format!("/proc/self/fd/{}", mount.as_raw_fd()).into();
        let mut top = Top { path, values: Vec::new(), _mount: mount };
        if !top.read("error_log").is_empty() {
            skipped("error_log holds errors, which a test would replace");
            return None;
        }
        for (file, _) in WRITES {
            let location = Location::Top(FilePath::new(file).unwrap());
            let value = location.shown_value(&top.read(file)).to_owned();
            top.values.push((location, value));
        }
        top.set("events/sched/sched_waking/filter", "prio == 77");
        Some(top)
    }

    fn set(&self, file: &str, value: &str) {
        std::fs::write(self.path.join(file), value).unwrap();
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path.join(file)).unwrap()
    }

    fn read_all(&self) -> Vec<String> {
        WRITES.iter().map(|(file, _)| self.read(file)).collect()
    }

    /// Panics unless the clock is left with the value of another program, and everything else is as before.
    fn assert_only_the_clock_is_left(&self, before: &[String], left: &[Residue]) {
        let [Residue { path, cause }] = left else { panic!("{left:?}") };
        assert!(path.ends_with("trace_clock"), "{}", path.display());
        assert_eq!(*cause, Cause::Overwritten { holds: "boot".to_owned() });
        assert!(self.read("trace_clock").contains("[boot]"));
        let now = self.read_all();
        assert_eq!((&now[..1], &now[2..]), (&before[..1], &before[2..]));
    }
}

impl Drop for Top {
    fn drop(&mut self) {
        // A failure is ignored: the files could be written before. The log holds errors of the test only.
        for (location, value) in &self.values {
            if let Location::Top(file) = location {
                let _ = std::fs::write(self.path.join(file.as_str()), value);
            }
        }
        let _ = std::fs::write(self.path.join("error_log"), "");
    }
}

fn files_of_every_kind_are_restored() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let Some(top) = Top::new() else { return Ok(()) };
    let before = top.read_all();
    let applied = apply(&fixture.tracefs, &every_kind(&fixture.name), &fixture.runtime_dir())?;
    let now = top.read_all();
    // The flag may end with its first value, and a machine with one CPU has only one mask.
    let changed = now.iter().zip(&before).filter(|(now, before)| now != before).count();
    assert!(changed >= 4, "{now:?}");
    applied.undo()?;
    assert_eq!(top.read_all(), before);
    fixture.assert_nothing_left();
    Ok(())
}

/// Refuses a filter, which the kernel then replaces by the text of the error, switching filtering off.
fn a_refused_value_is_restored() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let Some(top) = Top::new() else { return Ok(()) };
    let before = top.read_all();
    for at in 0..=WRITES.len() {
        let mut writes = WRITES.to_vec();
        writes.insert(at, ("events/sched/sched_waking/filter", "no_such == 1"));
        let transaction = transaction(&fixture.name, &writes);
        let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
        let ApplyError::Refused { step, call: Call::Write, errno: Errno::INVAL, residue, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!((step, residue), (at + 1, Vec::new()));
        assert_eq!(top.read_all(), before);
        fixture.assert_nothing_left();
    }
    Ok(())
}

fn value_of_another_program_is_left() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let Some(top) = Top::new() else { return Ok(()) };
    let before = top.read_all();
    let applied = apply(&fixture.tracefs, &every_kind(&fixture.name), &fixture.runtime_dir())?;
    top.set("trace_clock", "boot");
    top.assert_only_the_clock_is_left(&before, &applied.undo().unwrap_err().residue);
    fixture.assert_nothing_left();
    Ok(())
}

/// Kills a session that has applied [`every_kind`].
fn kill_one(fixture: &Fixture) {
    let mut child = Child::spawn(fixture, "shared");
    assert_eq!(child.read_line(), "applied\n");
    child.signal(Signal::KILL);
    child.wait();
    assert!(fixture.instance_exists() && fixture.journal().exists());
}

fn a_killed_session_is_recovered() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let Some(top) = Top::new() else { return Ok(()) };
    let before = top.read_all();
    kill_one(&fixture);
    assert_ne!(top.read_all(), before);
    let recovered = fixture.recover();
    assert_eq!((recovered.removed, recovered.left), (vec![fixture.instance()], Vec::new()));
    assert!(recovered.restored.len() >= 4, "{:?}", recovered.restored);
    assert_eq!(top.read_all(), before);
    assert!(!fixture.instance_exists() && !fixture.journal().exists());
    Ok(())
}

fn value_overwritten_after_a_kill_is_left() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let Some(top) = Top::new() else { return Ok(()) };
    let before = top.read_all();
    kill_one(&fixture);
    top.set("trace_clock", "boot");
    let recovered = fixture.recover();
    assert_eq!(recovered.removed, [fixture.instance()]);
    top.assert_only_the_clock_is_left(&before, &recovered.left);
    assert!(!fixture.instance_exists() && !fixture.journal().exists());
    Ok(())
}

//! Events that a session defines are removed if nobody has changed them. Other events are not touched.
//!
//! The events are probes in a file of zeros that is never executed.

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use rustix::fd::OwnedFd;
use rustix::mount::MountAttrFlags;
use rustix::process::Signal;
use tracec_kernel::plan::{Definition, InstanceName, Span, Step, Transaction};
use tracec_runtime::Errno;
use tracec_runtime::session::{ApplyError, Call, Cause, Undone, apply};

use crate::Test;
use crate::child::Child;
use crate::fixture::{Fixture, mount, skipped, write};

pub(crate) const TESTS: &[Test] = &[
    ("events::defined_events_are_removed", defined_events_are_removed),
    ("events::refusal_of_any_step_removes_defined_events", refusal_of_any_step_removes_defined_events),
    ("events::refused_definition_has_the_kernels_message", refused_definition_has_the_kernels_message),
    ("events::existing_event_is_not_touched", existing_event_is_not_touched),
    ("events::event_of_another_program_is_left", event_of_another_program_is_left),
    ("events::an_event_in_use_is_reported_and_recovered", an_event_in_use_is_reported_and_recovered),
    ("events::a_killed_session_is_recovered", a_killed_session_is_recovered),
    ("events::a_kill_at_any_moment_is_recovered", a_kill_at_any_moment_is_recovered),
];

/// The list of definitions as other programs reach it, with an event that is not the session's, and the session's
/// definitions.
struct Lists {
    root: PathBuf,
    before: String,
    theirs: String,
    fixture: Fixture,
    _mount: OwnedFd,
}

/// Returns the group of a session's events.
fn group(name: &InstanceName) -> String {
    format!("tracec_{}", name.as_str().replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

/// Returns the definition of an event of the session; `runtime_dir` says where its file of zeros is.
fn definition(name: &InstanceName, runtime_dir: &Path, event: &str) -> String {
    let probed = runtime_dir.with_file_name("probed");
    format!("p:{}/{event} {}:0x40 a=%di:u32", group(name), probed.display())
}

/// Returns a transaction that defines two events, followed by `others`.
pub(crate) fn transaction(name: &InstanceName, runtime_dir: &Path, others: Vec<Step>) -> Transaction {
    let define = |event| {
        let definition = Definition::new(definition(name, runtime_dir, event)).unwrap();
        Step::define(definition, Span::default())
    };
    let mut steps = vec![Step::create(Span::default()), define("first"), define("second")];
    steps.extend(others);
    Transaction::new(name.clone(), steps).unwrap()
}

/// Returns the step that records an event.
fn enabled(name: &InstanceName, event: &str) -> Step {
    write(&format!("events/{}/{event}/enable", group(name)), "1")
}

/// Returns a transaction that defines and records both events.
pub(crate) fn recorded(name: &InstanceName, runtime_dir: &Path) -> Transaction {
    transaction(name, runtime_dir, vec![enabled(name, "first"), enabled(name, "second")])
}

/// A log of errors, emptied at the end of the test.
struct Emptied(PathBuf);

impl Drop for Emptied {
    fn drop(&mut self) {
        // Opening the file with O_TRUNC removes all entries (`tracing_err_log_open` in kernel/trace/trace.c).
        std::fs::write(&self.0, "").unwrap();
    }
}

impl Lists {
    /// Prints the reason if the kernel has no such events.
    fn new() -> Option<Self> {
        let fixture = Fixture::named("tracec.test");
        if !fixture.tracefs.exists("uprobe_events").unwrap() {
            skipped("this kernel has no uprobe_events");
            return None;
        }
        let mount = mount("tracefs", None, MountAttrFlags::empty()).map_err(skipped).ok()?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        std::fs::write(fixture.file("probed"), [0; 4096]).unwrap();
        let theirs = format!("theirs_{}", group(&fixture.name));
        let mut lists = Lists { root, before: String::new(), theirs, fixture, _mount: mount };
        lists
            .write(&format!("p:{}/e {}:0x80", lists.theirs, lists.fixture.file("probed").display()))
            .unwrap();
        lists.before = lists.read();
        Some(lists)
    }

    /// For a test in which the kernel refuses definitions. It puts a message about each into the top-level `error_log`,
    /// which can only be emptied as a whole; so the test empties it, and is skipped where there are messages already.
    fn with_refusals() -> Option<(Self, Emptied)> {
        let lists = Lists::new()?;
        let log = lists.root.join("error_log");
        if !std::fs::read(&log).unwrap().is_empty() {
            skipped("error_log holds messages, which emptying it would remove");
            return None;
        }
        Some((lists, Emptied(log)))
    }

    /// Returns the lines of this test: other programs may define and remove events meanwhile.
    fn read(&self) -> String {
        let group = group(&self.fixture.name);
        let lines = std::fs::read_to_string(self.root.join(Definition::LIST)).unwrap();
        lines.split_inclusive('\n').filter(|line| line.contains(&group)).collect()
    }

    /// Writes one command without truncating the file, which would remove the events of all programs.
    fn write(&self, command: &str) -> std::io::Result<()> {
        use std::io::Write;
        let mut list = std::fs::File::options().write(true).open(self.root.join(Definition::LIST))?;
        list.write_all(command.as_bytes())
    }

    fn definition(&self, event: &str) -> String {
        definition(&self.fixture.name, &self.fixture.runtime_dir(), event)
    }

    fn transaction(&self, others: Vec<Step>) -> Transaction {
        transaction(&self.fixture.name, &self.fixture.runtime_dir(), others)
    }

    /// Returns the paths of events for messages.
    fn paths<const N: usize>(&self, events: [&str; N]) -> Vec<PathBuf> {
        let group = self.fixture.tracefs.path().join("events").join(group(&self.fixture.name));
        events.iter().map(|event| group.join(event)).collect()
    }

    /// Starts a session and kills it once it is applied.
    fn kill_one(&self, role: &str) {
        let mut child = Child::spawn(&self.fixture, role);
        assert_eq!(child.read_line(), "applied\n");
        child.signal(Signal::KILL);
        child.wait();
        assert!(self.fixture.instance_exists() && self.fixture.journal().exists());
        assert_ne!(self.read(), self.before);
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        // A test that failed half-way leaves the session's events too.
        let own = group(&self.fixture.name);
        let _ = std::fs::remove_dir(self.root.join("instances").join(self.fixture.name.as_str()));
        for group in [&self.theirs, &own] {
            let _ = self.write(&format!("-:{group}/"));
        }
    }
}

fn defined_events_are_removed() -> Result<(), Failed> {
    let Some(lists) = Lists::new() else { return Ok(()) };
    let fixture = &lists.fixture;
    let transaction = recorded(&fixture.name, &fixture.runtime_dir());
    let applied = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir())?;
    assert_eq!(lists.read().lines().count(), lists.before.lines().count() + 2);
    assert_eq!(fixture.read(&format!("events/{}/second/enable", group(&fixture.name))).trim(), "1");
    applied.undo()?;
    assert_eq!(lists.read(), lists.before);
    fixture.assert_nothing_left();
    drop(apply(&fixture.tracefs, &transaction, &fixture.runtime_dir())?);
    assert_eq!(lists.read(), lists.before);
    fixture.assert_nothing_left();
    Ok(())
}

fn refusal_of_any_step_removes_defined_events() -> Result<(), Failed> {
    let Some((lists, _log)) = Lists::with_refusals() else { return Ok(()) };
    let fixture = &lists.fixture;
    let good = recorded(&fixture.name, &fixture.runtime_dir());
    let no_such = Definition::new(format!("p:{}/third /no/such:0x40", group(&fixture.name)))?;
    for at in 1..=good.steps().len() {
        // The nop tracer refuses this option by design: kernel/trace/trace_nop.c.
        let option = (write("options/test_nop_refuse", "1"), Errno::INVAL);
        let definition = (Step::define(no_such.clone(), Span::default()), Errno::NOENT);
        for (bad, expected) in [option, definition] {
            let mut steps = good.steps().to_vec();
            steps.insert(at, bad);
            let transaction = Transaction::new(fixture.name.clone(), steps)?;
            let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
            let ApplyError::Refused { step, call: Call::Write, errno, residue, .. } = error else {
                panic!("{error:?}")
            };
            assert_eq!((step, errno, residue), (at, expected, Vec::new()));
            assert_eq!(lists.read(), lists.before);
            fixture.assert_nothing_left();
        }
    }
    Ok(())
}

fn refused_definition_has_the_kernels_message() -> Result<(), Failed> {
    let Some((lists, _log)) = Lists::with_refusals() else { return Ok(()) };
    let fixture = &lists.fixture;
    let definition = Definition::new(format!("p:{}/e /no/such:0x40", group(&fixture.name)))?;
    let steps = vec![Step::create(Span::default()), Step::define(definition.clone(), Span::default())];
    let transaction = Transaction::new(fixture.name.clone(), steps)?;
    let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
    let ApplyError::Refused { step: 1, kernel: Some(kernel), .. } = error else { panic!("{error:?}") };
    let text = (kernel.text.as_str(), kernel.command.as_str());
    assert_eq!(text, ("Failed to find the given file", definition.as_str()));
    fixture.assert_nothing_left();
    Ok(())
}

fn existing_event_is_not_touched() -> Result<(), Failed> {
    let Some(lists) = Lists::new() else { return Ok(()) };
    let fixture = &lists.fixture;
    // At another offset in the file, with the same arguments: the kernel would add a probe to the event.
    lists.write(&lists.definition("second").replace(":0x40", ":0x60"))?;
    let before = lists.read();
    let error = apply(&fixture.tracefs, &lists.transaction(Vec::new()), &fixture.runtime_dir()).unwrap_err();
    let event = format!("{}/second", group(&fixture.name));
    assert_eq!(error, ApplyError::EventTaken { step: 2, event, residue: Vec::new() });
    assert_eq!(lists.read(), before);
    fixture.assert_nothing_left();
    Ok(())
}

fn event_of_another_program_is_left() -> Result<(), Failed> {
    let Some(lists) = Lists::new() else { return Ok(()) };
    let fixture = &lists.fixture;
    let applied = apply(&fixture.tracefs, &lists.transaction(Vec::new()), &fixture.runtime_dir())?;
    let (other, added) = (format!("{}/first", group(&fixture.name)), lists.definition("second"));
    // The first is another event now, the second has one more probe.
    lists.write(&format!("-:{other}"))?;
    lists.write(&lists.definition("first").replace(":0x40", ":0x60"))?;
    lists.write(&added.replace(":0x40", ":0x60"))?;
    let before = lists.read();
    let residue = applied.undo().unwrap_err().residue;
    let paths: Vec<&PathBuf> = residue.iter().map(|left| &left.path).collect();
    assert_eq!(paths, lists.paths(["second", "first"]).iter().collect::<Vec<_>>());
    for left in &residue {
        let Cause::Overwritten { holds } = &left.cause else { panic!("{left:?}") };
        assert!(holds.contains(":0x0000000000000060"), "{holds}");
    }
    assert_eq!(lists.read(), before);
    fixture.assert_nothing_left();
    Ok(())
}

fn an_event_in_use_is_reported_and_recovered() -> Result<(), Failed> {
    let Some(lists) = Lists::new() else { return Ok(()) };
    let fixture = &lists.fixture;
    let applied = apply(&fixture.tracefs, &lists.transaction(Vec::new()), &fixture.runtime_dir())?;
    let theirs = lists.root.join("instances").join(&lists.theirs);
    std::fs::create_dir(&theirs)?;
    std::fs::write(theirs.join(format!("events/{}/first/enable", group(&fixture.name))), "1")?;
    let undone = applied.undo();
    let again = lists.fixture.recover();
    std::fs::remove_dir(&theirs)?;
    let residue = undone.unwrap_err().residue;
    assert_eq!(residue.len(), 1, "{residue:?}");
    assert_eq!(
        (&residue[0].path, &residue[0].cause),
        (&lists.paths(["first"])[0], &Cause::System(Errno::BUSY))
    );
    assert!(again.keeps_journal());
    assert_eq!(again.left, residue);
    let recovered = lists.fixture.recover();
    assert_eq!(recovered, Undone { removed: lists.paths(["first"]), ..Undone::default() });
    assert_eq!(lists.read(), lists.before);
    assert!(!fixture.instance_exists() && !fixture.journal().exists());
    Ok(())
}

fn a_killed_session_is_recovered() -> Result<(), Failed> {
    let Some(lists) = Lists::new() else { return Ok(()) };
    lists.kill_one("recorded events");
    let recovered = lists.fixture.recover();
    let removed = [vec![lists.fixture.instance()], lists.paths(["second", "first"])].concat();
    assert_eq!(recovered, Undone { removed, ..Undone::default() });
    assert_eq!(lists.read(), lists.before);
    assert!(!lists.fixture.instance_exists() && !lists.fixture.journal().exists());
    Ok(())
}

fn a_kill_at_any_moment_is_recovered() -> Result<(), Failed> {
    let Some(lists) = Lists::new() else { return Ok(()) };
    let fixture = &lists.fixture;
    let instance = lists.root.join("instances").join(fixture.name.as_str());
    // The header, the instance and its inode, then two lines for each event.
    for lines in 0..=7_usize {
        for (is_made, is_cut) in [(false, false), (false, true), (true, false), (true, true)] {
            lists.kill_one("events");
            let journal = std::fs::read_to_string(fixture.journal())?;
            assert_eq!(journal.lines().count(), 7);
            let whole: String = journal.split_inclusive('\n').take(lines).collect();
            let next = journal[whole.len()..].lines().next().unwrap_or_default();
            let part = if is_cut { &next[..next.len() / 2] } else { "" };
            std::fs::write(fixture.journal(), whole + part)?;
            // The change of the last complete line may have been made or not.
            let is_announced = lines >= 2 && lines.is_multiple_of(2);
            let changes = lines.saturating_sub(1) / 2 + usize::from(is_announced && is_made);
            for (count, event) in [(3, "second"), (2, "first")] {
                if changes < count {
                    lists.write(&format!("-:{}/{event}", group(&fixture.name)))?;
                }
            }
            if changes < 1 {
                std::fs::remove_dir(&instance)?;
            }
            // The journal does not say who made the instance.
            let recovered = match lines < 3 && changes > 0 {
                true => lists.fixture.recover_named(),
                false => lists.fixture.recover(),
            };
            assert_eq!(lists.read(), lists.before, "{lines} lines, {changes} changes: {recovered:?}");
            assert_eq!(recovered.removed.len(), changes, "{recovered:?}");
            assert!(recovered.left.is_empty() && !fixture.journal().exists(), "{recovered:?}");
            assert!(!fixture.instance_exists(), "{recovered:?}");
        }
    }
    Ok(())
}

//! Plans are applied completely or not at all.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use libtest_mimic::Failed;
use rustix::mount::MountAttrFlags;
use tracec_kernel::plan::Transaction;
use tracec_runtime::Errno;
use tracec_runtime::session::{ApplyError, Call, Cause, apply};
use tracec_runtime::tracefs::{Tracefs, TracefsError};

use crate::Test;
use crate::fixture::{Fixture, mount, skip, write};

pub(crate) const TESTS: &[Test] = &[
    ("transaction::apply_then_undo", apply_then_undo),
    ("transaction::dropping_undoes", dropping_undoes),
    ("transaction::a_refusal_at_any_step_leaves_nothing", a_refusal_at_any_step_leaves_nothing),
    ("transaction::refused_filter_has_the_kernels_message", refused_filter_has_the_kernels_message),
    ("transaction::missing_file_is_an_error_of_open", missing_file_is_an_error_of_open),
    ("transaction::a_taken_instance_is_not_touched", a_taken_instance_is_not_touched),
    ("transaction::other_file_systems_are_refused", other_file_systems_are_refused),
    ("transaction::a_read_only_tracefs_is_refused", a_read_only_tracefs_is_refused),
    ("transaction::a_busy_instance_is_reported_and_recovered", a_busy_instance_is_reported_and_recovered),
    ("transaction::private_mount_is_not_listed", private_mount_is_not_listed),
];

const EVENT: &str = "sched:sched_switch";
const FILTER: (&str, &str) = ("events/sched/sched_switch/filter", "prev_prio < 100");

fn apply_then_undo() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let transaction = fixture.transaction(&[EVENT], &[FILTER, ("buffer_size_kb", "64")]);
    let applied = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir())?;
    assert_eq!(applied.instance(), &fixture.name);
    assert_eq!(fixture.read(FILTER.0).trim(), FILTER.1);
    assert_eq!(fixture.read("tracing_on").trim(), "1");
    assert!(fixture.read("trace_clock").contains("[global]"));
    // The header, the instance and its inode: a step that is undone with the instance has no line.
    assert_eq!(std::fs::read_to_string(fixture.journal())?.lines().count(), 3);
    applied.undo()?;
    fixture.assert_nothing_left();
    Ok(())
}

fn dropping_undoes() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let transaction = fixture.transaction(&[EVENT], &[]);
    drop(apply(&fixture.tracefs, &transaction, &fixture.runtime_dir())?);
    fixture.assert_nothing_left();
    Ok(())
}

fn a_refusal_at_any_step_leaves_nothing() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let good = fixture.transaction(&[EVENT], &[FILTER, ("events/sched/sched_switch/trigger", "traceoff:1")]);
    for step in 1..=good.steps().len() {
        let mut steps = good.steps().to_vec();
        // The nop tracer refuses this option by design: kernel/trace/trace_nop.c.
        steps.insert(step, write("options/test_nop_refuse", "1"));
        let transaction = Transaction::new(fixture.name.clone(), steps)?;
        let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
        let expected = ApplyError::Refused {
            step,
            call: Call::Write,
            errno: Errno::INVAL,
            kernel: None,
            residue: Vec::new(),
        };
        assert_eq!(error, expected);
        fixture.assert_nothing_left();
    }
    Ok(())
}

fn refused_filter_has_the_kernels_message() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let transaction = fixture.transaction(&[EVENT], &[FILTER, (FILTER.0, "prev_prio < 100 && no_such == 1")]);
    let index = transaction.steps().len() - 3;
    let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
    let ApplyError::Refused { step, kernel: Some(kernel), .. } = error else { panic!("{error:?}") };
    assert_eq!(step, index);
    assert_eq!(kernel.text, "Field not found");
    assert_eq!(kernel.command, "prev_prio < 100 && no_such == 1");
    let caret = kernel.caret.expect("a caret");
    assert!((19..=27).contains(&caret), "{caret} is not at the unknown name");
    fixture.assert_nothing_left();
    Ok(())
}

fn missing_file_is_an_error_of_open() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let transaction = fixture.transaction(&[], &[("events/sched/no_such_event/enable", "1")]);
    let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
    assert!(matches!(error, ApplyError::Refused { call: Call::Open, errno: Errno::NOENT, .. }), "{error:?}");
    fixture.assert_nothing_left();
    Ok(())
}

fn a_taken_instance_is_not_touched() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let theirs = fixture.transaction(&[EVENT], &[FILTER]);
    let held = apply(&fixture.tracefs, &theirs, &fixture.file("other"))?;
    let ours = fixture.transaction(&[], &[(FILTER.0, "prev_prio == 1")]);
    let error = apply(&fixture.tracefs, &ours, &fixture.runtime_dir()).unwrap_err();
    assert_eq!(error, ApplyError::InstanceTaken { name: fixture.name.to_string() });
    assert_eq!(fixture.read(FILTER.0).trim(), FILTER.1);
    assert!(!fixture.runtime_dir().exists());
    held.undo()?;
    Ok(())
}

fn other_file_systems_are_refused() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let directory = tempfile::tempdir()?;
    let copy = Tracefs::open(directory.path())?;
    let error = apply(&copy, &fixture.transaction(&[], &[]), &fixture.runtime_dir()).unwrap_err();
    let path = directory.path().to_owned();
    assert_eq!(error, ApplyError::Tracefs(TracefsError::NotATracefs { path }));
    assert_eq!(std::fs::read_dir(directory.path())?.count(), 0);
    Ok(())
}

fn a_read_only_tracefs_is_refused() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mount = match mount("tracefs", None, MountAttrFlags::MOUNT_ATTR_RDONLY) {
        Ok(mount) => mount,
        Err(errno) => return skip(errno),
    };
    let tracefs = Tracefs::open(Path::new(&format!("/proc/self/fd/{}", mount.as_raw_fd())))?;
    let error = apply(&tracefs, &fixture.transaction(&[], &[]), &fixture.runtime_dir()).unwrap_err();
    assert!(matches!(error, ApplyError::Tracefs(TracefsError::ReadOnly { .. })), "{error:?}");
    fixture.assert_nothing_left();
    Ok(())
}

fn a_busy_instance_is_reported_and_recovered() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let transaction = fixture.transaction(&[], &[]);
    let applied = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir())?;
    let Some(busy) = open_by_path(&fixture, "trace_pipe") else {
        return skip("a private mount has no path by which another could open a file");
    };
    let left = applied.undo().unwrap_err().residue;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].cause, Cause::System(Errno::BUSY));
    assert!(fixture.instance_exists() && fixture.journal().exists());
    drop(busy);
    assert_eq!(fixture.recover().removed, [fixture.instance()]);
    assert!(!fixture.instance_exists() && !fixture.journal().exists());
    Ok(())
}

fn open_by_path(fixture: &Fixture, file: &str) -> Option<File> {
    let path = fixture.tracefs.path().join("instances").join(fixture.name.as_str()).join(file);
    File::open(path).ok()
}

fn private_mount_is_not_listed() -> Result<(), Failed> {
    let before = std::fs::read_to_string("/proc/self/mounts")?;
    let private = match Tracefs::mount_private() {
        Ok(tracefs) => tracefs,
        Err(error) => return skip(error),
    };
    assert!(private.is_tracefs());
    assert!(!private.read("README")?.is_empty());
    assert!(private.list("events")?.iter().any(|entry| entry.name == "sched" && entry.is_directory));
    assert_eq!(std::fs::read_to_string("/proc/self/mounts")?, before);
    assert!(!Path::new(private.path()).exists());
    Ok(())
}

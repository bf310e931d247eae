//! Journals are written before any change, and undo the changes of killed sessions.

use std::os::fd::AsRawFd;
use std::path::PathBuf;

use libtest_mimic::Failed;
use rustix::fd::OwnedFd;
use rustix::mount::MountAttrFlags;
use tracec_runtime::Errno;
use tracec_runtime::session::{
    ApplyError, Cause, JournalError, JournalFileError, Outcome, Residue, Undone, apply, recover,
};

use crate::Test;
use crate::child::Child;
use crate::fixture::{Fixture, mount};

pub(crate) const TESTS: &[Test] = &[
    ("journal::a_living_session_is_left_alone", a_living_session_is_left_alone),
    ("journal::a_killed_session_is_recovered", a_killed_session_is_recovered),
    ("journal::journal_from_before_a_reboot_is_removed", journal_from_before_a_reboot_is_removed),
    ("journal::instance_of_another_program_is_left", instance_of_another_program_is_left),
    (
        "journal::instance_without_recorded_inode_is_removed_if_tracec_named_it",
        instance_without_recorded_inode_is_removed_if_tracec_named_it,
    ),
    ("journal::truncated_journal_has_no_effect", truncated_journal_has_no_effect),
    ("journal::file_that_is_not_a_journal_is_left_alone", file_that_is_not_a_journal_is_left_alone),
    ("journal::session_without_a_journal_changes_nothing", session_without_a_journal_changes_nothing),
    ("journal::a_second_session_of_the_name_is_refused", a_second_session_of_the_name_is_refused),
];

fn outcomes(fixture: &Fixture) -> Vec<Outcome> {
    let recovered = recover(&fixture.runtime_dir(), &fixture.tracefs).unwrap().journals;
    recovered.into_iter().map(|recovered| recovered.outcome).collect()
}

/// Returns the outcome of a session of which only the instance was left.
fn instance_removed(fixture: &Fixture) -> Outcome {
    Outcome::Undone(Undone { removed: vec![fixture.instance()], ..Undone::default() })
}

/// Returns the outcome of a session whose instance is left.
fn instance_left(fixture: &Fixture, cause: Cause) -> Outcome {
    let left = vec![Residue { path: fixture.instance(), cause }];
    Outcome::Undone(Undone { left, ..Undone::default() })
}

fn a_living_session_is_left_alone() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let applied = apply(&fixture.tracefs, &fixture.transaction(&[], &[]), &fixture.runtime_dir())?;
    assert_eq!(outcomes(&fixture), [Outcome::Live]);
    assert!(fixture.instance_exists());
    applied.undo()?;
    assert_eq!(outcomes(&fixture), []);
    Ok(())
}

/// Returns a journal with a replacement in its lines, and with the checksums of the new lines.
fn with(journal: &str, from: &str, to: &str) -> String {
    let replace = |line: &str| {
        let json = line[9..].replace(from, to);
        format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
    };
    let changed: String = journal.lines().map(replace).collect();
    assert_ne!(changed, journal, "{from}");
    changed
}

/// Kills a session while it streams records.
fn kill_one(fixture: &Fixture) {
    let mut child = Child::spawn(fixture, "switches");
    child.read_line();
    child.signal(rustix::process::Signal::KILL);
    child.wait();
    assert!(fixture.instance_exists() && fixture.journal().exists());
}

fn a_killed_session_is_recovered() -> Result<(), Failed> {
    let fixture = Fixture::new();
    kill_one(&fixture);
    assert_eq!(outcomes(&fixture), [instance_removed(&fixture)]);
    assert!(!fixture.instance_exists());
    assert_eq!(outcomes(&fixture), []);
    Ok(())
}

fn journal_from_before_a_reboot_is_removed() -> Result<(), Failed> {
    let fixture = Fixture::new();
    kill_one(&fixture);
    let text = std::fs::read_to_string(fixture.journal())?;
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    assert!(text.contains(boot_id.trim()));
    let other = "00000000-0000-0000-0000-000000000000";
    std::fs::write(fixture.journal(), with(&text, boot_id.trim(), other))?;
    assert_eq!(outcomes(&fixture), [Outcome::OtherBoot]);
    assert!(fixture.instance_exists() && !fixture.journal().exists());
    std::fs::write(fixture.journal(), text)?;
    assert_eq!(outcomes(&fixture), [instance_removed(&fixture)]);
    Ok(())
}

fn instance_of_another_program_is_left() -> Result<(), Failed> {
    let fixture = Fixture::new();
    kill_one(&fixture);
    let text = std::fs::read_to_string(fixture.journal())?;
    let (_, inode) = text.trim_end().rsplit_once("\"inode\":").unwrap();
    std::fs::write(fixture.journal(), with(&text, &format!("\"inode\":{inode}"), "\"inode\":1}}"))?;
    assert_eq!(outcomes(&fixture), [instance_left(&fixture, Cause::Foreign)]);
    assert!(fixture.instance_exists());
    std::fs::write(fixture.journal(), text)?;
    assert_eq!(outcomes(&fixture), [instance_removed(&fixture)]);
    Ok(())
}

/// Recovers a session that was killed around its mkdir, before it could record the inode.
fn instance_without_recorded_inode_is_removed_if_tracec_named_it() -> Result<(), Failed> {
    for (fixture, is_removed) in [(Fixture::own()?, true), (Fixture::new(), false)] {
        kill_one(&fixture);
        let text = std::fs::read_to_string(fixture.journal())?;
        let until_intended: String = text.split_inclusive('\n').take(2).collect();
        // The session was run by another process than the one that chose the name.
        let (_, rest) = text.split_once("\"pid\":").ok_or("the journal has no pid")?;
        let pid = format!("\"pid\":{}", rest.split_once(',').ok_or("the pid is the last")?.0);
        let until_intended = with(&until_intended, &pid, &format!("\"pid\":{}", std::process::id()));
        std::fs::write(fixture.journal(), until_intended)?;
        let outcomes_without = outcomes(&fixture);
        let left = (fixture.instance_exists(), fixture.journal().exists());
        // Removes what is left, also if the test fails below.
        std::fs::write(fixture.journal(), text)?;
        outcomes(&fixture);
        let expected = match is_removed {
            true => instance_removed(&fixture),
            false => instance_left(&fixture, Cause::UnknownInstance),
        };
        assert_eq!((outcomes_without, left), (vec![expected], (!is_removed, !is_removed)));
    }
    Ok(())
}

fn truncated_journal_has_no_effect() -> Result<(), Failed> {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.runtime_dir())?;
    for text in ["", "{", "{\"version\":1,\"boot_id\":\"x\"", "8d2c8ce6 {\"format\":"] {
        std::fs::write(fixture.journal(), text)?;
        assert_eq!(outcomes(&fixture), [Outcome::Undone(Undone::default())]);
        assert!(!fixture.journal().exists());
    }
    Ok(())
}

fn file_that_is_not_a_journal_is_left_alone() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let applied = apply(&fixture.tracefs, &fixture.transaction(&[], &[]), &fixture.runtime_dir())?;
    let text = std::fs::read_to_string(fixture.journal())?;
    applied.undo()?;
    std::fs::create_dir(fixture.runtime_dir())?;
    let older =
        "{\"version\":1,\"boot_id\":\"x\",\"pid\":1,\"tracefs\":\"/\",\"instance\":\"x\",\"inverses\":[]}\n";
    let newer = with(&text, "\"version\":4", "\"version\":999");
    let other = with(&text, fixture.name.as_str(), "someone");
    let escaping = with(&text, fixture.name.as_str(), "../events");
    for (text, why) in [
        ("not json\n", "line 1 is damaged"),
        ("{}\n", "missing field `version`"),
        ("\u{0}\n", "line 1 is damaged"),
        (older, "it is of version 1"),
        (&newer, "it is of version 999"),
        (&other, "it names an instance `someone`"),
        (&escaping, "an instance name is"),
        (&text.replace("\"inode\"", "\"Inode\""), "line 3 is damaged"),
    ] {
        std::fs::write(fixture.journal(), text)?;
        let outcomes = outcomes(&fixture);
        let [Outcome::Unreadable { reason }] = &outcomes[..] else { panic!("{text}: {outcomes:?}") };
        assert!(reason.contains(why), "{reason}");
        assert!(fixture.journal().exists());
    }
    // A file without the suffix of journals is ignored.
    std::fs::write(fixture.runtime_dir().join("notes"), "x")?;
    std::fs::remove_file(fixture.journal())?;
    assert_eq!(outcomes(&fixture), []);
    Ok(())
}

fn session_without_a_journal_changes_nothing() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let transaction = fixture.transaction(&[], &[]);
    let page = Some(("size", "4096"));
    let full = mount("tmpfs", page, MountAttrFlags::empty())?;
    std::fs::write(below(&full, "filler"), [0; 4096])?;
    let read_only = mount("tmpfs", page, MountAttrFlags::MOUNT_ATTR_RDONLY)?;
    for (directory, expected) in [
        (below(&full, "run"), Errno::NOSPC),
        (below(&read_only, "run"), Errno::ROFS),
        (fixture.file("no/parent"), Errno::NOENT),
    ] {
        let error = apply(&fixture.tracefs, &transaction, &directory).unwrap_err();
        let ApplyError::Journal(JournalError::File(JournalFileError::Io { errno, .. })) = error else {
            panic!("{error:?}")
        };
        assert_eq!(errno, expected);
        assert!(!fixture.instance_exists());
        assert!(!directory.exists(), "{} is left", directory.display());
    }
    Ok(())
}

fn below(mount: &OwnedFd, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{name}", mount.as_raw_fd()))
}

fn a_second_session_of_the_name_is_refused() -> Result<(), Failed> {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.runtime_dir())?;
    std::fs::write(fixture.journal(), "someone's\n")?;
    let error = apply(&fixture.tracefs, &fixture.transaction(&[], &[]), &fixture.runtime_dir()).unwrap_err();
    assert_eq!(error, ApplyError::Journal(JournalError::Taken { path: fixture.journal() }));
    assert_eq!(std::fs::read_to_string(fixture.journal())?, "someone's\n");
    assert!(!fixture.instance_exists());
    Ok(())
}

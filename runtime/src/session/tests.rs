//! Shared files, in directories that replace a tracefs and `/proc/sys`: written, restored, and recovered after a kill
//! at any moment.
//!
//! A write does not truncate a plain file, so all values have the same length.

use std::path::PathBuf;

use rustix::io::Errno;
use tracec_kernel::plan::{FilePath, InstanceName, Location, Span, Step, Sysctl, Transaction};

use super::apply::{Applied, Tasks, apply_to};
use super::error::{ApplyError, Call};
use super::own_name::own_name;
use super::recover::{Outcome, RecoverError, recover, recover_instance};
use super::undo::Undone;
use crate::failure::{Cause, Residue};
use crate::journal::{Distrust, JournalFileError};
use crate::tracefs::Tracefs;

/// The prefix of the paths of sysctls.
const SYSCTL: &str = "/proc/sys/kernel/";
/// The files with their values before the session.
const BEFORE: [(&str, &str); 4] = [
    ("options/a", "1\n"),
    ("options/b", "3\n"),
    ("options/c", "5\n"),
    ("/proc/sys/kernel/traceoff_on_warning", "0\n"),
];
/// The writes of the session; it writes `options/a` twice.
const WRITES: [(&str, &str); 5] = [
    ("options/a", "0"),
    ("options/b", "4"),
    ("/proc/sys/kernel/traceoff_on_warning", "1"),
    ("options/c", "7"),
    ("options/a", "2"),
];

struct Tree {
    directory: tempfile::TempDir,
    tracefs: Tracefs,
    name: InstanceName,
}

impl Tree {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("tracing");
        for name in ["instances", "options"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let sysctls = directory.path().join("sys");
        std::fs::create_dir_all(sysctls.join("kernel")).unwrap();
        let tracefs = Tracefs::open(&root).unwrap().with_sysctls(sysctls);
        let tree = Tree { directory, tracefs, name: own_name("test").unwrap() };
        BEFORE.iter().for_each(|(file, text)| tree.set(file, text));
        tree
    }

    fn path(&self, file: &str) -> PathBuf {
        match file.strip_prefix(SYSCTL) {
            Some(name) => self.directory.path().join("sys/kernel").join(name),
            None => self.tracefs.path().join(file),
        }
    }

    fn set(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    fn holds(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap()
    }

    fn is_as_before(&self) -> bool {
        BEFORE.iter().all(|(file, text)| self.holds(file) == *text) && !self.instance().exists()
    }

    fn instance(&self) -> PathBuf {
        self.path("instances").join(self.name.as_str())
    }

    fn runtime_dir(&self) -> PathBuf {
        self.directory.path().join("run")
    }

    fn journal(&self) -> PathBuf {
        self.runtime_dir().join(format!("{}.journal", self.name))
    }

    fn apply(&self, writes: &[(&str, &str)]) -> Result<Applied<'_>, ApplyError> {
        self.apply_as(&self.name, writes)
    }

    fn apply_as(&self, name: &InstanceName, writes: &[(&str, &str)]) -> Result<Applied<'_>, ApplyError> {
        let write = |(file, value): &(&str, &str)| {
            let location = match file.strip_prefix(SYSCTL) {
                Some(name) => Location::Sysctl(Sysctl::new(name).unwrap()),
                None => Location::Top(FilePath::new(*file).unwrap()),
            };
            Step::write(location, *value, Span::default())
        };
        let steps = std::iter::once(Step::create(Span::default())).chain(writes.iter().map(write));
        let transaction = Transaction::new(name.clone(), steps.collect()).unwrap();
        let steps = (&Tasks::default(), transaction.steps().len());
        apply_to(&self.tracefs, &transaction, &self.runtime_dir(), steps)
    }

    fn recover(&self) -> Outcome {
        let mut recovered = recover(&self.runtime_dir(), &self.tracefs).unwrap().journals;
        assert_eq!(recovered.len(), 1);
        recovered.remove(0).outcome
    }

    fn undone(&self) -> Undone {
        let outcome = self.recover();
        let Outcome::Undone(undone) = outcome else { panic!("{outcome:?}") };
        undone
    }

    fn left(&self, cause: Cause) -> Undone {
        let left = vec![Residue { path: self.instance(), cause }];
        Undone { left, ..Undone::default() }
    }

    fn overwritten(&self, file: &str, holds: &str) -> Residue {
        Residue { path: self.path(file), cause: Cause::Overwritten { holds: holds.to_owned() } }
    }
}

#[test]
fn shared_files_are_restored() {
    let tree = Tree::new();
    let applied = tree.apply(&WRITES).unwrap();
    assert_eq!(
        [tree.holds("options/a"), tree.holds("options/b"), tree.holds("options/c")],
        ["2\n", "4\n", "7\n"]
    );
    assert_eq!(tree.holds(WRITES[2].0), "1\n");
    applied.undo().unwrap();
    assert!(tree.is_as_before() && !tree.runtime_dir().exists());
    drop(tree.apply(&WRITES).unwrap());
    assert!(tree.is_as_before() && !tree.runtime_dir().exists());
}

#[test]
fn file_written_by_another_program_is_left_and_reported() {
    let tree = Tree::new();
    let applied = tree.apply(&WRITES).unwrap();
    tree.set("options/b", "9\n");
    let sysctl = WRITES[2].0;
    tree.set(sysctl, "7\n");
    // The value before the last write is one that the session wrote.
    tree.set("options/a", "0\n");
    let residue = applied.undo().unwrap_err().residue;
    assert_eq!(
        residue,
        [
            tree.overwritten("options/a", "0"),
            tree.overwritten(sysctl, "7"),
            tree.overwritten("options/b", "9")
        ]
    );
    assert_eq!(
        [tree.holds("options/a"), tree.holds("options/b"), tree.holds("options/c")],
        ["0\n", "9\n", "5\n"]
    );
    assert_eq!(tree.holds(sysctl), "7\n");
    assert!(!tree.instance().exists() && !tree.runtime_dir().exists());
}

#[test]
fn value_written_by_another_program_between_two_writes_is_restored() {
    let tree = Tree::new();
    let applied = tree.apply(&[("options/a", "0"), ("options/b", "4")]).unwrap();
    applied.abandon();
    let journal = std::fs::read_to_string(tree.journal()).unwrap();
    // The journal of a session whose second write of `options/a` came after another program had set it to 8.
    let mut text: String = journal.split_inclusive('\n').take(5).collect();
    for json in [
        r#"{"intend":{"undo":"restore_if_ours","step":2,"file":{"top":"options/a"},"value":"2","old":"8\n"}}"#,
        r#"{"done":{"step":2,"shows":"2\n"}}"#,
    ] {
        text.push_str(&format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())));
    }
    std::fs::write(tree.journal(), text).unwrap();
    tree.set("options/a", "2\n");
    tree.set("options/b", "3\n");
    assert_eq!(tree.undone().restored, [tree.path("options/a")]);
    assert_eq!(tree.holds("options/a"), "8\n");
}

#[test]
fn file_that_no_longer_exists_needs_no_undo() {
    let tree = Tree::new();
    let applied = tree.apply(&WRITES).unwrap();
    std::fs::remove_file(tree.path("options/b")).unwrap();
    applied.undo().unwrap();
    tree.set("options/b", "3\n");
    assert!(tree.is_as_before() && !tree.runtime_dir().exists());
}

#[test]
fn unreadable_file_keeps_the_journal_for_a_recovery() {
    let tree = Tree::new();
    let applied = tree.apply(&WRITES).unwrap();
    std::fs::remove_file(tree.path("options/b")).unwrap();
    std::fs::create_dir(tree.path("options/b")).unwrap();
    let residue = applied.undo().unwrap_err().residue;
    let directory = Residue { path: tree.path("options/b"), cause: Cause::System(Errno::ISDIR) };
    assert_eq!(residue, std::slice::from_ref(&directory));
    assert!(!tree.instance().exists() && tree.journal().exists());
    let again = tree.undone();
    assert!(again.keeps_journal());
    assert_eq!(again.left, [directory]);
    std::fs::remove_dir(tree.path("options/b")).unwrap();
    tree.set("options/b", "4\n");
    let restored = vec![tree.path("options/b")];
    assert_eq!(tree.undone(), Undone { restored, ..Undone::default() });
    assert!(tree.is_as_before() && !tree.journal().exists());
}

#[test]
fn failure_of_any_write_restores_the_writes_before() {
    let tree = Tree::new();
    std::fs::create_dir(tree.path("options/directory")).unwrap();
    for at in 0..=WRITES.len() {
        for (file, errno) in [("options/none", Errno::NOENT), ("options/directory", Errno::ISDIR)] {
            let mut writes = WRITES.to_vec();
            writes.insert(at, (file, "1"));
            let error = tree.apply(&writes).unwrap_err();
            let (step, call, kernel, residue) = (at + 1, Call::Read, None, Vec::new());
            assert_eq!(error, ApplyError::Refused { step, call, errno, kernel, residue });
            assert!(tree.is_as_before() && !tree.runtime_dir().exists());
        }
    }
}

#[test]
fn kill_at_any_moment_is_recovered() {
    let tree = Tree::new();
    tree.apply(&WRITES).unwrap().abandon();
    let journal = std::fs::read_to_string(tree.journal()).unwrap();
    tree.recover();
    let ends = journal.match_indices('\n').map(|(end, _)| end + 1);
    // Nothing of the next line, its first byte, some of it, all except its newline.
    let cuts = std::iter::once(0).chain(ends).flat_map(|end| {
        let next = journal[end..].find('\n').unwrap_or(0);
        [end, end + next.min(1), end + next / 2, end + next]
    });
    for cut in cuts {
        // The change of the last complete line may have been made or not.
        for is_made in [false, true] {
            tree.apply(&WRITES).unwrap().abandon();
            let journal = std::fs::read_to_string(tree.journal()).unwrap();
            let lines = journal[..cut].matches('\n').count();
            // The header, the intended instance and its inode; then two lines for each write.
            let is_intended = lines.is_multiple_of(2);
            let writes = lines.saturating_sub(2) / 2 - usize::from(lines > 2 && is_intended && !is_made);
            if lines < 2 || lines == 2 && !is_made {
                std::fs::remove_dir(tree.instance()).unwrap();
            }
            BEFORE.iter().for_each(|(file, text)| tree.set(file, text));
            WRITES[..writes].iter().for_each(|(file, value)| tree.set(file, &format!("{value}\n")));
            std::fs::write(tree.journal(), &journal[..cut]).unwrap();
            let recovered = tree.undone();
            assert!(tree.is_as_before(), "{cut}, {writes} writes: {recovered:?}");
            assert!(recovered.left.is_empty() && !tree.journal().exists(), "{cut}: {recovered:?}");
        }
    }
}

#[test]
fn damaged_journal_and_its_changes_are_left_alone() {
    let tree = Tree::new();
    tree.apply(&WRITES).unwrap().abandon();
    let journal = std::fs::read_to_string(tree.journal()).unwrap();
    std::fs::write(tree.journal(), journal.replacen("\"shows\":\"0", "\"shows\":\"1", 1)).unwrap();
    let Outcome::Unreadable { reason } = tree.recover() else { panic!("it was read") };
    assert!(reason.starts_with("line 5 is damaged: its checksum is "), "{reason}");
    assert!(tree.journal().exists() && tree.instance().exists());
    assert_eq!(tree.holds("options/a"), "2\n");
    std::fs::write(tree.journal(), "x".repeat(5 << 20)).unwrap();
    assert_eq!(tree.recover(), Outcome::Unreadable { reason: "it is too long".to_owned() });
    std::fs::write(tree.journal(), journal).unwrap();
    assert_eq!(tree.undone().removed, [tree.instance()]);
    assert!(tree.is_as_before());
}

#[test]
fn journal_that_cannot_be_examined_does_not_stop_the_others() {
    let tree = Tree::new();
    tree.apply(&WRITES).unwrap().abandon();
    let file = |name: &str| tree.runtime_dir().join(format!("{name}.journal"));
    std::os::unix::fs::symlink("nothing", file("a-dangling")).unwrap();
    std::os::unix::fs::symlink("b-loop.journal", file("b-loop")).unwrap();
    std::fs::create_dir(file("c-directory")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, file("d-fifo"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::write(file("e-binary"), b"\xff\n").unwrap();
    std::fs::write(file("f name"), "").unwrap();
    let recovered = recover(&tree.runtime_dir(), &tree.tracefs).unwrap().journals;
    let (last, damaged) = recovered.split_last().unwrap();
    let reasons = [
        "it is a symbolic link",
        "it is a symbolic link",
        "it is a directory",
        "it is a FIFO",
        "line 1 is damaged: it is not UTF-8",
        "an instance name is 1 to 64 of `A-Z a-z 0-9 . _ -` and begins with a letter, a digit or `_`",
    ];
    assert_eq!(damaged.len(), reasons.len());
    for (recovered, reason) in damaged.iter().zip(reasons) {
        assert_eq!(recovered.outcome, Outcome::Unreadable { reason: reason.to_owned() });
        assert!(recovered.journal.symlink_metadata().is_ok(), "{recovered:?}");
    }
    assert!(matches!(last.outcome, Outcome::Undone(_)) && tree.is_as_before(), "{last:?}");
}

#[test]
fn value_after_an_unconfirmed_write_is_not_called_another_programs() {
    let tree = Tree::new();
    tree.apply(&[("options/a", "2")]).unwrap().abandon();
    let journal = std::fs::read_to_string(tree.journal()).unwrap();
    let until_intended: String = journal.split_inclusive('\n').take(4).collect();
    std::fs::write(tree.journal(), until_intended).unwrap();
    // The kernel may show a value in another form than it was written in.
    tree.set("options/a", "3\n");
    let cause = Cause::Unconfirmed { holds: "3".to_owned(), value: "2".to_owned() };
    assert_eq!(tree.undone().left, [Residue { path: tree.path("options/a"), cause }]);
    assert_eq!(tree.holds("options/a"), "3\n");
}

#[test]
fn journal_cut_within_a_character_is_recovered_without_its_last_line() {
    let tree = Tree::new();
    tree.apply(&[("options/a", "2")]).unwrap().abandon();
    let journal =
        std::fs::read_to_string(tree.journal()).unwrap().replacen("\"value\":\"2", "\"value\":\"é", 1);
    let cut = &journal.as_bytes()[..=journal.find('é').unwrap()];
    assert!(std::str::from_utf8(cut).is_err());
    std::fs::write(tree.journal(), cut).unwrap();
    // The kill that cuts the line comes before the write that it announces.
    tree.set("options/a", "1\n");
    assert_eq!(tree.undone().removed, [tree.instance()]);
    assert!(tree.is_as_before() && !tree.journal().exists());
}

#[test]
fn instance_of_an_empty_or_incomplete_journal_is_reported() {
    let tree = Tree::new();
    tree.apply(&[]).unwrap().abandon();
    let whole = std::fs::read_to_string(tree.journal()).unwrap();
    let header = whole.split_inclusive('\n').next().unwrap();
    for text in ["", &header[..20], header] {
        std::fs::write(tree.journal(), text).unwrap();
        assert_eq!(tree.undone(), tree.left(Cause::UnknownInstance), "{text}");
        assert!(tree.instance().exists() && tree.journal().exists());
    }
    std::fs::remove_dir(tree.instance()).unwrap();
    assert_eq!(tree.undone(), Undone::default());
    assert!(!tree.journal().exists());
}

#[test]
fn instance_with_another_inode_is_reported() {
    let tree = Tree::new();
    tree.apply(&[]).unwrap().abandon();
    std::fs::create_dir(tree.path("instances/other")).unwrap();
    std::fs::remove_dir(tree.instance()).unwrap();
    std::fs::rename(tree.path("instances/other"), tree.instance()).unwrap();
    assert_eq!(tree.undone(), tree.left(Cause::Foreign));
    assert!(tree.instance().exists() && !tree.journal().exists());
}

#[test]
fn named_instance_is_removed_although_its_maker_is_unknown() {
    let tree = Tree::new();
    tree.apply(&[]).unwrap().abandon();
    let whole = std::fs::read_to_string(tree.journal()).unwrap();
    let recovered = || recover_instance(&tree.runtime_dir(), &tree.tracefs, &tree.name);
    for lines in 0..=2 {
        std::fs::create_dir_all(tree.instance()).unwrap();
        let text: String = whole.split_inclusive('\n').take(lines).collect();
        std::fs::write(tree.journal(), text).unwrap();
        let removed = Undone { removed: vec![tree.instance()], ..Undone::default() };
        let recovered = recovered().unwrap();
        assert_eq!(recovered.outcome, Outcome::Undone(removed), "{lines}");
        assert!(recovered.written.is_some() && !tree.instance().exists() && !tree.journal().exists());
    }
    let (instance, directory) = (tree.name.clone(), tree.runtime_dir());
    assert_eq!(recovered(), Err(RecoverError::NoJournal { instance, directory }));
}

#[test]
fn named_instance_of_another_program_is_left() {
    let tree = Tree::new();
    tree.apply(&[]).unwrap().abandon();
    std::fs::create_dir(tree.path("instances/other")).unwrap();
    std::fs::remove_dir(tree.instance()).unwrap();
    std::fs::rename(tree.path("instances/other"), tree.instance()).unwrap();
    let recovered = recover_instance(&tree.runtime_dir(), &tree.tracefs, &tree.name).unwrap();
    assert_eq!(recovered.outcome, Outcome::Undone(tree.left(Cause::Foreign)));
    assert!(tree.instance().exists());
}

#[test]
fn journal_that_another_user_could_have_written_is_not_used() {
    let tree = Tree::new();
    tree.apply(&WRITES).unwrap().abandon();
    let mode = |path: PathBuf, mode| {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    mode(tree.journal(), 0o622);
    let reason = "others can write to it (mode 0622)".to_owned();
    assert_eq!(tree.recover(), Outcome::Unreadable { reason });
    mode(tree.journal(), 0o600);
    mode(tree.runtime_dir(), 0o777);
    let (path, reason) = (tree.runtime_dir(), Distrust::Mode { mode: 0o777 });
    let expected = JournalFileError::Distrusted { path: path.clone(), reason };
    assert_eq!(recover(&path, &tree.tracefs), Err(expected.into()));
    let error = tree.apply(&WRITES).unwrap_err();
    assert_eq!(error, ApplyError::InstanceTaken { name: tree.name.to_string() });
    assert!(tree.instance().exists() && tree.journal().exists());
    mode(tree.runtime_dir(), 0o700);
    assert_eq!(tree.undone().removed, [tree.instance()]);
    assert!(tree.is_as_before());
    std::fs::create_dir_all(tree.runtime_dir()).unwrap();
    mode(tree.runtime_dir(), 0o777);
    let error = tree.apply(&WRITES).unwrap_err();
    assert_eq!(error, ApplyError::Journal(JournalFileError::Distrusted { path, reason }.into()));
    assert!(tree.is_as_before());
}

/// Two sessions that set `options/a` alike.
fn sharing(tree: &Tree) -> [Applied<'_>; 2] {
    let other = own_name("other").unwrap();
    let [first, second] =
        [&tree.name, &other].map(|name| tree.apply_as(name, &[("options/a", "2")]).unwrap());
    assert_eq!(tree.holds("options/a"), "2\n");
    [first, second]
}

#[test]
fn last_owner_of_a_value_puts_it_back() {
    for first_leaves_first in [true, false] {
        let tree = Tree::new();
        let [first, second] = sharing(&tree);
        let (early, late) = if first_leaves_first { (first, second) } else { (second, first) };
        early.undo().unwrap();
        assert_eq!(tree.holds("options/a"), "2\n");
        late.undo().unwrap();
        assert!(tree.is_as_before());
    }
}

#[test]
fn value_of_a_killed_owner_returns_with_the_last_one() {
    let tree = Tree::new();
    let [first, second] = sharing(&tree);
    first.abandon();
    // The other still runs, and puts the value back.
    let undone = match recover(&tree.runtime_dir(), &tree.tracefs).unwrap().journals.as_slice() {
        [live, killed] => [live.outcome.clone(), killed.outcome.clone()],
        other => panic!("{other:?}"),
    };
    assert!(undone.contains(&Outcome::Live), "{undone:?}");
    assert_eq!(tree.holds("options/a"), "2\n");
    second.undo().unwrap();
    assert!(tree.is_as_before());
}

#[test]
fn value_of_a_killed_owner_is_put_back_by_one_that_joins() {
    let tree = Tree::new();
    tree.apply(&[("options/a", "2")]).unwrap().abandon();
    let other = own_name("other").unwrap();
    tree.apply_as(&other, &[("options/a", "2")]).unwrap().undo().unwrap();
    assert_eq!(tree.holds("options/a"), "1\n");
    assert_eq!(tree.undone().restored, Vec::<PathBuf>::new());
    assert!(tree.is_as_before());
}

#[test]
fn another_value_is_refused_by_the_name_of_its_owner() {
    let tree = Tree::new();
    let first = tree.apply(&[("options/a", "2")]).unwrap();
    let other = own_name("other").unwrap();
    let refused = tree.apply_as(&other, &[("options/b", "4"), ("options/a", "0")]).unwrap_err();
    let ApplyError::ValueTaken { step: 2, file, instance, value, residue } = refused else {
        panic!("{refused:?}")
    };
    let expected = ("/options/a".to_owned(), tree.name.to_string(), "2".to_owned(), Vec::new());
    assert_eq!((file, instance, value, residue), expected);
    assert_eq!([tree.holds("options/a"), tree.holds("options/b")], ["2\n", "3\n"]);
    // An owner whose value was changed since owns nothing.
    tree.set("options/a", "9\n");
    tree.apply_as(&other, &[("options/a", "0")]).unwrap().undo().unwrap();
    assert_eq!(tree.holds("options/a"), "9\n");
    assert_eq!(first.undo().unwrap_err().residue, [tree.overwritten("options/a", "9")]);
}

//! The comparison of two snapshots, and the text of a difference.

use std::collections::BTreeMap;
use std::fmt;

use rustix::io::Errno;

use super::state::{Contents, State};

/// One path at which two snapshots differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path, as [`Snapshot`](super::Snapshot) names it.
    pub path: String,
    /// The change.
    pub change: Change,
}

/// The change of a path, in words for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The path was absent before.
    Added {
        /// The state of the path.
        new: String,
    },
    /// The path is absent afterwards.
    Removed {
        /// The state of the path before.
        old: String,
    },
    /// Its kind, mode, owner or contents have changed.
    Changed {
        /// The part of the state that differs, before.
        old: String,
        /// The part of the state that differs, afterwards.
        new: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.change {
            Change::Added { new } => write!(f, "added {path}: {new}"),
            Change::Removed { old } => write!(f, "removed {path}: {old}"),
            Change::Changed { old, new } => write!(f, "changed {path}: {old} -> {new}"),
        }
    }
}

/// The greatest number of bytes of contents that a difference shows.
const SHOWN: usize = 160;

/// The number of these before the first byte that differs.
const BEFORE: usize = 40;

type Entries = BTreeMap<String, State>;

/// Returns all differences in the order of their paths. Paths below a directory that was added or removed are not named
/// but counted: an instance has more than ten thousand files.
pub(super) fn compare(old: &Entries, new: &Entries) -> Vec<Difference> {
    let removed = only_in(old, new).map(|(path, old)| (path, Change::Removed { old }));
    let added = only_in(new, old).map(|(path, new)| (path, Change::Added { new }));
    let in_both = old.iter().filter_map(|(path, old)| Some((path, old, new.get(path)?)));
    let changed =
        in_both.filter(|(_, old, new)| old != new).map(|(path, old, new)| (path, changed(old, new)));
    let all = removed.chain(added).chain(changed);
    let mut differences: Vec<_> =
        all.map(|(path, change)| Difference { path: path.clone(), change }).collect();
    differences.sort_by(|one, other| one.path.cmp(&other.path));
    differences
}

/// Returns the paths of `these` that `those` lacks, each in words, except those whose directory it lacks too.
fn only_in<'a>(these: &'a Entries, those: &'a Entries) -> impl Iterator<Item = (&'a String, String)> {
    let lacks = |path: &str| these.contains_key(path) && !those.contains_key(path);
    let is_top =
        move |path: &str| lacks(path) && !path.rsplit_once('/').is_some_and(|(parent, _)| lacks(parent));
    these.iter().filter(move |(path, _)| is_top(path)).map(|(path, state)| {
        let start = format!("{path}/");
        let below = these.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start)).count();
        let below = if below > 0 { format!(" and {below} paths below it") } else { String::new() };
        (path, whole(state) + &below)
    })
}

fn whole(state: &State) -> String {
    match &state.contents {
        Contents::Unread => state.to_string(),
        contents => format!("{state} {}", shown(contents, 0)),
    }
}

fn changed(old: &State, new: &State) -> Change {
    let start = first_difference(&old.contents, &new.contents).saturating_sub(BEFORE);
    let [old, new] = [old, new].map(|state| (state.to_string(), shown(&state.contents, start)));
    let words = |(state, contents): (String, String)| match (old.0 == new.0, old.1 == new.1) {
        (true, _) => contents,
        (_, true) => state,
        _ => format!("{state} {contents}"),
    };
    Change::Changed { old: words(old.clone()), new: words(new.clone()) }
}

fn first_difference(old: &Contents, new: &Contents) -> usize {
    match (old, new) {
        (Contents::Bytes(old), Contents::Bytes(new)) => {
            old.iter().zip(new).position(|(old, new)| old != new).unwrap_or(old.len().min(new.len()))
        }
        _ => 0,
    }
}

/// Returns contents from the byte `start` on.
fn shown(contents: &Contents, start: usize) -> String {
    match contents {
        Contents::Unread => "(not read)".to_owned(),
        Contents::Refused(errno) => format!("(refused: {})", Errno::from_raw_os_error(*errno)),
        Contents::Bytes(bytes) => {
            let end = bytes.len().min(start + SHOWN);
            let before = if start > 0 { "…" } else { "" };
            let after = if end < bytes.len() { "…" } else { "" };
            format!("\"{before}{}{after}\"", bytes[start..end].escape_ascii())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::super::Snapshot;

    /// Returns the differences that `change` makes in a small tree, as they are printed.
    fn differences(change: impl FnOnce(&Path)) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let event = root.path().join("events/sched/sched_switch");
        fs::create_dir_all(&event).unwrap();
        fs::create_dir(root.path().join("instances")).unwrap();
        fs::write(event.join("filter"), "none\n").unwrap();
        fs::write(event.join("format"), "x".repeat(1000)).unwrap();
        fs::write(root.path().join("trace_pipe"), "").unwrap();
        let before = entries(root.path());
        change(root.path());
        super::compare(&before.entries, &entries(root.path()).entries)
            .iter()
            .map(|difference| difference.to_string().replace(&owner(root.path()), "U:G"))
            .collect()
    }

    /// Returns a snapshot without the state outside the tree, which other tests change at the same time.
    fn entries(root: &Path) -> Snapshot {
        let mut entries = std::collections::BTreeMap::new();
        super::super::walk::tracefs(root, super::super::walk::Part::All, &mut entries).unwrap();
        Snapshot { entries }
    }

    fn owner(root: &Path) -> String {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::metadata(root).unwrap();
        format!("{}:{}", metadata.uid(), metadata.gid())
    }

    const FILTER: &str = "events/sched/sched_switch/filter";

    #[test]
    fn nothing_changed_is_no_difference() {
        assert_eq!(differences(|_| {}), [""; 0]);
        let rewritten = differences(|root| fs::write(root.join(FILTER), "none\n").unwrap());
        assert_eq!(rewritten, [""; 0]);
    }

    #[test]
    fn a_changed_file_shows_old_and_new() {
        let found = differences(|root| fs::write(root.join(FILTER), "prev_pid > 1\n").unwrap());
        assert_eq!(found, [format!(r#"changed {FILTER}: "none\n" -> "prev_pid > 1\n""#)]);
    }

    #[test]
    fn a_left_instance_and_a_lost_file_are_shown_in_order() {
        let found = differences(|root| {
            let left = root.join("instances/left");
            fs::create_dir(&left).unwrap();
            fs::set_permissions(&left, fs::Permissions::from_mode(0o750)).unwrap();
            fs::remove_file(root.join(FILTER)).unwrap();
        });
        assert_eq!(
            found,
            [
                format!(r#"removed {FILTER}: file 0644 U:G "none\n""#),
                "added instances/left: directory 0750 U:G".to_owned()
            ]
        );
    }

    #[test]
    fn what_is_below_an_added_directory_is_counted() {
        let found = differences(|root| {
            for name in ["left", "left-2"] {
                let left = root.join("instances").join(name);
                fs::create_dir_all(left.join("events")).unwrap();
                fs::write(left.join("events/enable"), "0\n").unwrap();
                fs::set_permissions(&left, fs::Permissions::from_mode(0o750)).unwrap();
            }
        });
        let directory = "directory 0750 U:G and 2 paths below it";
        let expected = ["left", "left-2"].map(|name| format!("added instances/{name}: {directory}"));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_changed_mode_is_shown_without_contents() {
        let found = differences(|root| {
            fs::set_permissions(root.join(FILTER), fs::Permissions::from_mode(0o600)).unwrap();
        });
        assert_eq!(found, [format!("changed {FILTER}: file 0644 U:G -> file 0600 U:G")]);
    }

    #[test]
    fn a_volatile_file_is_compared_by_mode_alone() {
        assert_eq!(differences(|root| fs::write(root.join("trace_pipe"), "new").unwrap()), [""; 0]);
        let removed = differences(|root| fs::remove_file(root.join("trace_pipe")).unwrap());
        assert_eq!(removed, ["removed trace_pipe: file 0644 U:G"]);
    }

    #[test]
    fn a_long_file_shows_where_it_differs() {
        let format = "events/sched/sched_switch/format";
        let found = differences(|root| {
            let text = format!("{}NEW{}", "x".repeat(500), "x".repeat(497));
            fs::write(root.join(format), text).unwrap();
        });
        let (xs, context) = ("x".repeat(160), "x".repeat(40));
        let rest = "x".repeat(160 - 43);
        assert_eq!(found, [format!("changed {format}: \"…{xs}…\" -> \"…{context}NEW{rest}…\"")]);
        let shorter = differences(|root| fs::write(root.join(format), "").unwrap());
        assert_eq!(shorter, [format!("changed {format}: \"{xs}…\" -> \"\"")]);
    }

    #[test]
    fn a_file_that_became_a_directory_is_changed() {
        let found = differences(|root| {
            fs::remove_file(root.join(FILTER)).unwrap();
            fs::create_dir(root.join(FILTER)).unwrap();
            fs::set_permissions(root.join(FILTER), fs::Permissions::from_mode(0o700)).unwrap();
        });
        let old = r#"file 0644 U:G "none\n""#;
        assert_eq!(found, [format!("changed {FILTER}: {old} -> directory 0700 U:G (not read)")]);
    }
}

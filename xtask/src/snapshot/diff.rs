//! The comparison of two pictures, and how a difference reads.

use std::collections::BTreeMap;
use std::fmt;

use rustix::io::Errno;

use super::state::{Contents, State};

/// One path at which two pictures are not alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path, as [`Snapshot`](super::Snapshot) names it.
    pub path: String,
    /// What has become of it.
    pub change: Change,
}

/// What has become of a path, in words for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    Added {
        /// What is there.
        new: String,
    },
    /// It is not there any more.
    Removed {
        /// What was there.
        old: String,
    },
    /// Its kind, mode, owner or contents are others.
    Changed {
        /// What was there, as far as it differs.
        old: String,
        /// What is there, as far as it differs.
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

/// The most bytes of contents that a difference shows.
const SHOWN: usize = 160;

/// How many of them stand before the first byte that differs.
const BEFORE: usize = 40;

pub(super) fn compare(old: &BTreeMap<String, State>, new: &BTreeMap<String, State>) -> Vec<Difference> {
    let removed = old.iter().filter(|(path, _)| !new.contains_key(*path));
    let removed = removed.map(|(path, old)| (path, Change::Removed { old: whole(old) }));
    let other = new.iter().filter_map(|(path, new)| {
        let change = match old.get(path) {
            None => Change::Added { new: whole(new) },
            Some(old) if old == new => return None,
            Some(old) => changed(old, new),
        };
        Some((path, change))
    });
    let mut differences: Vec<_> =
        removed.chain(other).map(|(path, change)| Difference { path: path.clone(), change }).collect();
    differences.sort_by(|one, other| one.path.cmp(&other.path));
    differences
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

/// Contents from the byte `start` on.
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

    /// The differences that `change` makes in a small tree, as they are printed.
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

    /// Without what lies outside the tree, which other tests change at the same time.
    fn entries(root: &Path) -> Snapshot {
        let mut entries = std::collections::BTreeMap::new();
        super::super::walk::tracefs(root, &mut entries).unwrap();
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

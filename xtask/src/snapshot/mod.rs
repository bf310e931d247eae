//! A snapshot of everything that can be read of the kernel's tracing state, and the comparison of two.
//!
//! It proves that a session has restored everything, so it shares no code with the runtime, does not know what a
//! session may change, and compares everything except the files that `volatile.rs` lists with a reason.

mod cli;
mod diff;
mod others;
mod outside;
mod state;
mod store;
mod volatile;
mod walk;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use state::{Contents, Kind, State};
use walk::Part;

pub use cli::main;
pub use diff::{Change, Difference};
pub use others::note as note_on_others;

/// A snapshot: each path with its state.
///
/// Paths in tracefs are relative to its root; those outside are absolute, and the mounts of tracefs are entries `mount
/// DIRECTORY`. Bytes of a path that are not printable ASCII are escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<String, State>,
}

impl Snapshot {
    /// Reads all state in the tracefs at `tracefs`, and state that a session could leave outside it: files in
    /// /run/tracec, mounts of tracefs, and the sysctls of tracing.
    ///
    /// A file that cannot be read is part of the snapshot, with its error.
    ///
    /// # Errors
    ///
    /// `tracefs` is not a directory that can be listed, or there is no /proc.
    pub fn capture(tracefs: &Path) -> Result<Self> {
        Self::capture_part(tracefs, Part::All)
    }

    /// Reads the state that [`Snapshot::outer`] leaves of a snapshot, in a fraction of the time.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::capture`].
    pub fn capture_outer(tracefs: &Path) -> Result<Self> {
        Self::capture_part(tracefs, Part::Outer)
    }

    /// Returns the snapshot without the files of single events.
    #[must_use]
    pub fn outer(&self) -> Self {
        let kept = self.entries.iter().filter(|(path, _)| Part::Outer.has(path));
        let mut entries: BTreeMap<String, State> =
            kept.map(|(path, state)| (path.clone(), state.clone())).collect();
        for (path, state) in &mut entries {
            if state.kind == Kind::Directory && !Part::Outer.has_below(path) {
                state.contents = Contents::Unread;
            }
        }
        Self { entries }
    }

    fn capture_part(tracefs: &Path, part: Part) -> Result<Self> {
        let mut entries = BTreeMap::new();
        walk::tracefs(tracefs, part, &mut entries)
            .with_context(|| format!("cannot read the tracefs {}", tracefs.display()))?;
        outside::add(&mut entries)?;
        Ok(Self { entries })
    }

    /// Returns every path at which `later` differs from this snapshot, in the order of the paths.
    #[must_use]
    pub fn diff(&self, later: &Self) -> Vec<Difference> {
        diff::compare(&self.entries, &later.entries)
    }

    /// Returns every path at which `later` differs from this snapshot apart from instances and events of other programs
    /// that differ, and those in words.
    #[must_use]
    pub fn diff_beside_others(&self, later: &Self) -> (Vec<Difference>, Vec<String>) {
        if self.entries == later.entries {
            return Default::default();
        }
        let (mut old, mut new) = (self.entries.clone(), later.entries.clone());
        let others = others::take_out(&mut old, &mut new);
        (diff::compare(&old, &new), others)
    }

    /// Writes the snapshot into `directory`, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// The directory or the file in it cannot be written.
    pub fn save(&self, directory: &Path) -> Result<()> {
        store::save(&self.entries, directory)
    }

    /// Reads the snapshot that [`Snapshot::save`] has written into `directory`.
    ///
    /// # Errors
    ///
    /// There is none, or it is damaged.
    pub fn load(directory: &Path) -> Result<Self> {
        Ok(Self { entries: store::load(directory)? })
    }

    /// Returns the number of paths in the snapshot.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn outer_part_is_read_as_a_whole_snapshot_has_it() {
        let root = tempfile::tempdir().unwrap();
        let path = |path: &str| root.path().join(path);
        for directory in ["events/sched/sched_switch", "instances/theirs/events/sched", "options"] {
            fs::create_dir_all(path(directory)).unwrap();
        }
        let filter = "events/sched/sched_switch/filter";
        let files = ["events/enable", filter, "instances/theirs/events/sched/enable", "options/raw"];
        for file in files {
            fs::write(path(file), "0\n").unwrap();
        }
        let outer = Snapshot::capture_outer(root.path()).unwrap();
        assert_eq!(outer, Snapshot::capture(root.path()).unwrap().outer());

        let seen = |file: &str| {
            fs::write(path(file), "1\n").unwrap();
            let differs = outer != Snapshot::capture_outer(root.path()).unwrap();
            fs::write(path(file), "0\n").unwrap();
            differs
        };
        assert_eq!(files.map(seen), [true, false, false, true]);
        fs::create_dir(path("events/tracec")).unwrap();
        assert_ne!(outer, Snapshot::capture_outer(root.path()).unwrap(), "a new system of events is seen");
    }
}

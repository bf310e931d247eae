//! The names of threads, from a running system or a recording.
//!
//! They come from the records of programs, which have them, from `saved_cmdlines`
//! (kernel/trace/trace_sched_switch.c) and `/proc/PID/comm`.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rustix::io::Errno;

use crate::sink::UNKNOWN;
use crate::tracefs::{Directory, Tracefs};

/// The name of the idle task of every CPU.
const IDLE: &[u8] = b"<idle>";
/// The age at which names are read again: a name may change (exec, prctl) and a pid may be reused.
const REFRESH: Duration = Duration::from_secs(1);

/// The names that belong to the numbers in records.
#[derive(Debug)]
pub(crate) struct Names {
    known: FxHashMap<i32, Box<[u8]>>,
    /// Those that the records of the last two passes have, the older first: a merge holds no older records.
    of_records: [FxHashMap<i32, Box<[u8]>>; 2],
    source: NameSource,
}

#[derive(Debug)]
enum NameSource {
    /// The names of a recording, which holds all of them.
    Recording,
    /// The names of the running system, which are read when they are needed.
    RunningSystem { tracefs: Directory, asked_in_batch: bool, refreshed: Option<Instant> },
}

impl Names {
    /// Creates the names of a recording from its text of `saved_cmdlines`.
    pub(crate) fn recorded(cmdlines: &[u8]) -> Self {
        Names {
            known: parse(cmdlines).collect(),
            of_records: Default::default(),
            source: NameSource::Recording,
        }
    }

    /// Creates the names of the running system.
    ///
    /// # Errors
    /// There are too many open files.
    pub(crate) fn live(tracefs: &Tracefs) -> Result<Self, Errno> {
        let tracefs = tracefs.root().try_clone()?;
        let source = NameSource::RunningSystem { tracefs, asked_in_batch: false, refreshed: None };
        Ok(Names { known: FxHashMap::default(), of_records: Default::default(), source })
    }

    /// Begins a batch of records: a running kernel's table is read at most once in each.
    pub(crate) fn begin_batch(&mut self) {
        if let NameSource::RunningSystem { asked_in_batch, .. } = &mut self.source {
            *asked_in_batch = false;
        }
    }

    /// Takes the names that the records of a pass have, and forgets those of the pass before the last.
    pub(crate) fn learn<'n>(&mut self, names: impl Iterator<Item = (i32, &'n [u8])>) {
        self.of_records.swap(0, 1);
        let [_, of_records] = &mut self.of_records;
        of_records.clear();
        of_records.extend(names.map(|(pid, name)| (pid, name.into())));
    }

    /// Returns the name of a pid: `<idle>` for 0, `<...>` if it is unknown.
    pub(crate) fn comm(&mut self, pid: i32) -> &[u8] {
        if pid == 0 {
            return IDLE;
        }
        if let Some(name) = self.of_records.iter().find_map(|of_records| of_records.get(&pid)) {
            return name;
        }
        if let NameSource::RunningSystem { tracefs, asked_in_batch, refreshed } = &mut self.source {
            let stale = refreshed.is_none_or(|then| then.elapsed() >= REFRESH);
            if !*asked_in_batch && (stale || !self.known.contains_key(&pid)) {
                *asked_in_batch = true;
                if stale {
                    self.known.clear();
                    *refreshed = Some(Instant::now());
                }
                // Kernels can be built or locked down without the table, or hide it from this user. An unknown name
                // does not end a session.
                if let Ok(text) = tracefs.read("saved_cmdlines") {
                    self.known.extend(parse(&text));
                }
            }
            return self.known.entry(pid).or_insert_with(|| name_of_live_task(pid).into());
        }
        self.known.get(&pid).map_or(UNKNOWN, |name| name)
    }
}

/// Reads the text of `saved_cmdlines`: one `PID NAME` per line.
pub(super) fn parse(text: &[u8]) -> impl Iterator<Item = (i32, Box<[u8]>)> {
    text.split(|&byte| byte == b'\n').filter_map(|line| {
        let (pid, name) = line.split_at(line.iter().position(|&byte| byte == b' ')?);
        let pid = std::str::from_utf8(pid).ok()?.parse().ok()?;
        Some((pid, name.get(1..)?.into()))
    })
}

/// Returns the name of a task that still exists. The kernel's table lacks a task that has not been scheduled since it
/// was traced.
fn name_of_live_task(pid: i32) -> Vec<u8> {
    match std::fs::read(format!("/proc/{pid}/comm")) {
        Ok(mut name) => {
            name.pop_if(|last| *last == b'\n');
            name
        }
        Err(_) => UNKNOWN.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_the_text_after_the_first_blank() {
        let mut names = Names::recorded(b"12 bash\n13 a b  c\n14 \xff\n15\nx y\n-1 z\n0 swapper");
        assert_eq!(names.comm(12), b"bash");
        assert_eq!(names.comm(13), b"a b  c");
        assert_eq!(names.comm(14), b"\xff");
        assert_eq!(names.comm(15), UNKNOWN);
        assert_eq!(names.comm(0), IDLE);
    }

    #[test]
    fn live_name_comes_from_the_table_then_from_proc() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("saved_cmdlines"), "1 table\n").unwrap();
        let tracefs = Tracefs::open(dir.path()).unwrap();
        let mut names = Names::live(&tracefs).unwrap();
        assert_eq!(names.comm(1), b"table");
        let own = std::process::id() as i32;
        let comm = std::fs::read("/proc/self/comm").unwrap();
        assert_eq!(names.comm(own), comm.trim_ascii_end());
        assert_eq!(names.comm(i32::MAX), UNKNOWN);
        assert_eq!(names.comm(0), IDLE);
    }

    #[test]
    fn name_that_a_record_has_comes_first() {
        let mut names = Names::recorded(b"12 bash");
        let pass: [(i32, &[u8]); 2] = [(12, b"sh"), (13, b"true")];
        names.learn(pass.into_iter());
        names.learn(std::iter::empty());
        assert_eq!(names.comm(12), b"sh");
        assert_eq!(names.comm(13), b"true");
        // They hold for the records that a merge holds.
        names.learn(std::iter::empty());
        assert_eq!(names.comm(12), b"bash");
        assert_eq!(names.comm(13), UNKNOWN);
    }

    #[test]
    fn table_is_read_once_per_batch() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("saved_cmdlines");
        let tracefs = Tracefs::open(dir.path()).unwrap();
        let mut names = Names::live(&tracefs).unwrap();
        names.begin_batch();
        assert_eq!(names.comm(i32::MAX), UNKNOWN, "a missing table is not an error");
        std::fs::write(&table, format!("{} late\n", i32::MAX - 1)).unwrap();
        assert_eq!(names.comm(i32::MAX - 2), UNKNOWN);
        names.begin_batch();
        assert_eq!(names.comm(i32::MAX - 1), b"late");
    }
}

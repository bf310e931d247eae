//! Where the names of threads and of kernel functions come from: a running system, or a recording.
//!
//! Threads: `saved_cmdlines` (kernel/trace/trace_sched_switch.c) and `/proc/PID/comm`. Functions: `/proc/kallsyms`.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::tracefs::Tracefs;

/// The idle task of every CPU.
const IDLE: &[u8] = b"<idle>";
/// A pid whose name is not known: what the kernel itself prints.
const UNKNOWN: &[u8] = b"<...>";
/// A name may change (exec, prctl) and a pid may be used again, so what is known ages.
const REFRESH: Duration = Duration::from_secs(1);

/// The names that belong to the numbers in records.
pub(crate) trait Names {
    /// Begins a batch of records.
    fn begin_batch(&mut self) {}

    /// Returns the name of a pid, `<idle>` for 0, `<...>` where it is not known.
    fn comm(&mut self, pid: i32) -> &[u8];

    /// Returns the text of `/proc/kallsyms`; empty where it cannot be had, so that addresses show as numbers.
    fn kallsyms(&self) -> Cow<'_, [u8]>;
}

/// The names of a recording.
#[derive(Debug)]
pub(crate) struct RecordedNames<'f> {
    comms: Comms,
    kallsyms: &'f [u8],
}

impl<'f> RecordedNames<'f> {
    /// Takes the texts of `saved_cmdlines` and `kallsyms`.
    pub(crate) fn new(cmdlines: &[u8], kallsyms: &'f [u8]) -> Self {
        RecordedNames { comms: Comms::parse(cmdlines), kallsyms }
    }
}

impl Names for RecordedNames<'_> {
    fn comm(&mut self, pid: i32) -> &[u8] {
        self.comms.get(pid)
    }

    fn kallsyms(&self) -> Cow<'_, [u8]> {
        self.kallsyms.into()
    }
}

/// The names of pids.
#[derive(Debug, Default)]
struct Comms {
    known: FxHashMap<i32, Box<[u8]>>,
}

impl Comms {
    /// Reads the text of `saved_cmdlines`: `PID NAME` a line.
    fn parse(text: &[u8]) -> Self {
        let mut names = Comms::default();
        names.extend(text);
        names
    }

    fn extend(&mut self, text: &[u8]) {
        for line in text.split(|&byte| byte == b'\n') {
            let Some(blank) = line.iter().position(|&byte| byte == b' ') else { continue };
            let (pid, name) = line.split_at(blank);
            let pid = std::str::from_utf8(pid).ok().and_then(|pid| pid.parse().ok());
            if let (Some(pid), Some(name)) = (pid, name.get(1..)) {
                self.known.insert(pid, name.into());
            }
        }
    }

    fn get(&self, pid: i32) -> &[u8] {
        match self.known.get(&pid) {
            _ if pid == 0 => IDLE,
            Some(name) => name,
            None => UNKNOWN,
        }
    }
}

/// The names of a running system, asked for as they are met.
#[derive(Debug)]
pub(crate) struct LiveNames<'t> {
    tracefs: &'t Tracefs,
    comms: Comms,
    asked_in_batch: bool,
    refreshed: Option<Instant>,
}

impl<'t> LiveNames<'t> {
    pub(crate) fn new(tracefs: &'t Tracefs) -> Self {
        LiveNames { tracefs, comms: Comms::default(), asked_in_batch: false, refreshed: None }
    }

    fn ask(&mut self, forget: bool) {
        if forget {
            self.comms.known.clear();
            self.refreshed = Some(Instant::now());
        }
        // Kernels can be built or locked down without the table, or keep it from this user. A name that is not known
        // does not end a session.
        if let Ok(text) = self.tracefs.read("saved_cmdlines") {
            self.comms.extend(&text);
        }
    }
}

impl Names for LiveNames<'_> {
    /// The kernel's table is read at most once in a batch.
    fn begin_batch(&mut self) {
        self.asked_in_batch = false;
    }

    fn comm(&mut self, pid: i32) -> &[u8] {
        let stale = self.refreshed.is_none_or(|then| then.elapsed() >= REFRESH);
        if pid != 0 && !self.asked_in_batch && (stale || !self.comms.known.contains_key(&pid)) {
            self.asked_in_batch = true;
            self.ask(stale);
        }
        if pid != 0 && !self.comms.known.contains_key(&pid) {
            self.comms.known.insert(pid, name_of_live_task(pid).into());
        }
        self.comms.get(pid)
    }

    fn kallsyms(&self) -> Cow<'_, [u8]> {
        // A file that cannot be read names no function.
        std::fs::read("/proc/kallsyms").unwrap_or_default().into()
    }
}

/// A task that has not been scheduled since it was traced is not in the kernel's table, but it is still there.
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
    fn names_are_all_behind_the_first_blank() {
        let names = Comms::parse(b"12 bash\n13 a b  c\n14 \xff\n15\nx y\n-1 z\n0 swapper");
        assert_eq!(names.get(12), b"bash");
        assert_eq!(names.get(13), b"a b  c");
        assert_eq!(names.get(14), b"\xff");
        assert_eq!(names.get(15), UNKNOWN);
        assert_eq!(names.get(0), IDLE);
    }

    #[test]
    fn live_names_come_from_the_table_then_from_proc() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("saved_cmdlines"), "1 table\n").unwrap();
        let tracefs = Tracefs::open(dir.path()).unwrap();
        let mut names = LiveNames::new(&tracefs);
        assert_eq!(names.comm(1), b"table");
        let own = std::process::id() as i32;
        let comm = std::fs::read("/proc/self/comm").unwrap();
        assert_eq!(names.comm(own), comm.trim_ascii_end());
        assert_eq!(names.comm(i32::MAX), UNKNOWN);
        assert_eq!(names.comm(0), IDLE);
    }

    #[test]
    fn the_table_is_read_once_a_batch() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("saved_cmdlines");
        let tracefs = Tracefs::open(dir.path()).unwrap();
        let mut names = LiveNames::new(&tracefs);
        names.begin_batch();
        assert_eq!(names.comm(i32::MAX), UNKNOWN, "no table is no error");
        std::fs::write(&table, format!("{} late\n", i32::MAX - 1)).unwrap();
        assert_eq!(names.comm(i32::MAX - 2), UNKNOWN);
        names.begin_batch();
        assert_eq!(names.comm(i32::MAX - 1), b"late");
    }
}

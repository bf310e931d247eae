//! The snapshots of a session: what its ring held when the trigger `snapshot` fired, and what it holds when a client asks.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tracec_kernel::plan::{Plan, Reading};

use super::{Contents, Current, DumpCause, Dumps, SNAPSHOT, SWAP, Taken, begin_last, control};
use crate::failure::Failure;
use crate::record::Covered;
use crate::record::pass::{Pass, since_losses};
use crate::record::period::Period;
use crate::record::ring::{self, Ring};
use crate::session::live::Live;
use crate::sink::{Form, NewFile, Output, TRACE_DAT};
use crate::tracefs::Tracefs;

/// Frees the snapshot (kernel/trace/trace.c, `tracing_snapshot_write`).
const FREE: &[u8] = b"0";

/// The files of the snapshots of a session. They stand beside its output, in the same form; without a file, in the working
/// directory.
pub(in crate::session) struct SnapshotFiles {
    /// The path, without what follows the name.
    stem: PathBuf,
    ending: String,
    form: &'static Form,
}

impl SnapshotFiles {
    /// Returns those of a session with an output.
    pub(in crate::session) fn beside(output: &Output, session: &str) -> io::Result<Self> {
        let (path, form) = match output {
            Output::File { path, form } | Output::Rotated { path, form, .. } => (path.clone(), *form),
            Output::Stdout(_) | Output::Sink(_) | Output::Nothing => {
                // A session of a command line has no name.
                let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let name = Some(session).filter(is_name).unwrap_or("tracec");
                (PathBuf::from(format!("{name}.dat")), &TRACE_DAT)
            }
        };
        let path = std::path::absolute(path)?;
        let ending =
            path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
        Ok(SnapshotFiles { stem: path.with_extension(""), ending, form })
    }

    /// Returns the file of the trigger.
    pub(in crate::session) fn of_trigger(&self) -> PathBuf {
        self.named("-snapshot")
    }

    /// Returns the file of the snapshot of a number that a client asks for, and its form.
    fn of_client(&self, number: u64) -> (PathBuf, &'static Form) {
        (self.named(&format!("-snapshot-{number}")), self.form)
    }

    fn named(&self, more: &str) -> PathBuf {
        let mut path = self.stem.clone().into_os_string();
        path.push(more);
        path.push(&self.ending);
        path.into()
    }
}

/// The session of which a snapshot is taken.
#[derive(Clone, Copy)]
pub(in crate::session) struct Of<'a> {
    pub(in crate::session) tracefs: &'a Tracefs,
    pub(in crate::session) plan: &'a Plan,
    pub(in crate::session) reading: &'a Reading,
    pub(in crate::session) files: &'a SnapshotFiles,
}

impl Dumps {
    /// Begins to write what the ring of a session holds now, which records on. `to` is the file; `None` for one beside the
    /// output. A text is the reason why it cannot: nothing is taken out of the ring then.
    pub(in crate::session) fn take(
        &mut self,
        to: Option<(PathBuf, &'static Form)>,
        Of { tracefs, plan, reading, files }: Of<'_>,
        live: &mut Live<'_>,
    ) -> Result<Result<(), String>, Failure> {
        if self.is_writing() {
            return Ok(Err("another dump is being written: ask again once it is complete".to_owned()));
        }
        self.asked += 1;
        let (path, form) = to.unwrap_or_else(|| files.of_client(self.asked));
        let file = match NewFile::create(&path) {
            Ok(file) => file,
            Err(error) => return Ok(Err(format!("{}: {error}", path.display()))),
        };
        let is_borrowed = live.snapshot.is_none() && plan.life.snapshot.is_none() && borrow(live)?;
        let read = self.read(live, is_borrowed);
        if is_borrowed {
            give_back(live)?;
        }
        let Some((Taken { passes, overran }, stats)) = read? else {
            return Ok(Err("the session has no ring".to_owned()));
        };
        let now = ring::now(&stats).unwrap_or_default().max(newest(&passes));
        let (covered, period) = (self.covered(&overran, now, reading), Period::default());
        self.begin_period(&period);
        begin_last(&period, now, plan);
        self.end = Some(now);
        let current = Current { cause: DumpCause::Client, path: shown(&path), covered, more: 0 };
        let job = self.job((form, file), Contents { passes, period, stats }, (tracefs, reading), live)?;
        self.write(current, job);
        Ok(Ok(()))
    }

    /// Begins to write what the ring held when the trigger `snapshot` fired, of a session that has stopped to record and
    /// whose ring was read.
    pub(in crate::session) fn take_triggered(
        &mut self,
        Of { tracefs, plan, reading, files }: Of<'_>,
        live: &mut Live<'_>,
    ) -> Result<(), Failure> {
        let Live { applied: Some(applied), ring: Some(ring), .. } = live else { return Ok(()) };
        if plan.life.snapshot.is_none() {
            return Ok(());
        }
        let (instance, layout) = (applied.directory(), ring.layout());
        let ended = ring::stats(instance)?;
        // The other way round: the open files of the ring are those of the snapshot then, and so is `stats`.
        control(instance, SWAP)?;
        let (stats, mut passes) = (ring::stats(instance)?, Vec::new());
        ring.drain_rest(|pass| passes.push(pass))?;
        self.dumped.is_snapshot_empty = passes.iter().all(Pass::is_empty);
        if self.dumped.is_snapshot_empty {
            return Ok(());
        }
        self.add_lost(&stats);
        let damaged = |(cpu, source)| Failure::Page { cpu, source };
        let overran = since_losses(&mut passes, &layout).map_err(damaged)?;
        let end = newest(&passes);
        let covered = match (self.covered(&overran, end, reading), ring::now(&ended)) {
            // The session has gone on since.
            (Covered::All(all), Some(now)) => {
                Covered::All(all.saturating_sub(Duration::from_nanos(now.saturating_sub(end))))
            }
            (covered, _) => covered,
        };
        let period = Period::default();
        begin_last(&period, end, plan);
        self.end = Some(end);
        let path = files.of_trigger();
        let current = Current { cause: DumpCause::Trigger, path: shown(&path), covered, more: 0 };
        match NewFile::create(&path) {
            Err(error) => self.fail(current, error.to_string()),
            Ok(file) => {
                let contents = Contents { passes, period, stats };
                let job = self.job((files.form, file), contents, (tracefs, reading), live)?;
                match job {
                    Some(job) if self.is_writing() => self.waiting = Some((current, job)),
                    job => self.write(current, job),
                }
            }
        }
        Ok(())
    }

    /// Begins the dump that waited for another one. Returns whether there was one.
    pub(in crate::session) fn go_on(&mut self) -> bool {
        let Some((current, job)) = self.waiting.take().filter(|_| !self.is_writing()) else { return false };
        self.write(current, Some(job));
        true
    }
}

/// Lets a session have a snapshot for a moment, which the first swap allocates. Returns whether the kernel has snapshots.
fn borrow(live: &mut Live<'_>) -> Result<bool, Failure> {
    let Some(instance) = live.instance() else { return Ok(false) };
    if !instance.exists(SNAPSHOT)? {
        return Ok(false);
    }
    live.snapshot = Some(Ring::snapshot(instance)?);
    Ok(true)
}

/// Frees the snapshot again.
fn give_back(live: &mut Live<'_>) -> Result<(), Failure> {
    live.snapshot = None;
    live.instance().map_or(Ok(()), |instance| control(instance, FREE))
}

fn newest(passes: &[Pass]) -> u64 {
    passes.iter().map(Pass::newest).max().unwrap_or(0)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

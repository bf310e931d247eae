//! The dumps of a session: what its ring holds at an event is read at once, and written by the [`Dumper`].
//!
//! A kernel with snapshots swaps the ring with an empty one, so that nothing is missed while it is read. On one without,
//! recording is off for that time.

mod snapshots;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(super) use snapshots::{Of, SnapshotFiles};

use tracec_kernel::page::PageLayout;
use tracec_kernel::plan::{DumpFiles, Plan, Reading};
use tracec_kernel::tables::clocks::{self, ClockUnit};

use super::error::RunError;
use super::live::{Live, stacks};
use super::source::Source;
use super::switch::{is_recording, set_recording};
use super::watches::Came;
use crate::failure::Failure;
use crate::record::dumper::{Dumper, Job, Written};
use crate::record::environment::Kernel;
use crate::record::facts::Facts;
use crate::record::host::HostFilter;
use crate::record::names::Names;
use crate::record::pass::{Pass, since_losses};
use crate::record::period::Period;
use crate::record::recorder::RingEnd;
use crate::record::ring::{self, ByCpu, Damaged, Ring};
use crate::record::stages::{LastStages, Making, RenderError, Stages};
use crate::record::{Covered, Dump};
use crate::roll_call::Member;
use crate::sink::outlet::Outlet;
use crate::sink::{Form, NewFile, SinkError, Timestamps};
use crate::tracefs::{Directory, Tracefs};

/// The file by which the rings of an instance are swapped with those of its snapshot (kernel/trace/trace.c,
/// `tracing_snapshot_write`).
const SNAPSHOT: &str = "snapshot";
/// Swaps the rings with those of the snapshot, which are allocated if there are none.
const SWAP: &[u8] = b"1";
/// Empties the snapshot.
const CLEAR: &[u8] = b"2";

/// The most dumps that a summary lists one by one.
const LISTED: usize = 1000;

/// What the dumps of a session have come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dumped {
    /// The number of dumps that were written at events.
    pub count: u64,
    /// The number of snapshots that were written, of the trigger and for clients.
    pub snapshots: u64,
    /// Whether the snapshot of the trigger had nothing at the end.
    pub is_snapshot_empty: bool,
    /// The first of both.
    pub listed: Vec<Dump>,
    /// The files that could not be written, each with the reason.
    pub failed: Vec<(String, DumpCause, String)>,
    /// The number of times that the event came while a dump was written, and would have made another.
    pub missed: u64,
    /// The time for which recording was off, on a kernel without snapshots.
    pub off: Duration,
}

/// The cause of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpCause {
    /// An event came, by the index of its [`Watch`](tracec_kernel::plan::Watch).
    Event(usize),
    /// The trigger `snapshot` has fired.
    Trigger,
    /// A client of the session's control asked for it.
    Client,
}

/// The dumps of a session that runs.
pub(super) struct Dumps {
    /// `None` for a session without dumps.
    dumper: Option<Dumper>,
    /// When the session began to record.
    begun: Option<Instant>,
    current: Option<Current>,
    /// What was read for a dump and was recorded past its event.
    carried: Vec<Pass>,
    /// The time of the event of the last dump, or of the end of a snapshot.
    end: Option<u64>,
    /// The time up to which dumps have the records that were carried over.
    cut: Option<u64>,
    /// Whether recording was off after it.
    has_gap: bool,
    /// The number of records that each CPU had overwritten by then.
    overwritten: BTreeMap<u32, u64>,
    /// The number of records that each CPU has lost in rings that were swapped since.
    lost: BTreeMap<u32, u64>,
    /// The pages of these that could not be read.
    damaged: Vec<Damaged>,
    /// How many dumps each watch has written.
    written: BTreeMap<usize, u64>,
    /// The number of snapshots that clients have asked for.
    asked: u64,
    /// The snapshot of the trigger, while another dump is written.
    waiting: Option<(Current, Box<Job>)>,
    dumped: Dumped,
    /// The number of dumps, for the status line.
    count: Arc<AtomicU64>,
}

/// A dump that is being written.
struct Current {
    cause: DumpCause,
    path: String,
    covered: Covered,
    /// How often the event of its watch has come since. None of these is missed if the watch wants no further dump.
    more: u64,
}

/// The end of a dump.
#[derive(Default)]
pub(super) struct Done {
    /// The index of a watch that has written its last one.
    pub(super) last: Option<usize>,
    /// What the client gets that has asked for it; a text is the reason why it was not written.
    pub(super) answer: Option<Result<Dump, String>>,
}

/// What is written as a dump.
struct Contents {
    passes: Vec<Pass>,
    /// The times between which it has records.
    period: Period,
    /// The texts of `stats`.
    stats: ByCpu<String>,
}

/// What a ring held when it was read.
pub(super) struct Taken {
    /// Its pages, after those that were carried over.
    pub(super) passes: Vec<Pass>,
    /// The first time of the lanes that have overwritten records.
    overran: BTreeMap<usize, u64>,
}

impl Dumps {
    /// Checks that the first file of each clause can be written, before anything is applied.
    ///
    /// # Errors
    /// A file cannot be created, or the plan names a form that this runtime does not have.
    pub(super) fn check(plan: &Plan, snapshots: &SnapshotFiles) -> Result<(), RunError> {
        if plan.life.snapshot.is_some() {
            let path = snapshots.of_trigger();
            let output = || path.display().to_string();
            NewFile::create(&path).map_err(|source| Failure::Output { output: output(), source })?;
        }
        for files in plan.watches.iter().filter_map(|watch| watch.dump()) {
            let created = Form::named(&files.to.form).map_err(io::Error::other);
            let created = created.and_then(|_| NewFile::create(Path::new(&files.path(1))));
            created.map_err(|source| Failure::Output { output: files.to.path.clone(), source })?;
        }
        Ok(())
    }

    pub(super) fn none() -> Dumps {
        Dumps {
            dumper: None,
            begun: None,
            current: None,
            carried: Vec::new(),
            end: None,
            cut: None,
            has_gap: false,
            overwritten: BTreeMap::new(),
            lost: BTreeMap::new(),
            damaged: Vec::new(),
            written: BTreeMap::new(),
            asked: 0,
            waiting: None,
            dumped: Dumped::default(),
            count: Arc::default(),
        }
    }

    /// Starts the thread that writes the dumps, which answers as `member`.
    pub(super) fn spawn(&mut self, member: Member) -> io::Result<&Dumper> {
        let dumper = Dumper::spawn(member)?;
        Ok(self.dumper.insert(dumper))
    }

    /// Notes that a session is about to record, and opens the snapshot of one with dumps, if the kernel has snapshots.
    pub(super) fn arm(&mut self, plan: &Plan, live: &mut Live<'_>) -> Result<(), Failure> {
        self.begun = Some(Instant::now());
        if !plan.has_dumps() {
            return Ok(());
        }
        let Some(instance) = live.instance() else { return Ok(()) };
        if instance.exists(SNAPSHOT)? {
            live.snapshot = Some(Ring::snapshot(instance)?);
        }
        Ok(())
    }

    /// Returns the number of dumps, which grows.
    pub(super) fn count(&self) -> &Arc<AtomicU64> {
        &self.count
    }

    pub(super) fn dumper(&mut self) -> Option<&mut Dumper> {
        self.dumper.as_mut()
    }

    /// Returns whether a dump is being written.
    pub(super) fn is_writing(&self) -> bool {
        self.current.is_some()
    }

    /// Writes what the ring of a session holds, up to the first event of those that have come.
    pub(super) fn begin(
        &mut self,
        (index, files, came): (usize, &DumpFiles, Came),
        (tracefs, plan, reading): (&Tracefs, &Plan, &Reading),
        live: &mut Live<'_>,
    ) -> Result<(), Failure> {
        if self.dumper.is_none() {
            return Ok(());
        }
        if let Some(current) = &mut self.current {
            let is_own = current.cause == DumpCause::Event(index);
            let missed = if is_own { &mut current.more } else { &mut self.dumped.missed };
            *missed += 1 + came.more;
            return Ok(());
        }
        let Some((Taken { passes, overran }, stats)) = self.read(live, false)? else { return Ok(()) };
        let Some(layout) = live.ring.as_ref().map(Source::layout) else { return Ok(()) };
        let covered = self.covered(&overran, came.first, reading);
        let period = Period::default();
        period.end(came.first);
        self.begin_period(&period);
        begin_last(&period, came.first, plan);
        let damaged = |(cpu, source)| Failure::Page { cpu, source };
        let after = passes.iter().map(|pass| pass.after(came.first, |_| true, &layout));
        self.carried = after.collect::<Result<_, _>>().map_err(damaged)?;
        self.carried.retain(|pass| !pass.is_empty());
        (self.end, self.cut) = (Some(came.first), Some(came.first));

        let path = files.path(self.written.get(&index).map_or(1, |written| written + 1));
        let opened = Form::named(&files.to.form).map_err(io::Error::other).and_then(|form| {
            let file = NewFile::create(Path::new(&path))?;
            Ok((form, file))
        });
        let current = Current { cause: DumpCause::Event(index), path, covered, more: came.more };
        match opened {
            Ok(to) => {
                let contents = Contents { passes, period, stats };
                let job = self.job(to, contents, (tracefs, reading), live)?;
                self.write(current, job);
            }
            Err(error) => self.fail(current, error.to_string()),
        }
        Ok(())
    }

    /// Returns the work to write a dump to a file.
    fn job(
        &self,
        (form, file): (&'static Form, NewFile),
        Contents { passes, period, stats }: Contents,
        (tracefs, reading): (&Tracefs, &Reading),
        live: &Live<'_>,
    ) -> Result<Option<Box<Job>>, Failure> {
        let Some(progress) = self.dumper.as_ref().map(|dumper| Arc::clone(dumper.progress())) else {
            return Ok(None);
        };
        let (Some(instance), Some(ring)) = (live.instance(), &live.ring) else { return Ok(None) };
        let layout = ring.layout();
        let filter = match reading.host.as_slice() {
            [] => HostFilter::default(),
            host => HostFilter::new(&reading.formats, host, &layout, stacks(instance)?)?,
        };
        let dup = Failure::system("dup");
        let making = Making {
            reading,
            layout,
            cpus: ring.cpus(),
            names: Names::live(tracefs).map_err(&dup)?,
            kernel: Kernel::running(tracefs).map_err(&dup)?,
            children: None,
            progress: Arc::clone(&progress),
        };
        let fd = rustix::io::fcntl_dupfd_cloexec(file.file(), 3).map_err(&dup)?;
        let last = if form.is_of_pages() {
            LastStages::of_pages(fd, Facts::new(tracefs, instance)?, making)
        } else {
            let outlet = Outlet::new(fd, progress).map_err(Failure::system("fstat"))?;
            let timestamps = Timestamps::of_clock(&reading.clock);
            LastStages::of_records(form.sink(Box::new(outlet), timestamps), making)
        };
        let (clock, cpus) = (reading.clock.clone(), ring.cpus().len());
        let stages = Stages { layout, clock, cpus, filter: filter.within(period), last, files: None };
        let end = RingEnd { lost: Vec::new(), stats };
        Ok(Some(Box::new(Job { stages, file, passes, end })))
    }

    /// Hands a dump to the thread that writes it.
    fn write(&mut self, current: Current, job: Option<Box<Job>>) {
        if let (Some(dumper), Some(job)) = (&self.dumper, job) {
            self.current = Some(current);
            dumper.write(job);
        }
    }

    /// Notes that a dump was not written.
    fn fail(&mut self, Current { cause, path, more, .. }: Current, reason: String) {
        self.dumped.missed += more;
        self.dumped.failed.push((path, cause, reason));
    }

    /// Reads what the ring of a session holds, with the texts of `stats`, and lets it record on. `is_borrowed` says that
    /// there may be no memory for its snapshot yet.
    fn read(
        &mut self,
        live: &mut Live<'_>,
        is_borrowed: bool,
    ) -> Result<Option<(Taken, ByCpu<String>)>, Failure> {
        let Live { applied: Some(applied), ring: Some(ring), snapshot, .. } = live else { return Ok(None) };
        let (instance, layout) = (applied.directory(), ring.layout());
        let (mut passes, before) = (Vec::new(), ring::stats(instance)?);
        let is_swapped = match snapshot {
            None => false,
            Some(_) if is_borrowed => control(instance, SWAP).is_ok(),
            Some(_) => control(instance, SWAP).map(|()| true)?,
        };
        let stats = if let (Some(snapshot), true) = (snapshot, is_swapped) {
            self.add_lost(&before);
            drain_snapshot(snapshot, |pass| passes.push(pass))?;
            self.damaged.append(&mut snapshot.take_damaged());
            control(instance, CLEAR)?;
            before
        } else {
            let (begin, was_on) = (Instant::now(), is_recording(instance)?);
            if was_on {
                set_recording(instance, false)?;
            }
            let stats = ring::stats(instance)?;
            ring.drain_rest(|pass| passes.push(pass))?;
            self.overwritten = ring::overruns(&stats);
            if was_on {
                set_recording(instance, true)?;
                self.dumped.off += begin.elapsed();
            }
            stats
        };
        let taken = self.taken(passes, &layout)?;
        self.has_gap = !is_swapped;
        Ok(Some((taken, stats)))
    }

    /// Adds what the CPUs have lost in rings that were swapped.
    fn add_lost(&mut self, stats: &ByCpu<String>) {
        for (cpu, lost) in ring::overwritten(stats).1 {
            *self.lost.entry(cpu).or_default() += lost;
        }
    }

    /// Puts what was carried over before what was read of a ring, unless records between them were overwritten.
    pub(super) fn taken(&mut self, mut passes: Vec<Pass>, layout: &PageLayout) -> Result<Taken, Failure> {
        let damaged = |(cpu, source)| Failure::Page { cpu, source };
        let overran = since_losses(&mut passes, layout).map_err(damaged)?;
        if self.has_gap {
            let mut noted = BTreeSet::new();
            for pass in &mut passes {
                pass.note_losses(|lane| !overran.contains_key(&lane) && !noted.contains(&lane), layout);
                noted.extend(pass.lanes());
            }
        }
        let carried = std::mem::take(&mut self.carried);
        let carried = carried.iter().map(|pass| pass.after(0, |lane| !overran.contains_key(&lane), layout));
        let mut all: Vec<Pass> = carried.collect::<Result<_, _>>().map_err(damaged)?;
        all.append(&mut passes);
        Ok(Taken { passes: all, overran })
    }

    /// Leaves out of a period what a dump before has.
    pub(super) fn begin_period(&self, period: &Period) {
        if let Some(cut) = self.cut {
            period.begin(cut.saturating_add(1));
        }
    }

    fn covered(&self, overran: &BTreeMap<usize, u64>, time: u64, reading: &Reading) -> Covered {
        let counts_time = clocks::find(&reading.clock).is_some_and(|clock| clock.unit != ClockUnit::Other);
        let since = |from: u64| counts_time.then(|| Duration::from_nanos(time.saturating_sub(from)));
        match (overran.values().max(), self.end) {
            (Some(from), _) => Covered::Newest(since(*from)),
            (None, Some(end)) => Covered::SinceDump(since(end)),
            (None, None) => Covered::All(self.begun.map(|begun| begun.elapsed()).unwrap_or_default()),
        }
    }

    /// Takes note of a dump that is done.
    pub(super) fn done(&mut self, written: Written, plan: &Plan) -> Result<Done, Failure> {
        let Some(current) = self.current.take() else { return Ok(Done::default()) };
        let records = match written {
            Ok(records) => records,
            Err(RenderError::Page(cpu, source)) => return Err(Failure::Page { cpu, source }),
            Err(RenderError::Sink(error)) => {
                let reason = match error {
                    SinkError::Io(error) => error.to_string(),
                    SinkError::Closed => "the session has left it".to_owned(),
                };
                return Ok(self.not_written(current, reason));
            }
        };
        let Current { cause, path, covered, more } = current;
        let dump = Dump { path, records, covered };
        let answer = (cause == DumpCause::Client).then(|| Ok(dump.clone()));
        if self.dumped.listed.len() < LISTED {
            self.dumped.listed.push(dump);
        }
        let DumpCause::Event(index) = cause else {
            self.dumped.snapshots += 1;
            return Ok(Done { last: None, answer });
        };
        self.dumped.count += 1;
        self.count.store(self.dumped.count, Ordering::Relaxed);
        let written = self.written.entry(index).or_default();
        *written += 1;
        let max = plan.watches.get(index).and_then(|watch| watch.dump()?.max);
        let is_last = max.is_some_and(|max| *written >= max);
        if !is_last {
            self.dumped.missed += more;
        }
        Ok(Done { last: is_last.then_some(index), answer })
    }

    /// Gives up a dump whose file takes nothing.
    pub(super) fn give_up(&mut self) -> Done {
        let reason = "its file took nothing when the session ended".to_owned();
        self.current.take().map_or(Done::default(), |current| self.not_written(current, reason))
    }

    /// Notes that a dump was not written. The client that has asked for it gets the reason, and nobody else.
    fn not_written(&mut self, current: Current, reason: String) -> Done {
        if current.cause == DumpCause::Client {
            return Done {
                last: None,
                answer: Some(Err(format!("{} was not written: {reason}", current.path))),
            };
        }
        self.fail(current, reason);
        Done::default()
    }

    /// Returns the pages of snapshots that could not be read.
    pub(super) fn damaged(&self) -> &[Damaged] {
        &self.damaged
    }

    /// Returns the records that each CPU has lost in rings that were swapped.
    pub(super) fn lost(&self) -> Vec<(u32, u64)> {
        self.lost.iter().map(|(cpu, lost)| (*cpu, *lost)).collect()
    }

    /// Returns the number of records that a CPU had overwritten at the last dump.
    pub(super) fn overwritten(&self, cpu: u32) -> u64 {
        self.overwritten.get(&cpu).copied().unwrap_or(0)
    }

    /// Returns whether there was a dump.
    pub(super) fn has_begun(&self) -> bool {
        self.end.is_some()
    }

    /// Returns what they have come to; `None` for a session that neither has dumps nor has taken a snapshot.
    pub(super) fn result(&mut self, plan: &Plan) -> Option<Dumped> {
        let has = plan.has_dumps() || plan.life.snapshot.is_some() || self.asked > 0;
        has.then(|| std::mem::take(&mut self.dumped))
    }
}

/// Leaves out of a period what was recorded longer before its end than a session keeps records.
fn begin_last(period: &Period, end: u64, plan: &Plan) {
    if let Some(last) = plan.life.ring.and_then(|ring| ring.last) {
        period.begin(end.saturating_sub(u64::try_from(last.as_nanos()).unwrap_or(u64::MAX)));
    }
}

/// Reads a snapshot to its end.
fn drain_snapshot(snapshot: &mut Ring, mut each: impl FnMut(Pass)) -> Result<(), Failure> {
    loop {
        let (pass, _) = snapshot.drain_into(Pass::default())?;
        let is_all = pass.is_all();
        each(pass);
        if is_all {
            return Ok(());
        }
    }
}

fn control(instance: &Directory, value: &[u8]) -> Result<(), Failure> {
    let failed = |errno| Failure::Control { path: instance.path().join(SNAPSHOT), errno };
    instance.write(SNAPSHOT, value).map_err(|failure| failed(failure.errno()))
}

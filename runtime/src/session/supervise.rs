//! Runs a session from its plan to its summary.
//!
//! This thread applies the plan, reads the rings and undoes the plan. It never writes to an output: records are
//! rendered and written by the [`Renderer`], the line of the [`Status`] is drawn by a thread of its own.

mod controlled;
mod dumping;

use std::any::Any;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rustix::fd::AsFd;
use rustix::io::Errno;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::{Action, Plan, Program, Reading, Then};

use self::controlled::Controlling;
use super::apply::{Applied, Tasks};
use super::command::{Held, Running};
use super::dumps::{Dumps, SnapshotFiles};
use super::error::RunError;
use super::live::{Live, Recorders, apply, stacks};
use super::newest;
use super::pace::Pace;
use super::priority::Raised;
use super::processes::Processes;
use super::rounded;
use super::signals::Signals;
use super::source::Source;
use super::switch::{self, is_recording, set_recording};
use super::user::User;
use super::wakeups::{DATA, DUMP, RENDERER, WATCH, WakeupCause, Wakeups};
use super::watches::{Came, Watching};
use super::{Ended, Kept, RunOptions, Summary};
use crate::control::Control;
use crate::failure::Failure;
use crate::load::{Loaded, Losses, possible_cpus};
use crate::record::children::Children;
use crate::record::environment::Kernel;
use crate::record::facts::Facts;
use crate::record::host::{Code, CodeTask, CompileFilter, HostFilter, Stacks};
use crate::record::layouts::{Layouts, of_running};
use crate::record::names::Names;
use crate::record::period::Period;
use crate::record::recorder::RingEnd;
use crate::record::renderer::{Rendered, Renderer};
use crate::record::ring::{self, Damaged};
use crate::record::stages::{LastStages, Making, RenderError, Stages};
use crate::roll_call::{Member, RollCall};
use crate::sink::output::{Opened, OpenedOutput, Output};
use crate::sink::progress::Progress;
use crate::sink::rotation::Files;
use crate::sink::status::{Status, Terminal};
use crate::sink::{SinkError, Timestamps};
use crate::tracefs::Tracefs;

/// The time after a signal that a stalled output and the command get to end. All state has been put back by then.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The time that a terminal gets to take the end of the status line.
const LINE: Duration = Duration::from_millis(100);

/// Runs a session: applies its plan, streams its records until the session ends, and puts everything back.
///
/// Records are read with the layouts of the running kernel: [`RunOptions::layouts`] says whether the plan has them.
///
/// Signals end or pause it, as [the table](tracec_kernel::tables::signals) says. They are blocked in the calling thread
/// while it runs; other threads of the process should block them too.
///
/// The state is put back before the last records are written, so that a slow reader cannot delay it. A thread that an
/// output has stopped is left behind. When the output continues, it writes nothing more and ends.
///
/// # Errors
/// [`RunError`]. Everything is put back before it is returned, except for [`RunError::residue`].
///
/// # Panics
/// A sink of the caller panicked. Everything is put back first.
pub fn run(tracefs: &Tracefs, plan: &Plan, options: RunOptions) -> Result<Summary, RunError> {
    run_with(tracefs, plan, options, None)
}

/// Runs a session as [`run`] does, and answers the clients of its control meanwhile.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// As [`run`].
pub fn run_controlled(
    tracefs: &Tracefs,
    plan: &Plan,
    options: RunOptions,
    control: &mut Control,
) -> Result<Summary, RunError> {
    run_with(tracefs, plan, options, Some(control))
}

fn run_with(
    tracefs: &Tracefs,
    plan: &Plan,
    options: RunOptions,
    control: Option<&mut Control>,
) -> Result<Summary, RunError> {
    let RunOptions { runtime_dir, command, user, output, layouts, compile, status } = options;
    let command = command.map(|words| (words, user));
    let ending: Vec<i32> = plan.life.stop_on_signals.iter().map(|signal| signal.number).collect();
    let signals = Signals::block(&ending).map_err(Failure::system("signalfd"))?;
    let processes = Processes::open(&plan.life.stop_with_processes)?;
    let wakeups = Wakeups::new().map_err(Failure::system("epoll_create1"))?;
    let progress = Arc::<Progress>::default();
    let reading = match layouts {
        Layouts::OfKernel => Cow::Owned(of_running(&plan.reading, tracefs)?),
        Layouts::OfPlan => Cow::Borrowed(&plan.reading),
    };
    let snapshots = SnapshotFiles::beside(&output, &plan.session)
        .map_err(|source| Failure::Output { output: "the working directory".to_owned(), source })?;
    Dumps::check(plan, &snapshots)?;
    let writes_rest = !matches!(output, Output::Nothing);
    let (opened, mut output) = output.open(Timestamps::of_clock(&reading.clock), &progress)?;
    let names =
        Names::live(tracefs).map_err(|errno| discard(&output, Failure::system("dup")(errno).into()))?;
    let kernel =
        Kernel::running(tracefs).map_err(|errno| discard(&output, Failure::system("dup")(errno).into()))?;
    let files = output.files.take();
    let mut supervisor = Supervisor {
        wakeups,
        files,
        output: &output,
        queue: usize::try_from(reading.queue).unwrap_or(usize::MAX),
        reading,
        ends: Some((names, kernel, opened)),
        progress,
        compile: compile.filter(|_| !plan.reading.host.is_empty()),
        tasks: None,
        code: None,
        renderer: None,
        terminal: Terminal::find(status),
        status: Status::default(),
        switch: Arc::default(),
        stats: Vec::new(),
        damaged: Vec::new(),
        running: None,
        processes,
        period: Period::default(),
        overwritten: None,
        kept: None,
        dumps: Dumps::none(),
        snapshots,
        due: Vec::new(),
        writes_rest,
        paused: Duration::ZERO,
        control: control.map(Controlling::new),
        pace: Pace::new(),
        last: Default::default(),
        panic: None,
    };
    let result = supervisor.live(&signals, tracefs, plan, &runtime_dir, command);
    supervisor.leave();
    if let Some(panic) = supervisor.panic {
        drop(signals);
        resume_unwind(panic);
    }
    match result {
        Err(error) if supervisor.last.0.counts.records == 0 => Err(discard(&output, error)),
        result => result,
    }
}

/// A pause of recording.
struct Pause {
    /// Whether the instance recorded before.
    was_recording: bool,
    begin: Instant,
}

struct Supervisor<'a> {
    wakeups: Wakeups,
    /// The files of an output that is rotated, until the renderer gets them.
    files: Option<Files>,
    output: &'a OpenedOutput,
    /// How records are read.
    reading: Cow<'a, Reading>,
    /// What the records go through last, until the renderer gets it.
    ends: Option<(Names, Kernel<'static>, Opened)>,
    progress: Arc<Progress>,
    /// Makes code of the host's conditions, if there are some.
    compile: Option<CompileFilter>,
    /// Takes the task to make code to its thread.
    tasks: Option<Sender<CodeTask>>,
    /// The code, or why there is none.
    code: Option<Code>,
    /// The size in bytes of the renderer's queue.
    queue: usize,
    renderer: Option<Renderer>,
    terminal: Option<Arc<Terminal>>,
    status: Status,
    switch: Arc<switch::Watched>,
    /// The text of each CPU's `stats` at the end.
    stats: Vec<(u32, String)>,
    /// The pages of the rings that could not be read.
    damaged: Vec<Damaged>,
    running: Option<Running>,
    processes: Processes,
    /// The times of the records that are kept.
    period: Period,
    /// What a ring has kept.
    overwritten: Option<Kept>,
    /// The event after which a time is kept, by the index of what the session waits for.
    kept: Option<usize>,
    dumps: Dumps,
    /// The files of its snapshots.
    snapshots: SnapshotFiles,
    /// The events at which a dump is due, by the index of what the session waits for.
    due: Vec<(usize, Came)>,
    /// Whether what its ring holds at the end is written to the output.
    writes_rest: bool,
    pace: Pace,
    /// The time for which recording was paused.
    paused: Duration,
    /// The clients of a session that was started, and what they have asked for.
    control: Option<Controlling<'a>>,
    /// What a renderer that has ended had done, and the number of records that it had not.
    last: (Rendered, u64),
    /// The value that the sink has panicked with.
    panic: Option<Box<dyn Any + Send>>,
}

impl Supervisor<'_> {
    fn live(
        &mut self,
        signals: &Signals,
        tracefs: &Tracefs,
        plan: &Plan,
        runtime_dir: &Path,
        command: Option<(Vec<OsString>, Option<User>)>,
    ) -> Result<Summary, RunError> {
        self.wakeups.watch(WakeupCause::Signal, signals.ending()).map_err(Failure::system("epoll_ctl"))?;
        self.wakeups.watch(WakeupCause::Pause, signals.pausing()).map_err(Failure::system("epoll_ctl"))?;
        for process in self.processes.descriptors() {
            self.wakeups.watch(WakeupCause::Process, process).map_err(Failure::system("epoll_ctl"))?;
        }
        let held = command.map(|(words, user)| Held::fork(&words, user, signals.blocked())).transpose()?;
        let mask = signals.blocked().mask();
        // A new thread of glibc does not inherit that signal 32 is blocked.
        let own = RollCall::new(move || mask.block());
        self.start_threads(&own, plan)?;
        own.until_prepared().map_err(Failure::system("rt_sigprocmask"))?;
        let tasks = Tasks { own, ids: OnceCell::new(), command: held.as_ref().map(Held::id) };
        let mut live = apply(tracefs, plan, runtime_dir, &tasks)?;
        // Threads that were not called begin now.
        drop(tasks);
        // The threads and the command exist, and keep the priority that they have.
        let raised = Raised::of_this_thread();
        let started = Instant::now();

        let known = self.know_loaded(plan, tracefs);
        let loaded = known.and_then(|()| self.load(&mut live, plan));
        let armed = loaded.and_then(|()| self.arm(&mut live, (tracefs, plan), held));
        let armed = armed.and_then(|()| self.begin_control(&live, (tracefs, plan)));
        let rounded = rounded::of(tracefs, live.instance(), &plan.transaction);
        let ended = armed.and_then(|ended| match ended {
            Some(ended) => Ok(ended),
            None => self.follow(signals, &mut live, (tracefs, plan)),
        });
        let elapsed = started.elapsed().saturating_sub(self.paused + self.held_for());
        // Before recording is switched off here. Where the switch cannot be read, the next step fails and says so.
        // A session that ends with an event may have had the kernel switch it off.
        let switches = matches!(ended, Ok(Ended::Event(_))) && plan.life.start_paused.is_none();
        let was_off = self.switch.is_off() && !switches;
        let stopped = ended.and_then(|ended| Ok((ended, self.stop(&mut live, (tracefs, plan))?)));
        self.switch.end();
        let residue = live.put_back();
        drop(raised);
        self.status.end(LINE);
        // From here on there is nothing to pause, and a signal that does so would end the wait for the output.
        let stopped = stopped.and_then(|stopped| {
            self.wakeups.forget(signals.pausing()).map_err(Failure::system("epoll_ctl"))?;
            signals.stop_at_once().map_err(Failure::system("rt_sigprocmask")).map(|()| stopped)
        });

        match stopped.and_then(|(ended, lost)| self.conclude((ended, plan), &lost, elapsed)) {
            Err(failure) => Err(RunError::Failed { failure, residue }),
            Ok(summary) => Ok(Summary { was_off, rounded, residue, ..summary }),
        }
    }

    /// Starts the threads, which wait for their work: their ids must be known before anything is recorded.
    fn start_threads(&mut self, own: &RollCall, plan: &Plan) -> Result<(), Failure> {
        let terminal = self.terminal.clone().filter(|_| self.output.on_terminal);
        let renderer = Renderer::spawn(own.member(), terminal, Arc::clone(&self.progress), self.queue);
        let renderer = self.renderer.insert(renderer.map_err(thread_failure)?);
        self.wakeups.add(RENDERER, renderer.wake()).map_err(Failure::system("epoll_ctl"))?;
        // The ring of a session that has clients can be written at any time.
        let has_clients = self.control.is_some() && plan.life.ring.is_some();
        if plan.has_dumps() || plan.life.snapshot.is_some() || has_clients {
            let dumper = self.dumps.spawn(own.member()).map_err(thread_failure)?;
            self.wakeups.add(DUMP, dumper.wake()).map_err(Failure::system("epoll_ctl"))?;
        }
        if let Some(compile) = self.compile.take() {
            match compiler(own.member(), compile) {
                Ok(tasks) => self.tasks = Some(tasks),
                // A session does not need code: the evaluator decides.
                Err(error) => {
                    let reason = format!("the thread that makes it cannot be started: {error}");
                    self.code = Some(Arc::new(OnceLock::from(Err(reason))));
                }
            }
        }
        if let Some(terminal) = &self.terminal {
            let switch = Arc::clone(&self.switch);
            let session = (plan.session.as_str(), plan.life.ring.is_some(), Arc::clone(self.dumps.count()));
            let status = renderer.status(own.member(), session, terminal, move || switch.is_off());
            self.status = status.map_err(thread_failure)?;
        }
        Ok(())
    }

    /// Reads the layouts of the events that the session's module has: before it was loaded the kernel had none.
    fn know_loaded(&mut self, plan: &Plan, tracefs: &Tracefs) -> Result<(), Failure> {
        let loads = plan.transaction.steps().iter().any(|step| matches!(step.action, Action::Load { .. }));
        if loads {
            self.reading = Cow::Owned(of_running(&plan.reading, tracefs)?);
        }
        Ok(())
    }

    /// Opens the output and the ring, gives the threads their work, and releases the command.
    fn arm(
        &mut self,
        live: &mut Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
        held: Option<Held>,
    ) -> Result<(), Failure> {
        if let Some(wait) = plan.life.stop_after {
            self.wakeups.stop.start(wait).map_err(Failure::system("timerfd_settime"))?;
        }
        self.output.empty().map_err(|errno| self.output.failure(errno.into()))?;
        let programs = match &live.programs {
            Some(Recorders { of, loaded, .. }) => {
                Some(loaded.ring(possible_cpus()).map_err(|error| error.failure(of))?)
            }
            None => None,
        };
        let rings = if plan.has_ring() { live.rings()? } else { None };
        let source = match (rings, programs) {
            (Some(rings), Some(programs)) => Source::both(rings, programs)?,
            (Some(rings), None) => Source::Instance(rings),
            (None, Some(programs)) => Source::Programs(programs),
            (None, None) => return Err(Failure::NothingRecords),
        };
        self.dumps.arm(plan, live)?;
        let stacks = live.instance().map_or(Ok(Stacks::default()), stacks)?;
        let ring = live.ring.insert(source);
        for watch in &live.watches {
            self.wakeups.add(WATCH, watch.readable()).map_err(Failure::system("epoll_ctl"))?;
        }
        if let (Some((names, kernel, opened)), Some(renderer)) = (self.ends.take(), &self.renderer) {
            let layout = ring.layout();
            let Reading { formats, host, .. } = &*self.reading;
            let filter = match host.as_slice() {
                [] => HostFilter::default(),
                host => HostFilter::new(formats, host, &layout, stacks)?,
            };
            let has_period = !plan.watches.is_empty() || plan.life.ring.is_some();
            let filter = if has_period { filter.within(self.period.clone()) } else { filter };
            if let (Some(tasks), Some(task)) = (self.tasks.take(), filter.task()) {
                self.code = Some(task.code());
                // Without its thread the evaluator decides.
                let _ = tasks.send(task);
            }
            let instance = live.applied.as_ref().map(Applied::directory).filter(|_| plan.has_ring());
            let scoped = live.applied.as_ref().map(Applied::scoped).cloned();
            let children = self.reading.without_children.zip(scoped);
            let children = children.map(|(without, scoped)| Children::new(scoped, without));
            let making = Making {
                reading: &self.reading,
                layout,
                cpus: ring.cpus(),
                names,
                kernel,
                children,
                progress: Arc::clone(&self.progress),
            };
            let last = match (opened, instance) {
                (Opened::Records(sink), _) => LastStages::of_records(sink, making),
                (Opened::Pages(file), Some(instance)) if plan.programs.is_none() => {
                    LastStages::of_pages(file, Facts::new(tracefs, instance)?, making)
                }
                // The compiler refuses such a session.
                (Opened::Pages(_), _) => {
                    let why =
                        "the records of programs are not in pages of tracefs, which a trace.dat file has";
                    return Err(self.output.failure(io::Error::other(why)));
                }
            };
            let (clock, cpus) = (self.reading.clock.clone(), ring.cpus().len());
            renderer.begin(Stages { layout, clock, cpus, filter, last, files: self.files.take() });
            if let Some(instance) = instance {
                self.switch.begin(instance).map_err(Failure::system("dup"))?;
            }
            self.status.show();
        }
        // A ring is read when the session ends.
        if plan.life.ring.is_none() {
            self.wakeups.add(DATA, ring.readable()).map_err(Failure::system("epoll_ctl"))?;
        }
        if let Some(fd) = self.output.fd() {
            self.wakeups.watch(WakeupCause::OutputClosed, fd).map_err(Failure::system("epoll_ctl"))?;
        }
        Self::attach(live)?;
        if let Some(held) = held {
            let running = self.running.insert(held.release()?);
            self.wakeups
                .watch(WakeupCause::Command, running.ended())
                .map_err(Failure::system("epoll_ctl"))?;
        }
        Ok(())
    }

    /// Loads the programs of a session that records by them. They were made for the layouts of the plan.
    fn load<'p>(&mut self, live: &mut Live<'p>, plan: &'p Plan) -> Result<(), Failure> {
        let Some(of) = &plan.programs else { return Ok(()) };
        let mut tracepoints = FxHashMap::default();
        for Program { event, origin, .. } in &of.programs {
            let id = self.know_by_number(plan, event).ok_or_else(|| {
                let reason = format!(
                    "`{event}` has another layout on the running kernel than on the one that its program was made for"
                );
                Failure::of_programs(Some(*origin), reason)
            })?;
            tracepoints.insert(event.as_str(), id);
        }
        let loaded = Loaded::load(of).map_err(|error| error.failure(of))?;
        live.programs = Some(Recorders { of, loaded, tracepoints });
        Ok(())
    }

    /// Lets the records of an event be known by the number that its program writes: that of the plan, which is another than
    /// the running kernel's where the plan was made for another kernel, or before the module of the event was loaded.
    /// Returns the running kernel's; `None` if more than that is different, or the number is that of another event.
    fn know_by_number(&mut self, plan: &Plan, event: &str) -> Option<u16> {
        let (planned, found) = (layout_of(&plan.reading, event)?, layout_of(&self.reading, event)?);
        let id = found.id;
        if id == planned.id {
            return (found == planned).then_some(id);
        }
        let is_another = |format: &EventFormat| format.id == planned.id && format.qualified_name() != event;
        let differs = EventFormat { id: planned.id, ..found.clone() } != *planned;
        if differs || self.reading.formats.iter().any(is_another) {
            return None;
        }
        let own = self.reading.to_mut().formats.iter_mut().find(|format| format.qualified_name() == event);
        own?.id = planned.id;
        Some(id)
    }

    /// Attaches the programs of a session that records by them.
    fn attach(live: &mut Live<'_>) -> Result<(), Failure> {
        let Some(Recorders { of, loaded, tracepoints }) = &mut live.programs else { return Ok(()) };
        let id = |event: &str| tracepoints.get(event).map(|id| u64::from(*id));
        loaded.attach(of, id).map_err(|error| error.failure(of))
    }

    /// Reads the rings until the session ends.
    fn follow(
        &mut self,
        signals: &Signals,
        live: &mut Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
    ) -> Result<Ended, Failure> {
        loop {
            let ready = self.wakeups.wait(None).map_err(Failure::system("epoll_wait"))?;
            if ready.cause == Some(WakeupCause::Pause) {
                self.pause(signals, live)?;
                continue;
            }
            if let Some(cause) = ready.cause
                && let Some(ended) = self.ended_by(cause, signals)?
            {
                // An event at the same time is the end, and where the records are cut.
                let ended = self.look(&mut live.watches, plan)?.unwrap_or(ended);
                self.dump(live, (tracefs, plan))?;
                return Ok(ended);
            }
            if ready.renderer
                && let Some(result) = self.rendered()
            {
                return result.map(|_| Ended::OutputClosed);
            }
            if ready.control
                && let Some(ended) = self.serve(live, (tracefs, plan))?
            {
                let ended = self.look(&mut live.watches, plan)?.unwrap_or(ended);
                self.dump(live, (tracefs, plan))?;
                return Ok(ended);
            }
            if ready.dump {
                self.dumped(live, plan)?;
            }
            if ready.watch {
                // One wake-up serves many events: a frequent one that does not end the session would slow the machine down.
                self.wakeups
                    .rest(live.watches.iter().map(Watching::readable))
                    .map_err(Failure::system("epoll_ctl"))?;
            } else if ready.rested {
                let watches = live.watches.iter().map(Watching::readable);
                self.wakeups.wake_again(watches).map_err(Failure::system("epoll_ctl"))?;
            }
            if plan.life.ring.is_some() {
                if let Some(ended) = self.look(&mut live.watches, plan)? {
                    return Ok(ended);
                }
                self.dump(live, (tracefs, plan))?;
            } else if ready.batch || ready.data || ready.renderer || ready.watch || ready.rested {
                let Some(ring) = &mut live.ring else { return Ok(Ended::OutputClosed) };
                if let Some(ended) = self.batch(ring, (&mut live.watches, plan))? {
                    return Ok(ended);
                }
            }
        }
    }

    fn ended_by(&mut self, cause: WakeupCause, signals: &Signals) -> Result<Option<Ended>, Failure> {
        Ok(match (cause, &mut self.running) {
            (WakeupCause::Signal, running) => {
                let arrived = signals.next().map_err(Failure::system("read of signals"))?;
                if let (Some(signal), Some(running)) = (arrived, running)
                    && signal.is_to_be_passed_on()
                {
                    running.terminate().map_err(Failure::system("pidfd_send_signal"))?;
                }
                arrived.map(|signal| Ended::Signal(signal.number))
            }
            (WakeupCause::Command, Some(running)) => {
                Some(Ended::CommandExited(running.wait().map_err(Failure::system("waitid"))?))
            }
            (WakeupCause::Command, None) | (WakeupCause::Pause, _) => None,
            (WakeupCause::StopAfter, _) => Some(Ended::StopAfter),
            (WakeupCause::Kept, _) => self.kept.map(Ended::Event),
            (WakeupCause::Process, _) => {
                self.processes.ended().map_err(Failure::system("poll"))?.map(Ended::Process)
            }
            (WakeupCause::OutputClosed, _) => Some(Ended::OutputClosed),
        })
    }

    /// Switches recording off while the process is stopped. If it was off before, by a trigger or a clause, it stays
    /// off.
    fn pause(&mut self, signals: &Signals, live: &mut Live<'_>) -> Result<(), Failure> {
        self.status.hide(LINE);
        // One that a client has paused stays so.
        let pause = if self.is_held() { None } else { Some(Self::hold(live)?) };
        signals.stop().map_err(Failure::system("rt_sigprocmask"))?;
        if let Some(pause) = pause {
            self.go_on(live, &pause)?;
        }
        self.status.show();
        Ok(())
    }

    /// Switches recording off.
    fn hold(live: &mut Live<'_>) -> Result<Pause, Failure> {
        if let Some(Recorders { loaded, .. }) = &mut live.programs {
            loaded.detach();
        }
        let recording = match live.instance() {
            Some(instance) if is_recording(instance)? => Some(instance),
            _ => None,
        };
        let pause = Pause { was_recording: recording.is_some(), begin: Instant::now() };
        if let Some(instance) = recording {
            set_recording(instance, false)?;
        }
        // What comes meanwhile does not end the session.
        live.watches.iter().try_for_each(|watch| set_recording(watch.directory(), false))?;
        Ok(pause)
    }

    /// Switches on again what a pause has switched off.
    fn go_on(&mut self, live: &mut Live<'_>, pause: &Pause) -> Result<(), Failure> {
        let mut waiting = live.watches.iter().filter(|watch| watch.waits());
        waiting.try_for_each(|watch| set_recording(watch.directory(), true))?;
        if let (true, Some(instance)) = (pause.was_recording, live.instance()) {
            set_recording(instance, true)?;
        }
        Self::attach(live)?;
        self.paused += pause.begin.elapsed();
        Ok(())
    }

    /// Reads the rings once, and sets the time of the next batch. If the renderer has no room, it wakes this thread
    /// once it has. Returns the end of the session, if an event has come that it ends with.
    fn batch(
        &mut self,
        ring: &mut Source,
        (watches, plan): (&mut [Watching<'_>], &Plan),
    ) -> Result<Option<Ended>, Failure> {
        let timer = Failure::system("timerfd_settime");
        if !self.renderer.as_ref().is_some_and(Renderer::has_room) {
            let ended = self.look(watches, plan)?;
            self.wakeups.set_data(ring.readable(), false).map_err(Failure::system("epoll_ctl"))?;
            return self.wakeups.batch.stop().map_err(timer).map(|()| ended);
        }
        let filled_for = self.pace.begin();
        let spare = self.renderer.as_ref().map(Renderer::spare).unwrap_or_default();
        let (pass, fill) = ring.drain(spare)?;
        // Afterwards: what a pass has read before an event was seen was recorded before it.
        let ended = self.look(watches, plan)?;
        let Some(renderer) = &mut self.renderer else { return Ok(ended) };
        let is_idle = pass.is_empty();
        // An empty pass releases what the one before held back.
        renderer.push(pass);
        self.wakeups.set_data(ring.readable(), is_idle).map_err(Failure::system("epoll_ctl"))?;
        match self.pace.next(fill, filled_for, is_idle) {
            Some(wait) => self.wakeups.batch.start(wait),
            None => self.wakeups.batch.stop(),
        }
        .map_err(timer)?;
        Ok(ended)
    }

    /// Looks whether an event has come that the session waits for. Returns its end, if it ends at once.
    fn look(&mut self, watches: &mut [Watching<'_>], plan: &Plan) -> Result<Option<Ended>, Failure> {
        let mut ended = None;
        for (index, (watching, watch)) in watches.iter_mut().zip(&plan.watches).enumerate() {
            let Some(came) = watching.look()? else { continue };
            let time = came.first;
            match &watch.then {
                Then::Stop { keep: None } => {
                    self.period.end(time);
                    ended = ended.or(Some(Ended::Event(index)));
                }
                Then::Dump(_) => self.due.push((index, came)),
                Then::Stop { keep: Some(keep) } if self.kept.is_none() => {
                    self.kept = Some(index);
                    self.wakeups.keep.start(*keep).map_err(Failure::system("timerfd_settime"))?;
                    let nanoseconds = u64::try_from(keep.as_nanos()).unwrap_or(u64::MAX);
                    self.period.end(time.saturating_add(nanoseconds));
                }
                Then::Stop { keep: Some(_) } => {}
            }
        }
        Ok(ended)
    }

    /// Takes note of a wake-up of the renderer. Of one that has ended, returns whether its output accepted everything;
    /// that the reader has gone is not a failure.
    fn rendered(&mut self) -> Option<Result<bool, Failure>> {
        let renderer = self.renderer.take()?;
        renderer.heard();
        if !renderer.has_ended() {
            self.renderer = Some(renderer);
            return None;
        }
        self.last = (renderer.rendered(), renderer.unwritten());
        Some(match renderer.join() {
            Ok(Ok(())) => Ok(true),
            Ok(Err(RenderError::Sink(SinkError::Closed))) => Ok(false),
            Ok(Err(RenderError::Sink(SinkError::Io(source)))) => {
                let Rendered { written, files, .. } = &self.last.0;
                Err(self.output.full(source, *written, *files))
            }
            Ok(Err(RenderError::Page(cpu, source))) => Err(Failure::Page { cpu, source }),
            Err(panic) => {
                self.panic = Some(panic);
                Ok(false)
            }
        })
    }

    /// Stops recording and hands the rest of the rings over. Returns what was lost.
    fn stop(&mut self, live: &mut Live<'_>, (tracefs, plan): (&Tracefs, &Plan)) -> Result<Losses, Failure> {
        if let Some(applied) = &live.applied {
            set_recording(applied.directory(), false)?;
        }
        if let Some(Recorders { loaded, .. }) = &mut live.programs {
            loaded.detach();
        }
        if let (Some(_), true, Some(instance)) = (plan.life.ring, plan.has_ring(), live.instance()) {
            // What is read is no longer the oldest record.
            self.stats = ring::stats(instance)?;
        }
        if let (Some(kept), Some(ring), Some(renderer)) = (plan.life.ring, &mut live.ring, &mut self.renderer)
        {
            let now = ring::now(&self.stats);
            if self.writes_rest {
                for pass in newest::read(ring, (kept, now), &mut self.dumps, &self.period)? {
                    renderer.push(pass);
                }
            }
            self.take_triggered(live, (tracefs, plan))?;
        } else if let (Some(ring), Some(renderer)) = (&mut live.ring, &mut self.renderer) {
            // A ring may hold far more than the queue does. An output that is too slow does not keep the kernel's state.
            let until = Instant::now() + LAST_WORDS;
            ring.drain_rest(|pass| {
                renderer.push(pass);
                renderer.wait_for_room(until);
            })?;
        }
        self.damaged = live.ring.as_ref().map(Source::damaged).unwrap_or_default();
        self.damaged.extend_from_slice(self.dumps.damaged());
        self.damaged.extend(live.watches.iter().flat_map(|watching| watching.damaged().to_vec()));
        let mut losses = match &live.programs {
            Some(Recorders { of, loaded, .. }) => loaded.losses(of).map_err(|error| error.failure(of))?,
            None => Losses::default(),
        };
        if plan.life.ring.is_some() {
            let (kept, lost) = newest::kept(&self.stats, &self.dumps);
            losses.add(&lost);
            losses.add(&self.dumps.lost());
            self.overwritten = self.writes_rest.then_some(kept);
        } else if let (true, Some(instance)) = (plan.has_ring(), live.instance()) {
            self.stats = ring::stats(instance)?;
            losses.add(&ring::lost(&self.stats));
        }
        Ok(losses)
    }

    /// Writes the remaining records and returns the summary, without the residue.
    fn conclude(
        &mut self,
        (ended_by, plan): (Ended, &Plan),
        losses: &Losses,
        elapsed: Duration,
    ) -> Result<Summary, Failure> {
        self.wait_for_output_only()?;
        if let Some(renderer) = &self.renderer {
            self.wakeups.forget(renderer.wake()).map_err(Failure::system("epoll_ctl"))?;
            self.finish_dump(ended_by, plan)?;
        }
        if let Some(renderer) = &self.renderer {
            self.wakeups.add(RENDERER, renderer.wake()).map_err(Failure::system("epoll_ctl"))?;
        }
        let output_complete = self.show_rest(ended_by, &losses.cpus)?;
        self.leave();
        let (mut command_status, mut command_running) = (None, None);
        if let Some(running) = &mut self.running {
            // After a signal the command is expected to end soon.
            let is_asked = matches!(ended_by, Ended::Signal(_) | Ended::Stopped);
            let patience = if is_asked { LAST_WORDS } else { Duration::ZERO };
            command_status = running.wait_at_most(patience).map_err(Failure::system("waitid"))?;
            command_running = command_status.is_none().then(|| running.pid());
        }
        let (Rendered { counts, dropped, files, .. }, unwritten) = &self.last;
        Ok(Summary {
            files: *files,
            kept: self.overwritten,
            dumps: self.dumps.result(plan),
            records: counts.records,
            unwritten: if output_complete { 0 } else { *unwritten },
            dropped: *dropped,
            without_code: self.code.as_ref().and_then(|code| code.get()?.as_ref().err().cloned()),
            lost: counts.losses(&losses.cpus),
            lost_events: losses.events.clone(),
            missed: losses.missed.clone(),
            damaged: std::mem::take(&mut self.damaged),
            unknown: counts.unknown,
            ended_by,
            elapsed,
            command_status,
            command_running,
            output_complete,
            was_off: false,
            rounded: Vec::new(),
            was_cleared: self.control.as_ref().is_some_and(Controlling::was_cleared),
            residue: Vec::new(),
        })
    }

    /// Lets nothing end a wait that only ends or feeds a session that records.
    fn wait_for_output_only(&self) -> Result<(), Failure> {
        let forget = Failure::system("epoll_ctl");
        for timer in self.wakeups.timers() {
            self.wakeups.forget(timer.as_fd()).map_err(&forget)?;
        }
        if let Some(fd) = self.output.fd() {
            self.wakeups.forget(fd).map_err(&forget)?;
        }
        if let Some(running) = &self.running {
            self.wakeups.forget(running.ended()).map_err(&forget)?;
        }
        for process in self.processes.descriptors() {
            self.wakeups.forget(process).map_err(&forget)?;
        }
        Ok(())
    }

    /// Waits until the remaining records are written. Returns whether the output accepted all of them: after a signal,
    /// or once one arrives, an output that accepts nothing for [`LAST_WORDS`] is left.
    fn show_rest(&mut self, ended: Ended, lost: &[(u32, u64)]) -> Result<bool, Failure> {
        let Some(renderer) = &self.renderer else { return Ok(false) };
        let limit = match ended {
            Ended::OutputClosed => return Ok(false),
            Ended::Signal(_) | Ended::Stopped => Some(LAST_WORDS),
            Ended::StopAfter
            | Ended::Event(_)
            | Ended::Process(_)
            | Ended::CommandExited(_)
            | Ended::Unconfirmed
            | Ended::Unattended => None,
        };
        renderer.finish(RingEnd { lost: lost.to_vec(), stats: std::mem::take(&mut self.stats) });
        let mut since = Instant::now();
        loop {
            let steps = self.renderer.as_ref().map(Renderer::steps);
            let left = limit.map(|limit| limit.saturating_sub(since.elapsed()));
            let ready = self.wakeups.wait(left).map_err(Failure::system("epoll_wait"))?;
            if ready.control {
                // A client does not lengthen the wait.
                self.serve_late();
                if !ready.renderer && ready.cause.is_none() {
                    continue;
                }
            }
            since = Instant::now();
            if ready.renderer {
                if let Some(result) = self.rendered() {
                    return result;
                }
            } else if ready.cause.is_some() || self.renderer.as_ref().map(Renderer::steps) == steps {
                return Ok(false);
            }
        }
    }

    /// Leaves the renderer to itself.
    fn leave(&mut self) {
        if let Some(renderer) = self.renderer.take() {
            self.last = (renderer.rendered(), renderer.unwritten());
        }
    }
}

/// Returns the layout of an event's records.
fn layout_of<'r>(reading: &'r Reading, event: &str) -> Option<&'r EventFormat> {
    reading.formats.iter().find(|format| format.qualified_name() == event)
}

/// Starts the thread that makes code of the host's conditions, which answers as `member` and waits for its task.
fn compiler(member: Member, compile: CompileFilter) -> io::Result<Sender<CodeTask>> {
    let (tasks, task) = channel::<CodeTask>();
    thread::Builder::new().name("tracec-compile".to_owned()).spawn(move || {
        member.answer();
        // A session that ends before it is armed has no task.
        if let Ok(task) = task.recv() {
            // The summary has the error.
            let _ = task.run(&compile);
        }
    })?;
    Ok(tasks)
}

fn discard(output: &OpenedOutput, mut error: RunError) -> RunError {
    if let Err(left) = output.discard() {
        match &mut error {
            RunError::Failed { residue, .. } | RunError::Apply { residue, .. } => residue.push(left),
        }
    }
    error
}

/// Returns the failure to start a thread.
fn thread_failure(error: io::Error) -> Failure {
    Failure::system("clone")(Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))
}

#[cfg(test)]
mod tests {
    use super::super::error::ApplyError;
    use super::*;
    use crate::sink::{Output, TEXT};

    #[test]
    fn output_that_cannot_be_removed_is_residue_of_every_failure() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let output = Output::File { path: path.clone(), form: &TEXT };
        let (_, opened) = output.open(Timestamps::Raw, &Arc::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let refused: RunError = ApplyError::InstanceTaken { name: "x".to_owned() }.into();
        let failed: RunError = Failure::system("dup")(Errno::MFILE).into();
        for error in [refused, failed] {
            let error = discard(&opened, error);
            assert!(matches!(error.residue(), [left] if left.path == path), "{error:?}");
        }
    }
}

//! Runs a session from its plan to its summary.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::fd::AsFd;
use tracec_kernel::plan::Plan;
use tracec_kernel::record::Decoder;

use super::apply::{Applied, apply};
use super::command::{Held, Running};
use super::error::RunError;
use super::signals::Signals;
use super::wakeups::{Cause, Wakeups};
use super::{Ended, RunOptions, Summary};
use crate::failure::{Failure, Residue};
use crate::record::host::{HostFilter, Stacks};
use crate::record::merge::Merge;
use crate::record::names::Names;
use crate::record::pipeline::Pipeline;
use crate::record::ring::{self, Ring};
use crate::sink::outlet::Patience;
use crate::sink::output::Opened;
use crate::sink::status::Status;
use crate::sink::{SinkError, Timestamps};
use crate::tracefs::{Directory, Tracefs, TracefsError};

/// The wait between two batches of records, unless so many come that waiting could lose some. One wake-up then serves
/// many records: a tracer that is woken by every record slows down the system that it traces. The wait delays output
/// only. Causes of an end are waited for at the same time ([`Wakeups::wait`]) and are not delayed.
const BATCH: Duration = Duration::from_millis(10);
/// The time after a signal that a stalled output and the command get to end. All state has been put back by then.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The file of an instance that switches recording on and off.
const TRACING_ON: &str = "tracing_on";

/// Runs a session: applies its plan, streams its records until the session ends, and puts everything back.
///
/// Signals end or pause it, as [the table](tracec_kernel::tables::signals) says. They are blocked in the calling thread
/// while it runs; other threads of the process should block them too.
///
/// The state is put back before the last records are written, so that a slow reader cannot delay it.
///
/// # Errors
/// [`RunError`]. Everything is put back before it is returned, except for [`RunError::residue`].
pub fn run(tracefs: &Tracefs, plan: &Plan, options: RunOptions) -> Result<Summary, RunError> {
    let RunOptions { runtime_dir, command, output, status } = options;
    let signals = Signals::block().map_err(Failure::system("signalfd"))?;
    let wakeups = Wakeups::new().map_err(Failure::system("epoll_create1"))?;
    let patience = Rc::new(Patience::new(wakeups.end().map_err(Failure::system("dup"))?));
    let reading = &plan.reading;
    let (mut sink, output) = output.open(Timestamps::of_clock(&reading.clock), &patience)?;
    let decoder = Decoder::new(reading.formats.clone());
    let filter = HostFilter::new(&reading.formats, &reading.host);
    let pipeline = Pipeline::new(decoder, filter, Names::live(tracefs), sink.as_mut());
    let status = Status::new(&plan.session, status);
    let mut supervisor = Supervisor {
        wakeups,
        patience,
        output: &output,
        pipeline,
        status,
        running: None,
        paused: Duration::ZERO,
    };
    let result = supervisor.live(&signals, tracefs, plan, &runtime_dir, command);
    supervisor.status.clear();
    match result {
        Err(error) if supervisor.pipeline.counts().records == 0 => Err(discard(&output, error)),
        result => result,
    }
}

struct Supervisor<'a> {
    wakeups: Wakeups,
    patience: Rc<Patience>,
    output: &'a Opened,
    pipeline: Pipeline<'a>,
    status: Status,
    running: Option<Running>,
    /// The time for which recording was paused.
    paused: Duration,
}

/// An applied session. The ring's files are closed before the plan is undone, also when this is dropped: otherwise
/// rmdir would return EBUSY.
struct Live<'t> {
    ring: Option<Ring>,
    applied: Applied<'t>,
}

impl Live<'_> {
    fn put_back(self) -> Vec<Residue> {
        drop(self.ring);
        self.applied.undo().err().map_or(Vec::new(), |error| error.residue)
    }
}

impl Supervisor<'_> {
    fn live(
        &mut self,
        signals: &Signals,
        tracefs: &Tracefs,
        plan: &Plan,
        runtime_dir: &Path,
        command: Option<Vec<OsString>>,
    ) -> Result<Summary, RunError> {
        self.wakeups.watch(Cause::Signal, signals.ending()).map_err(Failure::system("epoll_ctl"))?;
        self.wakeups.watch(Cause::Pause, signals.pausing()).map_err(Failure::system("epoll_ctl"))?;
        let held = command.map(|words| Held::fork(&words, signals.blocked())).transpose()?;
        let applied = apply(tracefs, &plan.transaction, runtime_dir)?;
        let started = Instant::now();

        let mut live = Live { ring: None, applied };
        let armed = self.arm(&mut live, plan.life.stop_after, held);
        let ended = armed.and_then(|()| self.follow(signals, &mut live));
        let elapsed = started.elapsed().saturating_sub(self.paused);
        self.status.clear();
        let stopped = ended.and_then(|ended| Ok((ended, self.stop(&mut live)?)));
        let residue = live.put_back();
        // From here on there is nothing to pause, and a pending signal would end the wait for the output.
        let stopped = stopped.and_then(|stopped| {
            signals.stop_at_once().map_err(Failure::system("rt_sigprocmask")).map(|()| stopped)
        });

        match stopped.and_then(|(ended, lost)| self.conclude(ended, &lost, elapsed)) {
            Err(failure) => Err(RunError::Failed { failure, residue }),
            Ok(summary) => Ok(Summary { residue, ..summary }),
        }
    }

    /// Opens the output and the ring, and releases the command.
    fn arm(
        &mut self,
        live: &mut Live<'_>,
        stop_after: Option<Duration>,
        held: Option<Held>,
    ) -> Result<(), Failure> {
        if let Some(wait) = stop_after {
            self.wakeups.stop.start(wait).map_err(Failure::system("timerfd_settime"))?;
        }
        self.output.empty().map_err(|errno| self.output.failure(errno.into()))?;
        let ring = live.ring.insert(Ring::open(live.applied.directory())?);
        self.pipeline.merge = Merge::new(ring.cpus());
        if self.pipeline.dropped().is_some() {
            self.pipeline.filter().set_stacks(stacks(live.applied.directory())?);
        }
        self.wakeups.watch_data(ring.readable()).map_err(Failure::system("epoll_ctl"))?;
        if let Some(fd) = self.output.fd() {
            self.wakeups.watch(Cause::OutputClosed, fd).map_err(Failure::system("epoll_ctl"))?;
        }
        if let Some(held) = held {
            let running = self.running.insert(held.release()?);
            self.wakeups.watch(Cause::Command, running.ended()).map_err(Failure::system("epoll_ctl"))?;
        }
        self.draw_status()
    }

    /// Streams records until the session ends.
    fn follow(&mut self, signals: &Signals, live: &mut Live<'_>) -> Result<Ended, Failure> {
        let Some(ring) = &mut live.ring else { return Ok(Ended::OutputClosed) };
        loop {
            let ready = self.wakeups.wait().map_err(Failure::system("epoll_wait"))?;
            if ready.cause == Some(Cause::Pause) {
                self.pause(signals, live.applied.directory())?;
                continue;
            }
            if let Some(cause) = ready.cause
                && let Some(ended) = self.ended_by(cause, signals)?
            {
                return Ok(ended);
            }
            if ready.batch && !self.pipeline.merge.holds_any() {
                self.wakeups.batch.stop().map_err(Failure::system("timerfd_settime"))?;
                self.wakeups.set_data(ring.readable(), true).map_err(Failure::system("epoll_ctl"))?;
            } else if (ready.batch || ready.data)
                && let Some(ended) = self.batch(ring)?
            {
                return Ok(ended);
            }
            if ready.status {
                self.draw_status()?;
            }
        }
    }

    fn ended_by(&mut self, cause: Cause, signals: &Signals) -> Result<Option<Ended>, Failure> {
        Ok(match (cause, &mut self.running) {
            (Cause::Signal, running) => {
                let arrived = signals.next().map_err(Failure::system("read of signals"))?;
                if let (Some(signal), Some(running)) = (arrived, running)
                    && signal.is_to_be_passed_on()
                {
                    running.terminate().map_err(Failure::system("pidfd_send_signal"))?;
                }
                arrived.map(|signal| Ended::Signal(signal.number))
            }
            (Cause::Command, Some(running)) => {
                Some(Ended::CommandExited(running.wait().map_err(Failure::system("waitid"))?))
            }
            (Cause::Command, None) | (Cause::Pause, _) => None,
            (Cause::StopAfter, _) => Some(Ended::StopAfter),
            (Cause::OutputClosed, _) => Some(Ended::OutputClosed),
        })
    }

    /// Switches recording off while the process is stopped. If it was off before, by a trigger or a clause, it stays off.
    fn pause(&mut self, signals: &Signals, instance: &Directory) -> Result<(), Failure> {
        self.status.clear();
        let records = instance.read_to_string(TRACING_ON)?.trim() == "1";
        let begin = Instant::now();
        if records {
            set_recording(instance, false)?;
        }
        signals.stop().map_err(Failure::system("rt_sigprocmask"))?;
        if records {
            set_recording(instance, true)?;
        }
        self.paused += begin.elapsed();
        self.draw_status()
    }

    /// Reads the ring once, writes the records that are due, and sets the time of the next batch.
    fn batch(&mut self, ring: &mut Ring) -> Result<Option<Ended>, Failure> {
        if self.output.on_terminal {
            self.status.clear();
        }
        self.wakeups.set_data(ring.readable(), false).map_err(Failure::system("epoll_ctl"))?;
        let hurry = ring.drain(&mut self.pipeline.merge)?;
        let pass = self.pipeline.end_pass();
        let wait = if hurry && pass.is_ok() { Duration::ZERO } else { BATCH };
        self.wakeups.batch.start(wait).map_err(Failure::system("timerfd_settime"))?;
        match pass.and_then(|()| self.pipeline.flush()) {
            Ok(()) => self.draw_status().map(|()| None),
            // The cause of the stall is returned by the next wait.
            Err(SinkError::Stalled) => Ok(None),
            Err(SinkError::Closed) => Ok(Some(Ended::OutputClosed)),
            Err(error) => Err(sink_failure(self.output, error)),
        }
    }

    /// Stops recording and reads the rest of the ring. Returns the number of records that each CPU lost.
    fn stop(&mut self, live: &mut Live<'_>) -> Result<Vec<(u32, u64)>, Failure> {
        let instance = live.applied.directory();
        set_recording(instance, false)?;
        if let Some(ring) = &mut live.ring {
            ring.drain_all(&mut self.pipeline.merge)?;
        }
        Ok(ring::lost(instance)?)
    }

    /// Writes the remaining records and returns the summary, without the residue.
    fn conclude(
        &mut self,
        ended_by: Ended,
        lost: &[(u32, u64)],
        elapsed: Duration,
    ) -> Result<Summary, Failure> {
        let output_complete = self.show_rest(ended_by, lost)?;
        let (mut command_status, mut command_running) = (None, None);
        if let Some(running) = &mut self.running {
            // After a signal the command is expected to end soon.
            let patience = if matches!(ended_by, Ended::Signal(_)) { LAST_WORDS } else { Duration::ZERO };
            command_status = running.wait_at_most(patience).map_err(Failure::system("waitid"))?;
            command_running = command_status.is_none().then(|| running.pid());
        }
        let counts = self.pipeline.counts();
        Ok(Summary {
            records: counts.records,
            dropped: self.pipeline.dropped(),
            lost: counts.losses(lost),
            unknown: counts.unknown,
            ended_by,
            elapsed,
            command_status,
            command_running,
            output_complete,
            residue: Vec::new(),
        })
    }

    /// Writes the remaining records. Returns whether the output accepted all of them.
    fn show_rest(&mut self, ended: Ended, lost: &[(u32, u64)]) -> Result<bool, Failure> {
        let forget = Failure::system("epoll_ctl");
        self.wakeups.forget(self.wakeups.stop.as_fd()).map_err(&forget)?;
        if let Some(fd) = self.output.fd() {
            self.wakeups.forget(fd).map_err(&forget)?;
        }
        if let Some(running) = &self.running {
            self.wakeups.forget(running.ended()).map_err(&forget)?;
        }
        match ended {
            Ended::OutputClosed => return Ok(false),
            Ended::Signal(_) => self.patience.limit(LAST_WORDS),
            Ended::StopAfter | Ended::CommandExited(_) => {}
        }
        match self.pipeline.finish(lost) {
            Ok(()) => Ok(true),
            Err(SinkError::Closed | SinkError::Stalled) => Ok(false),
            Err(error) => Err(sink_failure(self.output, error)),
        }
    }

    fn draw_status(&mut self) -> Result<(), Failure> {
        let counts = self.pipeline.counts();
        let wait = self.status.update(counts.records, self.pipeline.dropped(), counts.lost());
        let timer = &self.wakeups.status;
        wait.map_or_else(|| timer.stop(), |wait| timer.start(wait))
            .map_err(Failure::system("timerfd_settime"))
    }
}

/// Switches the recording of an instance on or off.
fn set_recording(instance: &Directory, on: bool) -> Result<(), Failure> {
    instance.write(TRACING_ON, if on { b"1" } else { b"0" }).map_err(|failure| Failure::Control {
        path: instance.path().join(TRACING_ON),
        errno: failure.errno(),
    })
}

/// Returns the stacks that an instance's options write after each record. A kernel without stacks has no such options.
fn stacks(instance: &Directory) -> Result<Stacks, TracefsError> {
    let is_on = |option: &str| -> Result<bool, TracefsError> {
        let path = format!("options/{option}");
        Ok(instance.exists(&path)? && instance.read_to_string(&path)?.trim() == "1")
    };
    Ok(Stacks { kernel: is_on("stacktrace")?, user: is_on("userstacktrace")? })
}

fn discard(output: &Opened, error: RunError) -> RunError {
    let Err(left) = output.discard() else { return error };
    match error {
        RunError::Failed { failure, mut residue } => {
            residue.push(left);
            RunError::Failed { failure, residue }
        }
        RunError::Apply(apply) => RunError::Apply(apply),
    }
}

fn sink_failure(output: &Opened, error: SinkError) -> Failure {
    let source = match error {
        SinkError::Io(source) => source,
        SinkError::Closed => io::ErrorKind::BrokenPipe.into(),
        SinkError::Stalled => io::ErrorKind::WouldBlock.into(),
    };
    output.failure(source)
}

//! What a session does for the clients of its control.

use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use tracec_kernel::plan::{Plan, Span};
use tracec_kernel::tables::{files, limits};

use super::{Pause, Supervisor};
use crate::control::{Answer, Control, Controlled, Demand, Difference, SnapshotTo, State, Status};
use crate::failure::Failure;
use crate::record::ring;
use crate::session::drift::Baseline;
use crate::session::live::{Live, Recorders};
use crate::session::newest;
use crate::session::switch::is_recording;
use crate::session::wakeups::CONTROL;
use crate::session::{Ended, Kept};
use crate::sink::Form;
use crate::tracefs::{Directory, Tracefs};

/// The clients of a session, and what they have asked for.
pub(super) struct Controlling<'a> {
    control: &'a mut Control,
    /// The pause that a client has asked for.
    pause: Option<Pause>,
    baseline: Baseline,
    /// When the session was armed.
    armed: Option<Instant>,
    /// Whether a client has emptied the ring.
    is_cleared: bool,
}

impl<'a> Controlling<'a> {
    pub(super) fn new(control: &'a mut Control) -> Self {
        Controlling { control, pause: None, baseline: Baseline::default(), armed: None, is_cleared: false }
    }
}

impl Controlling<'_> {
    pub(super) fn was_cleared(&self) -> bool {
        self.is_cleared
    }

    /// Answers the client that waits for a snapshot.
    pub(super) fn answer_snapshot(&mut self, answer: Answer) {
        self.control.answer_snapshot(&answer);
    }
}

/// A session and all that a client can ask it about.
struct Asked<'s, 'a, 'l> {
    supervisor: &'s mut Supervisor<'a>,
    live: &'s mut Live<'l>,
    tracefs: &'s Tracefs,
    plan: &'s Plan,
    pause: &'s mut Option<Pause>,
    baseline: &'s Baseline,
    armed: Option<Instant>,
    is_cleared: &'s mut bool,
}

impl Supervisor<'_> {
    /// Lets clients ask from now on. Returns the end of the session, if whoever started it has gone.
    pub(super) fn begin_control(
        &mut self,
        live: &Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
    ) -> Result<Option<Ended>, Failure> {
        let Some(Controlling { control, baseline, armed, .. }) = &mut self.control else { return Ok(None) };
        self.wakeups.add(CONTROL, control.ready()).map_err(Failure::system("epoll_ctl"))?;
        *baseline = Baseline::of(tracefs, live.instance(), &plan.transaction);
        *armed = Some(Instant::now());
        let goes_on = control.armed().map_err(Failure::system("timerfd_settime"))?;
        Ok((!goes_on).then_some(Ended::Unattended))
    }

    /// Answers the clients. Returns the end of the session, if they ask for it.
    pub(super) fn serve(
        &mut self,
        live: &mut Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
    ) -> Result<Option<Ended>, Failure> {
        // It is put back below: what it asks of the session, the session does itself.
        let Some(Controlling { control, mut pause, baseline, armed, mut is_cleared }) = self.control.take()
        else {
            return Ok(None);
        };
        let mut asked = Asked {
            supervisor: self,
            live,
            tracefs,
            plan,
            pause: &mut pause,
            baseline: &baseline,
            armed,
            is_cleared: &mut is_cleared,
        };
        let demand = control.serve(Some(&mut asked));
        self.control = Some(Controlling { control, pause, baseline, armed, is_cleared });
        if let (Some(Demand::Stop), Some(running)) = (demand, &self.running) {
            running.terminate().map_err(Failure::system("pidfd_send_signal"))?;
        }
        Ok(demand.map(|demand| match demand {
            Demand::Stop => Ended::Stopped,
            Demand::Unconfirmed => Ended::Unconfirmed,
        }))
    }

    /// Answers the clients once everything is put back.
    pub(super) fn serve_late(&mut self) {
        if let Some(Controlling { control, .. }) = &mut self.control {
            // That the session is to end is known.
            control.serve(None);
        }
    }

    /// Returns whether a client has paused the session.
    pub(super) fn is_held(&self) -> bool {
        self.control.as_ref().is_some_and(|control| control.pause.is_some())
    }

    /// Returns for how long it has been paused by a client until now.
    pub(super) fn held_for(&self) -> Duration {
        let pause = self.control.as_ref().and_then(|control| control.pause.as_ref());
        pause.map_or(Duration::ZERO, |pause| pause.begin.elapsed())
    }
}

impl Asked<'_, '_, '_> {
    /// Returns the instance that tracefs records into.
    fn instance(&self) -> Result<&Directory, String> {
        let instance = self.live.instance().filter(|_| self.plan.has_ring());
        instance.ok_or_else(|| "programs record this session, and it has no ring in tracefs".to_owned())
    }
}

impl Controlled for Asked<'_, '_, '_> {
    fn status(&mut self) -> Result<Status, String> {
        let counts = self.supervisor.renderer.as_ref().map(|renderer| renderer.rendered().counts);
        let records = counts.map_or(self.supervisor.last.0.counts.records, |counts| counts.records);
        let age = self.armed.map(|armed| armed.elapsed()).unwrap_or_default();
        let held = self.pause.as_ref().map_or(Duration::ZERO, |pause| pause.begin.elapsed());
        let mut status = Status {
            state: State::Running,
            age_ms: milliseconds(age),
            recorded_ms: milliseconds(age.saturating_sub(self.supervisor.paused + held)),
            records,
            lost: 0,
            fill_percent: None,
            overwritten: None,
            covered_ms: None,
            unconfirmed_ms: None,
        };
        if let Some(Recorders { of, loaded, .. }) = &self.live.programs {
            let losses = loaded.losses(of).map_err(|error| error.failure(of).to_string())?;
            status.lost += losses.cpus.iter().map(|(_, lost)| lost).sum::<u64>();
        }
        if let Ok(instance) = self.instance() {
            let failed = |error: crate::tracefs::TracefsError| error.to_string();
            let stats = ring::stats(instance).map_err(failed)?;
            let size = instance.read_to_string("buffer_size_kb").map_err(failed)?;
            status.fill_percent = Some(ring::fullest(&stats, &size));
            let lost = match self.plan.life.ring {
                None => ring::lost(&stats),
                Some(_) => {
                    let (Kept { overwritten, covered, .. }, lost) =
                        newest::kept(&stats, &self.supervisor.dumps);
                    status.records = ring::held(&stats);
                    status.overwritten = Some(overwritten);
                    status.covered_ms = covered.map(milliseconds);
                    lost
                }
            };
            status.lost += lost.iter().map(|(_, lost)| lost).sum::<u64>();
            if !is_recording(instance).map_err(failed)? {
                status.state = State::Off;
            }
        }
        if self.pause.is_some() {
            status.state = State::Paused;
        }
        Ok(status)
    }

    fn pause(&mut self) -> Result<(), String> {
        if self.pause.is_none() {
            *self.pause = Some(Supervisor::hold(self.live).map_err(|failure| failure.to_string())?);
        }
        Ok(())
    }

    fn resume(&mut self) -> Result<(), String> {
        let Some(pause) = self.pause.take() else { return Err("the session is not paused".to_owned()) };
        self.supervisor.go_on(self.live, &pause).map_err(|failure| failure.to_string())
    }

    fn mark(&mut self, text: &str) -> Result<(), String> {
        let length = text.len();
        if length == 0 || text.contains('\0') {
            return Err("the text of a mark is not empty, and has no NUL".to_owned());
        }
        if length > limits::MARKER_BYTES {
            let most = limits::MARKER_BYTES;
            return Err(format!("the text has {length} bytes, and kernels such as 6.1 keep {most}"));
        }
        let instance = self.instance()?;
        match is_recording(instance) {
            Ok(true) => {}
            Ok(false) => return Err("the session does not record now".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
        instance
            .write(files::TRACE_MARKER, text.as_bytes())
            .map_err(|failure| format!("{}: {}", files::TRACE_MARKER, failure.errno()))
    }

    fn clear(&mut self) -> Result<(), String> {
        if self.plan.life.ring.is_none() {
            let why =
                "its records are written as they come: `clear` empties the ring of a session with `ring`";
            return Err(why.to_owned());
        }
        if self.plan.has_dumps() {
            return Err(
                "each of its dumps begins where the one before ended: `clear` would leave a gap".to_owned()
            );
        }
        let instance = self.instance()?;
        // Truncating empties the rings (kernel/trace/trace.c, `tracing_open`).
        let opened = instance.open("trace", OFlags::WRONLY | OFlags::TRUNC);
        opened.map(drop).map_err(|error| error.to_string())?;
        *self.is_cleared = true;
        Ok(())
    }

    fn snapshot(&mut self, to: Option<SnapshotTo>) -> Result<(), String> {
        self.instance()?;
        if self.plan.life.ring.is_none() {
            let why = "its records are written as they come: `snapshot` is for a session with `ring`";
            return Err(why.to_owned());
        }
        if self.plan.reading.without_children.is_some() {
            let why = "its scope leaves out children, and the records of a ring do not say who was a child";
            return Err(why.to_owned());
        }
        let named = |SnapshotTo { path, form }: SnapshotTo| {
            Form::named(&form).map(|form| (path, form)).map_err(|error| error.to_string())
        };
        let to = to.map(named).transpose()?;
        self.supervisor.snapshot(to, self.live, (self.tracefs, self.plan))
    }

    fn drift(&mut self, clause: &dyn Fn(Span) -> String) -> Result<Vec<Difference>, String> {
        let is_paused = self.pause.is_some();
        let is_expected = |file: &tracec_kernel::plan::Location| {
            is_paused && file.in_instance().is_some_and(|path| path.as_str() == "tracing_on")
        };
        Ok(self.baseline.differences((self.tracefs, self.live.instance()), clause, is_expected))
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

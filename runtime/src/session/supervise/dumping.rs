//! The dumps and snapshots of a session: when they begin, and what becomes of them.

use std::path::PathBuf;
use std::time::Instant;

use tracec_kernel::plan::{Plan, Watch};

use super::{LAST_WORDS, Supervisor};
use crate::control::Answer;
use crate::failure::Failure;
use crate::record::Dump;
use crate::session::Ended;
use crate::session::dumps::{Done, Of};
use crate::session::live::Live;
use crate::sink::Form;
use crate::tracefs::Tracefs;

impl Supervisor<'_> {
    /// Begins the dumps that are due.
    pub(super) fn dump(
        &mut self,
        live: &mut Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
    ) -> Result<(), Failure> {
        for (index, came) in std::mem::take(&mut self.due) {
            // One that ends the session comes first.
            let is_within = self.period.last().is_none_or(|last| came.first <= last);
            if let (Some(files), true) = (plan.watches.get(index).and_then(Watch::dump), is_within) {
                self.dumps.begin((index, files, came), (tracefs, plan, &self.reading), live)?;
            }
        }
        Ok(())
    }

    /// Takes note of a wake-up of the thread that writes dumps.
    pub(super) fn dumped(&mut self, live: &mut Live<'_>, plan: &Plan) -> Result<(), Failure> {
        if let Some(last) = self.written(plan)?
            && let Some(watching) = live.watches.get_mut(last)
        {
            watching.end()?;
        }
        Ok(())
    }

    /// Takes note of a dump that is done. Returns the index of a watch that has written its last one.
    fn written(&mut self, plan: &Plan) -> Result<Option<usize>, Failure> {
        let Some(dumper) = self.dumps.dumper() else { return Ok(None) };
        let written = dumper.heard();
        if let Some(panic) = dumper.panic() {
            self.panic = Some(panic);
        }
        let Some(written) = written else { return Ok(None) };
        let Done { last, answer } = self.dumps.done(written, plan)?;
        self.answer(answer, plan);
        Ok(last)
    }

    /// Answers the client that has asked for a snapshot, once it is written or given up.
    fn answer(&mut self, answer: Option<Result<Dump, String>>, plan: &Plan) {
        let last = plan.life.ring.and_then(|ring| ring.last);
        if let (Some(answer), Some(controlling)) = (answer, &mut self.control) {
            controlling.answer_snapshot(match answer {
                Ok(dump) => Answer::Snapshot { dump, last },
                Err(why) => Answer::Refused { why },
            });
        }
    }

    /// Begins to write what the ring holds now, for a client.
    pub(super) fn snapshot(
        &mut self,
        to: Option<(PathBuf, &'static Form)>,
        live: &mut Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
    ) -> Result<(), String> {
        let of = Of { tracefs, plan, reading: &self.reading, files: &self.snapshots };
        self.dumps.take(to, of, live).unwrap_or_else(|failure| Err(failure.to_string()))
    }

    /// Takes the snapshot of the trigger, of a session that has stopped to record and whose ring was read.
    pub(super) fn take_triggered(
        &mut self,
        live: &mut Live<'_>,
        (tracefs, plan): (&Tracefs, &Plan),
    ) -> Result<(), Failure> {
        let of = Of { tracefs, plan, reading: &self.reading, files: &self.snapshots };
        self.dumps.take_triggered(of, live)
    }

    /// Waits until a dump is written. After a signal, or once one arrives, a file that takes nothing for [`LAST_WORDS`] is
    /// left.
    pub(super) fn finish_dump(&mut self, ended: Ended, plan: &Plan) -> Result<(), Failure> {
        let limit = matches!(ended, Ended::Signal(_) | Ended::Stopped).then_some(LAST_WORDS);
        let mut since = Instant::now();
        while (self.dumps.is_writing() || self.dumps.go_on()) && self.panic.is_none() {
            let steps = self.dumps.dumper().map(|dumper| dumper.progress().steps());
            let left = limit.map(|limit| limit.saturating_sub(since.elapsed()));
            let ready = self.wakeups.wait(left).map_err(Failure::system("epoll_wait"))?;
            if ready.control {
                // A client does not lengthen the wait, nor end it.
                self.serve_late();
                if !ready.dump && ready.cause.is_none() {
                    continue;
                }
            }
            since = Instant::now();
            if ready.dump {
                self.written(plan)?;
            } else if ready.cause.is_some()
                || self.dumps.dumper().map(|dumper| dumper.progress().steps()) == steps
            {
                let Done { answer, .. } = self.dumps.give_up();
                self.answer(answer, plan);
            }
        }
        if let Some(dumper) = self.dumps.dumper() {
            self.wakeups.forget(dumper.wake()).map_err(Failure::system("epoll_ctl"))?;
        }
        Ok(())
    }
}

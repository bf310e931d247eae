//! A session whose transactions are applied, with what reads from its instances: what is put back at its end.

use std::path::Path;

use rustc_hash::FxHashMap;
use tracec_kernel::plan::{Plan, Programs};

use super::apply::{Applied, Tasks, apply_with, arm};
use super::error::RunError;
use super::source::Source;
use super::watches::Watching;
use crate::failure::{Failure, Residue};
use crate::load::Loaded;
use crate::record::host::Stacks;
use crate::record::layouts::of_running;
use crate::record::ring::Ring;
use crate::tracefs::{Directory, Tracefs, TracefsError};

/// An applied session. The ring's files are closed before the plan is undone, also when this is dropped: otherwise
/// rmdir would return EBUSY.
pub(super) struct Live<'t> {
    pub(super) ring: Option<Source>,
    /// The snapshot of its instance, in a session with dumps, if the kernel has snapshots.
    pub(super) snapshot: Option<Ring>,
    /// What it waits for.
    pub(super) watches: Vec<Watching<'t>>,
    pub(super) programs: Option<Recorders<'t>>,
    /// `None` for a session that changes nothing.
    pub(super) applied: Option<Applied<'t>>,
}

/// The programs of a session that records by them.
pub(super) struct Recorders<'t> {
    pub(super) of: &'t Programs,
    pub(super) loaded: Loaded,
    /// The number of each event on the running kernel.
    pub(super) tracepoints: FxHashMap<&'t str, u16>,
}

impl Live<'_> {
    /// Returns the directory of its instance.
    pub(super) fn instance(&self) -> Option<&Directory> {
        self.applied.as_ref().map(Applied::directory)
    }

    /// Returns the rings of its instance.
    pub(super) fn rings(&self) -> Result<Option<Ring>, Failure> {
        self.instance().map(Ring::open).transpose()
    }

    pub(super) fn put_back(self) -> Vec<Residue> {
        drop(self.programs);
        drop((self.ring, self.snapshot));
        let mut residue: Vec<Residue> = self.watches.into_iter().flat_map(Watching::put_back).collect();
        let undone = self.applied.map_or(Ok(()), Applied::undo);
        residue.extend(undone.err().map_or(Vec::new(), |error| error.residue));
        residue
    }
}

/// Applies the transactions of a plan. The session is armed before what it waits for, so that it has recorded an event that
/// ends it, and its recording is switched on last.
pub(super) fn apply<'t>(
    tracefs: &'t Tracefs,
    plan: &Plan,
    runtime_dir: &Path,
    tasks: &Tasks,
) -> Result<Live<'t>, RunError> {
    let mut live = Live { ring: None, snapshot: None, watches: Vec::new(), programs: None, applied: None };
    if plan.transaction.is_empty() {
        return Ok(live);
    }
    if plan.watches.is_empty() {
        live.applied = Some(apply_with(tracefs, &plan.transaction, runtime_dir, tasks)?);
        return Ok(live);
    }
    let arming = plan.transaction.arming();
    live.applied = Some(arm(tracefs, &plan.transaction, runtime_dir, (tasks, arming))?);
    for (index, watch) in plan.watches.iter().enumerate() {
        let opened = apply_with(tracefs, &watch.transaction, runtime_dir, tasks)
            .map_err(|error| RunError::of_watch(error, index))
            .and_then(|applied| {
                let reading = of_running(&watch.reading, tracefs)?;
                Ok(Watching::open(watch, applied, &reading)?)
            });
        match opened {
            Ok(opened) => live.watches.push(opened),
            Err(error) => return Err(error.with_residue(live.put_back())),
        }
    }
    if let Some(applied) = &mut live.applied
        && let Err(error) = applied.finish(&plan.transaction, arming, tasks)
    {
        return Err(RunError::from(error).with_residue(live.put_back()));
    }
    Ok(live)
}

/// Returns the stacks that an instance's options write after each record. A kernel without stacks has no such options.
pub(super) fn stacks(instance: &Directory) -> Result<Stacks, TracefsError> {
    let is_on = |option: &str| -> Result<bool, TracefsError> {
        let path = format!("options/{option}");
        Ok(instance.exists(&path)? && instance.read_to_string(&path)?.trim() == "1")
    };
    Ok(Stacks { kernel: is_on("stacktrace")?, user: is_on("userstacktrace")? })
}

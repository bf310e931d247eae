//! What a ring has kept: it is read when the session ends.

use std::time::Duration;

use tracec_kernel::plan::KeptRing;

use super::Kept;
use super::dumps::{Dumps, Taken};
use super::source::Source;
use crate::failure::Failure;
use crate::record::pass::Pass;
use crate::record::period::Period;
use crate::record::ring;
use crate::record::stats::Overwritten;

/// Reads what a ring has kept since its last dump. `now` is the time of its clock at the end, if it is known.
///
/// Records before the time that is asked for are left out.
pub(super) fn read(
    ring: &mut Source,
    (kept, now): (KeptRing, Option<u64>),
    dumps: &mut Dumps,
    period: &Period,
) -> Result<Vec<Pass>, Failure> {
    let (mut passes, layout) = (Vec::new(), ring.layout());
    ring.drain_rest(|pass| passes.push(pass))?;
    let Taken { passes, .. } = dumps.taken(passes, &layout)?;
    dumps.begin_period(period);
    if let Some(last) = kept.last {
        let newest = || passes.iter().map(Pass::newest).max().unwrap_or(0);
        // The time goes on after the newest record.
        let end = period.last().or(now).unwrap_or_else(newest);
        period.begin(end.saturating_sub(u64::try_from(last.as_nanos()).unwrap_or(u64::MAX)));
    }
    Ok(passes)
}

/// Returns what the rings of all CPUs have kept since the last dump, by the texts of their `stats`, and the number of records
/// that each has lost otherwise. A CPU that has overwritten nothing has all of them.
pub(super) fn kept(stats: &[(u32, String)], dumps: &Dumps) -> (Kept, Vec<(u32, u64)>) {
    let (cpus, lost) = ring::overwritten(stats);
    let since = cpus.into_iter().map(|(cpu, overwritten)| Overwritten {
        records: overwritten.records.saturating_sub(dumps.overwritten(cpu)),
        ..overwritten
    });
    let cpus: Vec<Overwritten> = since.collect();
    let overwritten = cpus.iter().fold(0, |sum, cpu| cpu.records.saturating_add(sum));
    let full = cpus.iter().filter(|cpu| cpu.records > 0);
    let covered = full.filter_map(|cpu| cpu.covered).min_by(f64::total_cmp);
    let since_dump = dumps.has_begun();
    (Kept { overwritten, since_dump, covered: covered.map(Duration::from_secs_f64) }, lost)
}

//! What a session waits for: the instances in which the events are recorded, and how many came.

use rustix::fd::BorrowedFd;
use tracec_kernel::page::{Lost, PageLayout};
use tracec_kernel::plan::{Reading, Watch};
use tracec_kernel::record::Decoder;

use super::apply::Applied;
use crate::failure::{Failure, Residue};
use crate::record::children::Children;
use crate::record::host::{HostFilter, Stacks};
use crate::record::merge::{Due, Merge};
use crate::record::ring::Ring;

/// One watch of a session that is applied.
pub(super) struct Watching<'t> {
    /// Closed before the instance is removed.
    ring: Ring,
    layout: PageLayout,
    filter: HostFilter,
    merge: Merge,
    decoder: Decoder,
    children: Option<Children>,
    /// The number of records that are still waited for.
    left: u64,
    applied: Applied<'t>,
}

impl<'t> Watching<'t> {
    /// Opens the ring of an instance that is applied. `reading` has the layouts of the running kernel.
    pub(super) fn open(watch: &Watch, applied: Applied<'t>, reading: &Reading) -> Result<Self, Failure> {
        let ring = Ring::open(applied.directory())?;
        let layout = ring.layout();
        let filter = HostFilter::new(&reading.formats, &reading.host, &layout, Stacks::default())?;
        let merge = Merge::new(ring.cpus());
        let decoder = Decoder::new(reading.formats.clone());
        let children =
            reading.without_children.map(|without| Children::new(applied.scoped().clone(), without));
        let left = watch.count;
        Ok(Watching { ring, layout, filter, merge, decoder, children, left, applied })
    }

    /// Returns a descriptor that polls as readable when an event has come.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        self.ring.readable()
    }

    /// Reads the events that have come. Returns the time of the one with which there are enough, once.
    pub(super) fn look(&mut self) -> Result<Option<u64>, Failure> {
        let (pass, _) = self.ring.drain()?;
        if pass.is_empty() {
            return Ok(None);
        }
        let damaged = |(cpu, source)| Failure::Page { cpu, source };
        pass.push_into(&mut self.merge, &mut self.filter, &self.layout).map_err(damaged)?;
        let Watching { merge, decoder, children, left, .. } = self;
        let (mut newest, mut met) = (0, None);
        let count = |due: Due<'_>| -> Result<(), Failure> {
            let (time, events) = match due {
                Due::Record { ring, timestamp, data } => {
                    let counts = decoder.record(data).is_ok_and(|record| {
                        children.as_mut().is_none_or(|children| children.keeps(ring.cpu, &record))
                    });
                    (timestamp, u64::from(counts))
                }
                // An event that was lost has come too.
                Due::Lost { lost: Lost::Count(count), .. } => (newest, count),
                Due::Lost { .. } => (newest, 1),
            };
            newest = newest.max(time);
            if *left > 0 {
                *left = left.saturating_sub(events);
                met = (*left == 0).then_some(time);
            }
            Ok(())
        };
        merge.release_all(count)?;
        Ok(met)
    }

    /// Puts everything back.
    pub(super) fn put_back(self) -> Vec<Residue> {
        drop(self.ring);
        self.applied.undo().err().map_or(Vec::new(), |error| error.residue)
    }
}

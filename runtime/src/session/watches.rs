//! What a session waits for: the instances in which the events are recorded, and how many came.

use rustix::fd::BorrowedFd;
use tracec_kernel::page::{Lost, Page, PageLayout};
use tracec_kernel::plan::{Reading, Watch};
use tracec_kernel::record::Decoder;
use tracec_kernel::selection::Selected;

use super::apply::Applied;
use super::switch::set_recording;
use crate::failure::{Failure, Residue};
use crate::record::children::Children;
use crate::record::host::{HostFilter, Stacks};
use crate::record::ring::{Damaged, Ring};
use crate::tracefs::Directory;

/// What a pass over the ring has found.
struct Found {
    time: u64,
    what: What,
}

enum What {
    Record { cpu: u32, data: Vec<u8> },
    Lost(Lost),
}

/// Events with which there are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Came {
    /// The time of the first.
    pub(super) first: u64,
    /// How many times there were enough again.
    pub(super) more: u64,
}

/// One watch of a session that is applied.
pub(super) struct Watching<'t> {
    /// Closed before the instance is removed.
    ring: Ring,
    layout: PageLayout,
    filter: HostFilter,
    /// The records of a page that the filter keeps.
    kept: Vec<Selected>,
    /// Whether the filter, or who the task is, decides which records count.
    decides: bool,
    decoder: Decoder,
    children: Option<Children>,
    /// How many records it takes, and the number of those that are still waited for.
    count: u64,
    left: u64,
    /// Whether it waits again once there are enough.
    again: bool,
    applied: Applied<'t>,
}

impl<'t> Watching<'t> {
    /// Opens the ring of an instance that is applied. `reading` has the layouts of the running kernel.
    pub(super) fn open(watch: &Watch, applied: Applied<'t>, reading: &Reading) -> Result<Self, Failure> {
        let ring = Ring::open(applied.directory())?;
        let layout = ring.layout();
        let filter = HostFilter::new(&reading.formats, &reading.host, &layout, Stacks::default())?;
        let decides = !filter.keeps_all() || reading.without_children.is_some();
        let decoder = Decoder::new(reading.formats.clone());
        let children =
            reading.without_children.map(|without| Children::new(applied.scoped().clone(), without));
        let (count, again) = (watch.count, watch.dump().is_some());
        let (kept, left) = (Vec::new(), count);
        Ok(Watching { ring, layout, filter, kept, decides, decoder, children, count, left, again, applied })
    }

    /// Returns a descriptor that polls as readable when an event has come.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        self.ring.readable()
    }

    /// Reads the events that have come. Returns the time of the first with which there are enough, if there are.
    ///
    /// An event that was lost has come too, unless a condition decides here which records count.
    pub(super) fn look(&mut self) -> Result<Option<Came>, Failure> {
        let pass = self.ring.drain()?;
        let mut found: Vec<Found> = Vec::new();
        for (lane, cpu, bytes) in pass.pages() {
            let damaged = |source| Failure::Page { cpu, source };
            let page = Page::new(&self.layout, bytes).map_err(damaged)?;
            if page.lost() != Lost::None {
                self.filter.lost(lane);
                found.push(Found { time: page.timestamp(), what: What::Lost(page.lost()) });
            }
            let mut entries = page.entries();
            self.filter.keep(&mut entries, (lane, cpu), &mut self.kept).map_err(damaged)?;
            found.extend(self.kept.iter().map(|kept| Found {
                time: kept.timestamp,
                what: What::Record { cpu, data: kept.record(entries.bytes()).to_vec() },
            }));
        }
        // Those of one CPU are in order, and stay so.
        found.sort_by_key(|found| found.time);
        let mut came: Option<Came> = None;
        for Found { time, what } in found {
            let events = match what {
                What::Record { cpu, data } => u64::from(self.counts(cpu, &data)),
                What::Lost(_) if self.decides => 0,
                What::Lost(Lost::Count(count)) => count,
                What::Lost(_) => 1,
            };
            if self.left == 0 || events < self.left {
                self.left = self.left.saturating_sub(events);
                continue;
            }
            let (behind, count) = (events - self.left, self.count.max(1));
            let (again, left) = if self.again { (behind / count, count - behind % count) } else { (0, 0) };
            self.left = left;
            match &mut came {
                None => came = Some(Came { first: time, more: again }),
                Some(came) => came.more += 1 + again,
            }
        }
        Ok(came)
    }

    /// Returns whether a record is one of an event that is waited for.
    fn counts(&mut self, cpu: u32, data: &[u8]) -> bool {
        let Watching { decoder, children, .. } = self;
        decoder
            .record(data)
            .is_ok_and(|record| children.as_mut().is_none_or(|children| children.keeps(cpu, &record)))
    }

    /// Waits for nothing more.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        self.left = 0;
        set_recording(self.directory(), false)
    }

    /// Returns the pages that could not be read. Their events count as one each.
    pub(super) fn damaged(&self) -> &[Damaged] {
        self.ring.damaged()
    }

    /// Returns whether it waits for events.
    pub(super) fn waits(&self) -> bool {
        self.left > 0
    }

    /// Returns the instance.
    pub(super) fn directory(&self) -> &Directory {
        self.applied.directory()
    }

    /// Puts everything back.
    pub(super) fn put_back(self) -> Vec<Residue> {
        drop(self.ring);
        self.applied.undo().err().map_or(Vec::new(), |error| error.residue)
    }
}

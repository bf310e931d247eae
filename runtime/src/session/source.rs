//! Where the records of a session come from: the rings of its instance, the ring buffer of its programs, or both.

use rustix::event::epoll;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use tracec_kernel::page::PageLayout;

use crate::failure::Failure;
use crate::load::SampleRing;
use crate::record::pass::Pass;
use crate::record::ring::{Damaged, Fill, Ring};

/// The most times that rings which are full are read after recording has stopped: others may have switched it on again.
const LAST_PASSES: u32 = 16;

/// A source of records.
#[derive(Debug)]
pub(super) enum Source {
    /// The rings of an instance. While they are open, it cannot be removed (EBUSY).
    Instance(Ring),
    /// The ring of BPF programs.
    Programs(SampleRing),
    /// Both, the lanes of the instance first.
    Both(Both),
}

/// The rings of an instance and the ring of BPF programs.
#[derive(Debug)]
pub(super) struct Both {
    instance: Ring,
    programs: SampleRing,
    readable: OwnedFd,
    layout: PageLayout,
}

impl Source {
    /// Returns the source of a session that has both.
    ///
    /// # Errors
    /// [`Failure`], also if the kernel's pages are not as those that the records of programs are made into.
    pub(super) fn both(instance: Ring, programs: SampleRing) -> Result<Source, Failure> {
        let (own, other) = (instance.layout(), programs.layout());
        // The size is only the most that a page has.
        let layout = PageLayout { size: own.size.max(other.size), ..own };
        if layout != (PageLayout { size: layout.size, ..other }) {
            let reason = "the pages of this kernel's ring buffer are not those of a 64-bit kernel: let programs record all \
                          events, with `recorder bpf;`";
            return Err(Failure::of_programs(None, reason));
        }
        let failed = Failure::system("epoll");
        let readable = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(&failed)?;
        for source in [instance.readable(), programs.readable()] {
            epoll::add(&readable, source, epoll::EventData::new_u64(0), epoll::EventFlags::IN)
                .map_err(&failed)?;
        }
        Ok(Source::Both(Both { instance, programs, readable, layout }))
    }

    /// Returns the CPUs in the order of their lanes.
    pub(super) fn cpus(&self) -> Vec<u32> {
        match self {
            Source::Instance(ring) => ring.cpus().collect(),
            Source::Programs(ring) => ring.cpus().collect(),
            Source::Both(both) => both.instance.cpus().chain(both.programs.cpus()).collect(),
        }
    }

    /// Returns a descriptor that polls as readable when there are records.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        match self {
            Source::Instance(ring) => ring.readable(),
            Source::Programs(ring) => ring.readable(),
            Source::Both(both) => both.readable.as_fd(),
        }
    }

    /// Returns the layout of its pages.
    pub(super) fn layout(&self) -> PageLayout {
        match self {
            Source::Instance(ring) => ring.layout(),
            Source::Programs(ring) => ring.layout(),
            Source::Both(both) => both.layout,
        }
    }

    /// Reads records into a pass that is empty: all that there are, or so many that they can be held. Returns how full the
    /// source was.
    pub(super) fn drain(&mut self, spare: Pass) -> Result<(Pass, Fill), Failure> {
        match self {
            Source::Instance(ring) => ring.drain_into(spare),
            Source::Programs(ring) => ring.drain(),
            Source::Both(both) => {
                let (mut pass, fill) = both.instance.drain_into(spare)?;
                let (programs, other) = both.programs.drain()?;
                pass.append(programs);
                Ok((pass, fill.max(other)))
            }
        }
    }

    /// Returns the pages that could not be read.
    pub(super) fn damaged(&self) -> Vec<Damaged> {
        match self {
            Source::Instance(ring) | Source::Both(Both { instance: ring, .. }) => ring.damaged().to_vec(),
            Source::Programs(_) => Vec::new(),
        }
    }

    /// Reads the remaining records after recording has stopped, a pass at a time.
    ///
    /// A pass reads a part of the ring of each CPU, and ends early where pages were not full.
    pub(super) fn drain_rest(&mut self, mut each: impl FnMut(Pass)) -> Result<(), Failure> {
        let passes = match self {
            Source::Instance(ring) | Source::Both(Both { instance: ring, .. }) => ring.passes(),
            Source::Programs(_) => 1,
        };
        for _ in 0..u64::from(LAST_PASSES).saturating_mul(passes) {
            let (pass, _) = self.drain(Pass::default())?;
            let is_all = pass.is_all();
            each(pass);
            if is_all {
                break;
            }
        }
        Ok(())
    }
}

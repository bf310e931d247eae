//! Where the records of a session come from: the rings of its instance, or the ring buffer of its programs.

use std::ops::Range;

use rustix::fd::BorrowedFd;
use tracec_kernel::page::PageLayout;

use crate::failure::Failure;
use crate::load::SampleRing;
use crate::record::pass::Pass;
use crate::record::ring::{Fill, Ring};

/// A source of records.
#[derive(Debug)]
pub(super) enum Source {
    /// The rings of an instance. While they are open, it cannot be removed (EBUSY).
    Instance(Ring),
    /// The ring of BPF programs.
    Programs(SampleRing),
}

impl Source {
    /// Returns the CPUs in the order of their lanes.
    pub(super) fn cpus(&self) -> Vec<u32> {
        match self {
            Source::Instance(ring) => ring.cpus().collect(),
            Source::Programs(ring) => Range::collect(ring.cpus()),
        }
    }

    /// Returns a descriptor that polls as readable when there are records.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        match self {
            Source::Instance(ring) => ring.readable(),
            Source::Programs(ring) => ring.readable(),
        }
    }

    /// Returns the layout of its pages.
    pub(super) fn layout(&self) -> PageLayout {
        match self {
            Source::Instance(ring) => ring.layout(),
            Source::Programs(ring) => ring.layout(),
        }
    }

    /// Reads the records that there are, and returns how full the source was.
    pub(super) fn drain(&mut self) -> Result<(Pass, Fill), Failure> {
        match self {
            Source::Instance(ring) => ring.drain(),
            Source::Programs(ring) => ring.drain(),
        }
    }
}

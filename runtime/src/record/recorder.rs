//! Writes the pages of a live session to a trace.dat file: as the kernel gave them, or with the records that the host's
//! conditions keep.
//!
//! A page that is read before it is full has room for what the next one has. Such pages are joined, entry by entry as they
//! are, so that a file does not consist of half-empty pages.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use rustix::fd::OwnedFd;
use tracec_kernel::page::{Lost, Page, PageBuilder, PageError, PageLayout};
use tracec_kernel::plan::Reading;
use tracec_kernel::selection::Selected;
use tracec_kernel::shown::{Blanks, ShownEvent};

use super::facts::Facts;
use super::host::HostFilter;
use super::losses::Losses;
use super::merge::plus;
use super::names::Names;
use super::pass::{Pass, Placed, Threads, is_full};
use super::pipeline::Counts;
use super::trace_dat::{LiveFile, option};
use crate::sink::progress::Progress;
use crate::sink::{Ring, SinkError, UNKNOWN};

/// What a session knows of its rings once it has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RingEnd {
    /// The number of records that each CPU has lost.
    pub(crate) lost: Vec<(u32, u64)>,
    /// The text of each CPU's `stats`.
    pub(crate) stats: Vec<(u32, String)>,
}

/// The reason why a pass cannot be recorded.
#[derive(Debug)]
pub(crate) enum RecordError {
    Page(u32, PageError),
    Sink(SinkError),
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        RecordError::Sink(error.into())
    }
}

/// A file that the pages of a session are written to.
pub(crate) struct Recorder {
    /// The file that was opened, until it is begun.
    opened: Option<OwnedFd>,
    /// What each file begins with: each an id and a body. The instance of the session may be gone when one is begun.
    sections: Option<[(u16, Vec<u8>); 3]>,
    file: Option<LiveFile>,
    layout: PageLayout,
    clock: String,
    /// The events of the session: system and name.
    events: Vec<(String, String)>,
    /// What is shown of some of them, and the bytes of records that are not.
    shown: Vec<ShownEvent>,
    blanks: Blanks,
    /// A record of which a part is not shown.
    blanked: Vec<u8>,
    lanes: Vec<Lane>,
    facts: Facts,
    names: Names,
    /// The threads that have records, and those among them whose name is known.
    threads: FxHashSet<i32>,
    /// Those of the records of a page that a filter keeps.
    of_kept: Threads,
    known: BTreeMap<i32, Box<[u8]>>,
    progress: Arc<Progress>,
    kept: Vec<Selected>,
    /// The page that is being written.
    page: Vec<u8>,
    /// The full pages of a pass, which are written after the others.
    runs: Vec<Run>,
    /// Whether there are files before this one.
    is_continued: bool,
    pub(crate) counts: Counts,
}

/// A CPU.
struct Lane {
    cpu: u32,
    builder: PageBuilder,
    /// Records that were lost before the page that is being put together.
    lost: Lost,
    /// The offset of that page among those of the CPU.
    at: u64,
    /// Whether it has records that are not in the file.
    is_new: bool,
    /// The time of the last page that was taken.
    time: u64,
}

/// Successive full pages, which are written at once: a call for each page costs some times as much as its bytes.
struct Run {
    /// The lane, and the offset among the pages of its CPU.
    lane: usize,
    at: u64,
    /// The place in the pass.
    place: Range<usize>,
}

impl Recorder {
    /// Creates a recorder of the rings of some CPUs, whose pages have a layout, to an empty file that was opened for
    /// reading and writing.
    pub(crate) fn new(
        opened: OwnedFd,
        (reading, layout): (&Reading, PageLayout),
        cpus: Vec<u32>,
        (facts, names): (Facts, Names),
        progress: Arc<Progress>,
    ) -> Self {
        let lane = |cpu| Lane {
            cpu,
            builder: PageBuilder::new(layout),
            lost: Lost::None,
            at: 0,
            is_new: false,
            time: 0,
        };
        let events =
            reading.formats.iter().map(|format| (format.system.to_string(), format.name.to_string()));
        Recorder {
            opened: Some(opened),
            sections: None,
            file: None,
            layout,
            clock: reading.clock.clone(),
            events: events.collect(),
            shown: reading.shown.clone(),
            blanks: Blanks::new(&reading.shown, &reading.formats, &layout),
            blanked: Vec::new(),
            lanes: cpus.into_iter().map(lane).collect(),
            facts,
            names,
            threads: FxHashSet::default(),
            of_kept: Threads::default(),
            known: BTreeMap::new(),
            progress,
            kept: Vec::new(),
            page: Vec::new(),
            runs: Vec::new(),
            is_continued: false,
            counts: Counts::default(),
        }
    }

    /// Writes the start of the file.
    pub(crate) fn begin(&mut self) -> Result<(), SinkError> {
        let Some(opened) = self.opened.take() else { return Ok(()) };
        let sections = match self.sections.take() {
            Some(sections) => sections,
            None => [
                (option::HEADER_INFO, self.facts.header()),
                (option::FTRACE_EVENTS, self.facts.tracers()?),
                (option::EVENT_FORMATS, self.facts.events(&self.events, &self.shown)?),
            ],
        };
        let cpus: Vec<u32> = self.lanes.iter().map(|lane| lane.cpu).collect();
        let file = LiveFile::begin(opened.into(), &sections, (&self.clock, self.layout.size), &cpus)?;
        self.file = Some(file);
        self.sections = Some(sections);
        self.progress.step();
        Ok(())
    }

    /// Returns the number of bytes of the pages that the file has.
    pub(crate) fn size(&self) -> u64 {
        self.file.as_ref().map_or(0, LiveFile::size)
    }

    /// Ends the file, and goes on in another, which is empty. What the rings say of themselves is in the last one.
    pub(crate) fn go_on_in(&mut self, next: OwnedFd) -> Result<(), SinkError> {
        self.complete(&[])?;
        self.lanes.iter_mut().for_each(|lane| lane.at = 0);
        self.is_continued = true;
        self.opened = Some(next);
        self.begin()
    }

    /// Writes the pages of a pass, or what a filter keeps of them. Readers get to know of them with those of the pass that
    /// follows at once, if one does.
    pub(crate) fn take(
        &mut self,
        pass: &Pass,
        filter: &mut HostFilter,
        is_followed: bool,
    ) -> Result<(), RecordError> {
        self.take_pages(pass, filter)?;
        if !is_followed {
            self.show_all()?;
        }
        self.learn();
        self.counts.released = self.counts.records;
        self.progress.step();
        Ok(())
    }

    /// Lets readers know of all that was written, behind an error.
    pub(crate) fn keep(&mut self) {
        if let Some(file) = &mut self.file {
            // That it cannot be noted either is not the reason.
            let _ = file.note();
        }
    }

    fn take_pages(&mut self, pass: &Pass, filter: &mut HostFilter) -> Result<(), RecordError> {
        self.runs.clear();
        if self.takes_all(filter) {
            self.threads.extend(pass.threads());
        }
        for placed in pass.places() {
            if self.progress.is_left() {
                return Err(RecordError::Sink(SinkError::Closed));
            }
            let page = Page::new(&self.layout, pass.part(placed.bytes.clone()));
            let page = page.map_err(|error| RecordError::Page(placed.cpu, error))?;
            self.page((&page, placed), filter)?;
        }
        self.threads.extend(self.of_kept.drain());
        if let Some(file) = &mut self.file {
            for Run { lane, at, place } in self.runs.drain(..) {
                file.pages(lane, at, pass.part(place))?;
            }
        }
        Ok(())
    }

    /// Lets readers know of all that was taken.
    fn show_all(&mut self) -> Result<(), RecordError> {
        for lane in 0..self.lanes.len() {
            self.show(lane)?;
        }
        if let Some(file) = &mut self.file {
            file.note()?;
        }
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn finish(&mut self, end: &RingEnd) -> Result<(), SinkError> {
        for lane in 0..self.lanes.len() {
            self.commit(lane)?;
            self.write_loss(lane, &end.lost)?;
        }
        self.complete(&end.stats)
    }

    /// Writes what a lane has lost behind its last record, in a page without records. `counted` is what the rings counted.
    fn write_loss(&mut self, index: usize, counted: &[(u32, u64)]) -> io::Result<()> {
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(()) };
        let Losses { counted: reported, uncounted } = self.counts.lost_of(Ring { buffer: 0, cpu: lane.cpu });
        let all = counted.iter().find(|(cpu, _)| *cpu == lane.cpu).map_or(0, |(_, lost)| *lost);
        // Where the pages do not say all numbers, the rest may be one of those, and the file has the sum.
        let unreported = if uncounted == 0 { all.saturating_sub(reported) } else { 0 };
        if unreported > 0 {
            self.counts.lose(Ring { buffer: 0, cpu: lane.cpu }, Lost::Count(unreported));
            lane.lost = plus(lane.lost, Lost::Count(unreported));
        }
        let lost = std::mem::replace(&mut lane.lost, Lost::None);
        if lost == Lost::None {
            return Ok(());
        }
        self.page.clear();
        PageBuilder::empty(self.layout, lane.time, lost, &mut self.page);
        self.write(index)
    }

    /// Writes what belongs behind the pages. `stats` are the texts of CPUs that the file gets.
    fn complete(&mut self, stats: &[(u32, String)]) -> Result<(), SinkError> {
        for lane in 0..self.lanes.len() {
            self.commit(lane)?;
        }
        let Some(file) = self.file.take() else { return Ok(()) };
        self.learn();
        let progress = Arc::clone(&self.progress);
        let step = || progress.step();
        let (facts, known, cpus) = (&self.facts, &self.known, self.lanes.len());
        let is_continued = self.is_continued;
        file.finish(&step, |writer| {
            for (id, body) in [
                (option::KALLSYMS, facts.symbols(&step)?),
                (option::PRINTK, facts.strings()),
                (option::CMDLINES, facts.names(known)),
            ] {
                writer.section(id, &body, &[])?;
                step();
            }
            // Readers take the counts of a CPU for those of the file.
            let of_all = if is_continued { " in all files" } else { "" };
            for (cpu, stats) in stats {
                writer.option(option::CPUSTAT, format!("CPU: {cpu}{of_all}\n{stats}\0").as_bytes())?;
            }
            writer.option(option::TRACECLOCK, &[facts.clocks(&self.clock).as_bytes(), b"\0"].concat())?;
            writer.option(option::UNAME, &facts.machine())?;
            writer.option(option::VERSION, concat!("tracec ", env!("CARGO_PKG_VERSION"), "\0").as_bytes())?;
            let count = u32::try_from(cpus).unwrap_or(u32::MAX);
            writer.option(option::CPUCOUNT, &count.to_ne_bytes())
        })?;
        step();
        Ok(())
    }

    /// Takes a page of a lane.
    fn page(
        &mut self,
        (page, placed): (&Page<'_>, Placed),
        filter: &mut HostFilter,
    ) -> Result<(), RecordError> {
        let Placed { lane: index, cpu, .. } = placed;
        if let Some(lane) = self.lanes.get_mut(index) {
            lane.time = lane.time.max(page.timestamp());
        }
        if page.lost() != Lost::None {
            self.counts.lose(Ring { buffer: 0, cpu }, page.lost());
            filter.lost(index);
            // The number stands at the start of a page.
            self.commit(index)?;
            if let Some(lane) = self.lanes.get_mut(index) {
                lane.lost = plus(lane.lost, page.lost());
            }
        }
        let mut kept = std::mem::take(&mut self.kept);
        let written = self.kept_page((page, placed), filter, &mut kept);
        self.kept = kept;
        written
    }

    fn kept_page(
        &mut self,
        (page, placed): (&Page<'_>, Placed),
        filter: &mut HostFilter,
        kept: &mut Vec<Selected>,
    ) -> Result<(), RecordError> {
        let Placed { lane: index, cpu, bytes: place, records: all } = placed;
        if self.takes_all(filter) {
            // They were counted where they were read.
            self.counts.records += all;
            return self.whole_page(index, page, place);
        }
        let damaged = |error| RecordError::Page(cpu, error);
        let mut entries = page.entries();
        filter.keep(&mut entries, (index, cpu), kept).map_err(damaged)?;
        for record in kept.iter().map(|kept| kept.record(entries.bytes())) {
            self.of_kept.note(record);
        }
        let count = kept.len() as u64;
        self.counts.records += count;
        // What a filter of the kernel has discarded is still in the bytes of a page.
        if count == all && self.blanks.is_empty() {
            return self.whole_page(index, page, place);
        }
        let mut blanked = std::mem::take(&mut self.blanked);
        for record in kept.iter() {
            let data = self.blanks.shown(record.record(entries.bytes()), &mut blanked);
            if self.add(index, record.timestamp, data) {
                continue;
            }
            self.commit(index)?;
            if !self.add(index, record.timestamp, data) {
                return Err(damaged(PageError::Entry { offset: record.offset as usize }));
            }
        }
        self.blanked = blanked;
        Ok(())
    }

    /// Returns whether all records are kept, and all of each.
    fn takes_all(&self, filter: &HostFilter) -> bool {
        filter.decides_nothing() && self.blanks.is_empty()
    }

    /// Adds a record to the page that a lane puts together. Returns whether it fits.
    fn add(&mut self, index: usize, time: u64, record: &[u8]) -> bool {
        let Some(lane) = self.lanes.get_mut(index) else { return true };
        let fits = lane.builder.add(time, record);
        lane.is_new |= fits;
        fits
    }

    /// Takes a page of which all records are kept: as it is, or joined with others if it has room for more.
    fn whole_page(&mut self, index: usize, page: &Page<'_>, place: Range<usize>) -> Result<(), RecordError> {
        let is_full = is_full(page.used(), &self.layout);
        if is_full {
            self.commit(index)?;
        }
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(()) };
        let cpu = lane.cpu;
        // It says itself what was lost before it, unless all records of those before it were dropped.
        if is_full && lane.lost == page.lost() {
            lane.lost = Lost::None;
            self.run(index, place);
            return Ok(());
        }
        if self.join(index, page)? {
            return Ok(());
        }
        self.commit(index)?;
        match self.join(index, page)? {
            true => Ok(()),
            false => Err(RecordError::Page(cpu, PageError::Entry { offset: 0 })),
        }
    }

    /// Lets a full page be written behind those of a lane, with the one before it in the pass if that is before it in the
    /// file.
    fn run(&mut self, index: usize, place: Range<usize>) {
        let Some(lane) = self.lanes.get_mut(index) else { return };
        let at = lane.at;
        lane.at += u64::from(self.layout.size);
        match self.runs.last_mut() {
            Some(run)
                if run.lane == index
                    && run.place.end == place.start
                    && run.at + run.place.len() as u64 == at =>
            {
                run.place.end = place.end;
            }
            _ => self.runs.push(Run { lane: index, at, place }),
        }
    }

    /// Adds the entries of a page to the one that a lane puts together. Returns whether they fit.
    fn join(&mut self, index: usize, page: &Page<'_>) -> Result<bool, RecordError> {
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(true) };
        let fits = lane.builder.append(page).map_err(|error| RecordError::Page(lane.cpu, error))?;
        lane.is_new |= fits;
        Ok(fits)
    }

    /// Writes the page that a lane puts together as far as it is, and goes on with it.
    fn show(&mut self, index: usize) -> io::Result<()> {
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(()) };
        if !std::mem::take(&mut lane.is_new) {
            return Ok(());
        }
        self.page.clear();
        lane.builder.copy(lane.lost, &mut self.page);
        let at = lane.at;
        self.put(index, at)
    }

    /// Writes the page that a lane puts together, if it has a record, and begins another.
    fn commit(&mut self, index: usize) -> io::Result<()> {
        let Some(lane) = self.lanes.get_mut(index).filter(|lane| !lane.builder.is_empty()) else {
            return Ok(());
        };
        self.page.clear();
        lane.builder.take(lane.lost, &mut self.page);
        (lane.lost, lane.is_new) = (Lost::None, false);
        self.write(index)
    }

    /// Writes a page behind those of a lane.
    fn write(&mut self, index: usize) -> io::Result<()> {
        let at = self.lanes.get(index).map_or(0, |lane| lane.at);
        self.put(index, at)?;
        if let Some(lane) = self.lanes.get_mut(index) {
            lane.at += u64::from(self.layout.size);
        }
        Ok(())
    }

    /// Writes a page of a lane at an offset, filled to its size.
    fn put(&mut self, index: usize, at: u64) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        self.page.resize(self.layout.size as usize, 0);
        match &mut self.file {
            Some(file) => file.pages(index, at, &self.page),
            None => Ok(()),
        }
    }

    /// Looks for the names of threads that have records and no name yet: a thread that ends takes its name along.
    fn learn(&mut self) {
        self.names.begin_batch();
        let (names, known) = (&mut self.names, &mut self.known);
        self.threads.retain(|thread| {
            if known.contains_key(thread) {
                return false;
            }
            let name = names.comm(*thread);
            let is_known = name != UNKNOWN;
            if is_known && *thread != 0 {
                known.insert(*thread, name.into());
            }
            !is_known
        });
    }
}

#[cfg(test)]
mod tests;

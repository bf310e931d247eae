//! A trace.dat file with the records of another that a filter keeps.

use std::fs::File;
use std::io::{self, Seek, Write};

use rustc_hash::FxHashMap;
use tracec_kernel::page::{Lost, PageBuilder, PageError, PageLayout};
use tracec_kernel::shown::{Blanks, ShownEvent};

use super::host::HostFilter;
use super::lanes::{self, LaneSource, Lanes, with_lanes};
use super::merge::{Due, plus};
use super::pipeline::Counts;
use super::report::Report;
use super::shown::formats_shown;
use super::trace_dat::{
    Buffer, CpuData, Damage, Form, OtherPages, RewriteError, Rewritten, TraceDat, TraceDatError, rewrite_with,
};

/// What was written.
#[derive(Debug, Default)]
pub struct Filtered {
    /// The counts of records.
    pub report: Report,
    /// The file.
    pub rewritten: Rewritten,
}

/// Writes the records of a recording that a filter keeps to `out`, in a form: with the stacks that follow them, the marks of
/// records that were lost, and all that the file says of the machine. The pages of CPUs are read in this many threads.
/// Records and layouts are those that are `shown`.
///
/// Records are put into pages anew, so that no page is half empty. A loss stays in front of the record behind it. The counts
/// of each CPU that the file states (CPUSTAT) are those of the recording.
///
/// # Errors
/// [`RewriteError`]. What was written until then is not a recording.
pub fn write_filtered<W: Write + Seek>(
    file: &mut TraceDat<File>,
    (filter, shown): (&HostFilter, &[ShownEvent]),
    threads: usize,
    out: W,
    form: Form,
) -> Result<(W, Filtered), RewriteError> {
    let lanes = lanes::count([&*file]);
    if lanes > lanes::MOST_LANES {
        let why = format!("it would have {lanes} CPUs, and at most {} can be written", lanes::MOST_LANES);
        return Err(io::Error::other(why).into());
    }
    // What reads the pages beside the file knows no layouts.
    let blanks = Blanks::new(shown, &file.formats, &file.layout);
    // The pages are read beside what else is copied of the file.
    let pages = file.beside()?;
    with_lanes(&[LaneSource { file: &pages, filter }], threads, true, |lanes| {
        let mut kept = Kept {
            lanes,
            index: FxHashMap::default(),
            layout: pages.layout,
            counts: Counts::default(),
            damage: Damage::default(),
            shown,
            blanks,
        };
        for (lane, data) in pages.buffers.iter().flat_map(|buffer| &buffer.cpus).enumerate() {
            kept.index.insert(data.offset, lane);
        }
        let (out, mut rewritten) = rewrite_with(file, out, form, &mut kept)?;
        // What is damaged was not lost by a ring.
        if kept.damage.is_empty() {
            kept.counts.state(pages.stated_losses());
        }
        let (dropped, outside) = kept.lanes.dropped(0);
        let dropped = (!filter.keeps_all()).then_some(dropped);
        let report = Report::of(&kept.counts, dropped, outside);
        rewritten.damage.append(kept.damage);
        Ok((out, Filtered { report, rewritten }))
    })
}

/// The lanes of the recording, as pages.
struct Kept<'l, 'f, 's> {
    lanes: &'l mut Lanes<'f>,
    /// The lane of the pages at an offset of the file. No pages belong to two CPUs.
    index: FxHashMap<u64, usize>,
    layout: PageLayout,
    counts: Counts,
    /// What could not be read of the pages.
    damage: Damage,
    shown: &'s [ShownEvent],
    blanks: Blanks,
}

impl OtherPages for Kept<'_, '_, '_> {
    fn formats(&self, body: &[u8], big_endian: bool) -> Result<Vec<u8>, RewriteError> {
        match self.shown {
            [] => Ok(body.to_vec()),
            shown => Ok(formats_shown(body, big_endian, shown)?),
        }
    }

    fn pages(
        &mut self,
        buffer: &Buffer,
        data: &CpuData,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), RewriteError> {
        // CPUs that were not asked for have no lane.
        let Some(&lane) = self.index.get(&data.offset) else { return Ok(()) };
        let layout = PageLayout { size: buffer.page_size, ..self.layout };
        let (mut builder, mut page, mut blanked) = (PageBuilder::new(layout), Vec::new(), Vec::new());
        // What was lost before the page that is put together, and behind it.
        let (mut before, mut behind, mut time) = (Lost::None, Lost::None, 0);
        let too_long = || TraceDatError::Page {
            cpu: data.cpu,
            offset: data.offset,
            source: PageError::Entry { offset: 0 },
        };
        loop {
            let due = match self.lanes.next_of(lane) {
                Ok(Some(due)) => due,
                Ok(None) => break,
                // That records were lost is next.
                Err(error) => {
                    self.damage.add(0, error);
                    continue;
                }
            };
            let (timestamp, record) = match due {
                Due::Lost { ring, lost } => {
                    self.counts.lose(ring, lost);
                    behind = plus(behind, lost);
                    continue;
                }
                Due::Record { timestamp, data, .. } => (timestamp, data),
            };
            let record = self.blanks.shown(record, &mut blanked);
            self.counts.records += 1;
            time = timestamp;
            if behind == Lost::None && builder.add(timestamp, record) {
                continue;
            }
            // The mark of a loss is in the head of a page.
            page.clear();
            builder.take(before, &mut page);
            if !page.is_empty() {
                write(&page)?;
            }
            before = std::mem::replace(&mut behind, Lost::None);
            if !builder.add(timestamp, record) {
                self.damage.add(0, too_long());
                behind = plus(behind, Lost::Unknown);
            }
        }
        page.clear();
        builder.take(before, &mut page);
        if !page.is_empty() {
            write(&page)?;
        }
        if behind != Lost::None {
            page.clear();
            PageBuilder::empty(layout, time, behind, &mut page);
            write(&page)?;
        }
        Ok(())
    }
}

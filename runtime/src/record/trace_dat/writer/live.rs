//! A file of version 7 that can be read at every moment while its CPUs are recorded.
//!
//! A file has the pages of a CPU in one piece, and all CPUs record at the same time. So each gets a region of the file
//! that is far larger than what it will hold; what is not written is a hole. The option of the buffer says how much of each
//! region is used, and is written again after each batch of pages. At the end the regions are moved together, one after
//! the other.
//!
//! Where the file system can, the holes are taken out of the file (`FALLOC_FL_COLLAPSE_RANGE`), which moves no bytes; but all
//! offsets behind a hole change at once. For that moment the options are in the hole, twice: at its start those that are
//! true before, and at its end those that are true afterwards, which then are where the others were. Elsewhere the pages are
//! copied: the option names those of a CPU where they were until they are complete at their new place. Either way a reader
//! learns of it by reading the option again behind the pages (`moving.rs`).

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, FallocateFlags, fadvise, fallocate, fstat, fstatfs};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::super::{Compression, option};
use super::{Head, Output, Writer, too_large};

/// The largest region. Its file has holes, and may have many of them: ext4 holds 16 TiB.
const LARGEST_REGION: u64 = 64 << 30;

/// The most bytes of all regions together.
const ALL_REGIONS: u64 = 8 << 40;

/// How many bytes are written at once. File systems with large folios allocate those of a write together, and look for
/// memory in one piece, which takes long for more.
const WRITTEN: usize = 256 << 10;

/// How many bytes are moved at once.
const MOVED: usize = 1 << 20;

/// How many bytes are given to the disk at once before they are moved with a hole.
const FLUSHED: u64 = 8 << 20;

/// The largest blocks of a file system that regions are aligned to.
const LARGEST_BLOCK: u64 = 1 << 20;

/// ext4 (statfs(2)). It looks for blocks page by page where none were reserved, which takes a quarter of the time of a write.
const EXT4: i64 = 0xef53;

/// How many bytes are reserved at once where that makes writing cheaper.
const RESERVED: u64 = 4 << 20;

/// The size of an entry of a CPU in the option: its number, an offset and a size.
const ENTRY: u64 = 4 + 8 + 8;

/// A file that is being recorded.
pub(crate) struct LiveFile {
    writer: Writer<File>,
    /// The same file, for what is written at its place.
    file: File,
    /// The offset of the section of pages, and that of the first CPU's entry in the option that names it.
    section: u64,
    table: u64,
    /// The place of the section with that option.
    options: Range<u64>,
    /// Where the offset of that section is.
    link: u64,
    /// What regions are aligned to.
    unit: u64,
    /// The size of a region.
    room: u64,
    regions: Vec<Region>,
    /// Whether space is reserved before it is written.
    reserves: bool,
    /// Whether the file system can take holes out of a file, as far as is known.
    collapses: bool,
}

/// The pages of a CPU.
#[derive(Clone, Copy, Debug)]
struct Region {
    cpu: u32,
    begin: u64,
    size: u64,
    /// The number of bytes that have space.
    reserved: u64,
    is_noted: bool,
}

impl LiveFile {
    /// Begins an empty file of this machine with some sections, each an id and a body, and a buffer of the top level for
    /// these CPUs.
    pub(crate) fn begin(
        file: File,
        sections: &[(u16, Vec<u8>)],
        (clock, page_size): (&str, u32),
        cpus: &[u32],
    ) -> io::Result<Self> {
        // Readers take the size at the head for that of all pages (`update_page_info` in lib/trace-cmd/trace-input.c).
        let head = Head { page_size, ..Head::default() };
        let mut writer = Writer::new(file.try_clone()?, head, Compression::None)?;
        for (id, body) in sections {
            writer.section(*id, body, &[])?;
        }
        writer.options()?;
        let link = writer.next;
        // The option names the section behind its own section: a head, the option, and the last option.
        let count = u32::try_from(cpus.len()).map_err(too_large)?;
        let fixed = 8 + 1 + clock.len() as u64 + 1 + 4 + 4;
        let length = fixed + ENTRY * u64::from(count);
        let options = writer.out.position();
        let section = options + Output::<File>::SECTION + 6 + length + 14;
        let table = options + Output::<File>::SECTION + 6 + fixed;
        // A hole that is taken out of a file has whole blocks of the file system.
        let block = fstat(&file).ok().and_then(|found| u64::try_from(found.st_blksize).ok());
        let block = block.filter(|block| block.is_power_of_two() && *block <= LARGEST_BLOCK).unwrap_or(1);
        let unit = u64::from(page_size.max(1)).max(block);
        let first = (section + Output::<File>::SECTION).next_multiple_of(unit);
        let room = room(first, u64::from(count.max(1)), unit)?;
        let regions = (0..).zip(cpus).map(|(index, cpu)| Region {
            cpu: *cpu,
            begin: first + index * room,
            size: 0,
            reserved: 0,
            is_noted: true,
        });
        let regions: Vec<Region> = regions.collect();
        let mut data = writer.out.u64_bytes(section).to_vec();
        data.push(0);
        data.extend_from_slice(clock.as_bytes());
        data.push(0);
        data.extend_from_slice(&writer.out.u32_bytes(page_size));
        data.extend_from_slice(&writer.out.u32_bytes(count));
        for region in &regions {
            data.extend_from_slice(&region.entry(&writer.out));
        }
        writer.option(option::BUFFER, &data)?;
        writer.options()?;
        // It reaches to the end of the last region, so that whoever goes from section to section is at the end then.
        let size = room * u64::from(count) + first - section - Output::<File>::SECTION;
        let description = writer.describe(option::description(option::BUFFER));
        writer.out.section(option::BUFFER, 0, description, size)?;
        writer.out.flush()?;
        let reserves = fstatfs(&file).is_ok_and(|found| found.f_type == EXT4);
        // Behind the end of a file there is no hole to take out, which a file system says only if it could.
        let collapsed = fallocate(&file, FallocateFlags::COLLAPSE_RANGE, first + room, unit);
        let collapses = collapsed == Err(Errno::INVAL);
        let options = options..section;
        Ok(LiveFile { writer, file, section, table, options, link, unit, room, regions, reserves, collapses })
    }

    /// Writes pages of the CPU of an index, at an offset among its pages. A page may be written again.
    pub(crate) fn pages(&mut self, index: usize, at: u64, pages: &[u8]) -> io::Result<()> {
        let begins = (0_u64..).map(|number| at + number * WRITTEN as u64);
        pages.chunks(WRITTEN).zip(begins).try_for_each(|(pages, at)| self.part(index, at, pages))
    }

    /// Writes some of the pages of the CPU of an index.
    fn part(&mut self, index: usize, at: u64, pages: &[u8]) -> io::Result<()> {
        let Some(region) = self.regions.get_mut(index) else { return Ok(()) };
        let end = at + pages.len() as u64;
        if end > self.room {
            let why =
                format!("cpu {} has recorded {at} bytes, and this file has no room for more", region.cpu);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        if self.reserves && end > region.reserved {
            // Beyond what is written now not more than it has.
            let (begin, reserved) = (region.reserved.max(at), end + RESERVED.min(region.size));
            let keep = FallocateFlags::KEEP_SIZE;
            match fallocate(&self.file, keep, region.begin + begin, reserved - begin) {
                Ok(()) => region.reserved = reserved,
                Err(_) => self.reserves = false,
            }
        }
        let begin = region.begin + at;
        match self.file.write_all_at(pages, begin) {
            Err(error) if error.kind() == io::ErrorKind::StorageFull && self.release() => {
                self.file.write_all_at(pages, begin)?;
            }
            written => written?,
        }
        if let Some(region) = self.regions.get_mut(index).filter(|region| end > region.size) {
            region.size = end;
            region.is_noted = false;
        }
        Ok(())
    }

    /// Gives the space back that was reserved and is not used, and reserves none from now on. Returns whether there was some.
    fn release(&mut self) -> bool {
        self.reserves = false;
        let mut is_some = false;
        for region in &mut self.regions {
            if region.reserved > region.size {
                let (begin, rest) = (region.begin + region.size, region.reserved - region.size);
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                is_some |= fallocate(&self.file, flags, begin, rest).is_ok();
            }
            region.reserved = 0;
        }
        // There is no hole to punch behind the end of a file; what was reserved there is given back with its size.
        is_some && self.file.metadata().and_then(|found| self.file.set_len(found.len())).is_ok()
    }

    /// Returns the number of bytes of its pages.
    pub(crate) fn size(&self) -> u64 {
        self.regions.iter().map(|region| region.size).sum()
    }

    /// Lets readers know of the pages that were written.
    pub(crate) fn note(&mut self) -> io::Result<()> {
        for (index, region) in (0..).zip(&self.regions).filter(|(_, region)| !region.is_noted) {
            self.write_entry(index, region)?;
        }
        self.regions.iter_mut().for_each(|region| region.is_noted = true);
        Ok(())
    }

    /// Moves the regions together and ends the file with what `more` writes. `step` is called now and then.
    ///
    /// On an error the file still has all pages that were noted.
    pub(crate) fn finish(
        mut self,
        step: &dyn Fn(),
        more: impl FnOnce(&mut Writer<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.note()?;
        if self.collapses {
            self.flush(step);
        }
        let mut end = self.regions.first().map_or(self.writer.out.position(), |region| region.begin);
        for index in 0..self.regions.len() {
            if !self.close_gap(index, end)? {
                self.move_to(index, end, step)?;
            }
            end = self.regions.get(index).map_or(end, |region| region.begin + region.size);
        }
        let size = self.writer.out.u64_bytes(end - self.section - Output::<File>::SECTION);
        self.file.write_all_at(&size, self.section + Output::<File>::SECTION - 8)?;
        // What is left of the regions behind it is of no use.
        self.file.set_len(end)?;
        self.writer.out.go_to(end)?;
        more(&mut self.writer)?;
        self.writer.finish().map(drop)
    }

    /// Lets the disk take what is moved with holes: the file system writes it before it moves it, and that in one step may
    /// take long. What is written is not kept in memory either way.
    fn flush(&self, step: &dyn Fn()) {
        for Region { begin, size, .. } in self.regions.iter().skip(1) {
            for at in (0..*size).step_by(FLUSHED as usize) {
                let length = NonZeroU64::new(FLUSHED.min(size - at));
                // It is only sooner.
                let _ = fadvise(&self.file, begin + at, length, Advice::DontNeed);
                step();
            }
        }
    }

    /// Takes the hole before the region of an index out of the file, as far as an offset. Returns whether that was possible.
    fn close_gap(&mut self, index: usize, end: u64) -> io::Result<bool> {
        let Some(region) = self.regions.get(index).filter(|region| self.collapses && region.size > 0) else {
            return Ok(false);
        };
        let length = (self.options.end - self.options.start).next_multiple_of(self.unit);
        let to = end.next_multiple_of(self.unit);
        let Some(from) = region.begin.checked_sub(length).filter(|from| *from >= to + length) else {
            return Ok(false);
        };
        let mut moved = self.regions.clone();
        moved.iter_mut().skip(index).for_each(|region| region.begin -= from - to);
        let prepared = self
            .write_options(to, &self.regions)
            .and_then(|()| self.write_options(from, &moved))
            .and_then(|()| self.name_options(to));
        let is_closed =
            prepared.is_ok() && fallocate(&self.file, FallocateFlags::COLLAPSE_RANGE, to, from - to).is_ok();
        if is_closed {
            self.regions = moved;
            for (index, region) in (0..).zip(&self.regions) {
                self.write_entry(index, region)?;
            }
        }
        // The others are not needed any more.
        self.name_options(self.options.start)?;
        self.collapses = is_closed;
        Ok(is_closed)
    }

    /// Writes the section with the option of the buffer again, at another offset and with other regions.
    fn write_options(&self, at: u64, regions: &[Region]) -> io::Result<()> {
        let mut section = vec![0; (self.options.end - self.options.start) as usize];
        self.file.read_exact_at(&mut section, self.options.start)?;
        let entries: Vec<u8> = regions.iter().flat_map(|region| region.entry(&self.writer.out)).collect();
        let table = (self.table - self.options.start) as usize;
        if let Some(table) = section.get_mut(table..table + entries.len()) {
            table.copy_from_slice(&entries);
        }
        self.file.write_all_at(&section, at)
    }

    /// Says where the section with the option of the buffer is.
    fn name_options(&self, at: u64) -> io::Result<()> {
        self.file.write_all_at(&self.writer.out.u64_bytes(at), self.link)
    }

    /// Writes the entry of a CPU.
    fn write_entry(&self, index: u64, region: &Region) -> io::Result<()> {
        self.file.write_all_at(&region.entry(&self.writer.out), self.table + ENTRY * index)
    }

    /// Copies at most as many bytes within the file as a buffer has, and returns how many: the kernel does it without the
    /// buffer, unless the file system cannot.
    fn copy(&self, from: u64, to: u64, bytes: &mut [u8]) -> io::Result<u64> {
        let (mut source, mut target) = (from, to);
        let file = &self.file;
        match rustix::fs::copy_file_range(file, Some(&mut source), file, Some(&mut target), bytes.len()) {
            Ok(copied) if copied > 0 => Ok(copied as u64),
            _ => {
                file.read_exact_at(bytes, from)?;
                file.write_all_at(bytes, to)?;
                Ok(bytes.len() as u64)
            }
        }
    }

    /// Copies the region of an index to an offset, which is not behind it. One that would overlap its new place stays: until
    /// the option names that, the pages have to be where it says, for readers and where this process is killed.
    fn move_to(&mut self, index: usize, to: u64, step: &dyn Fn()) -> io::Result<()> {
        let Some(region) = self.regions.get(index).copied().filter(|region| to + region.size <= region.begin)
        else {
            return Ok(());
        };
        let mut at = 0;
        let mut bytes = vec![0; MOVED.min(usize::try_from(region.size).unwrap_or(MOVED))];
        while at < region.size {
            let length = (region.size - at).min(bytes.len() as u64) as usize;
            let Some(part) = bytes.get_mut(..length) else { break };
            at += self.copy(region.begin + at, to + at, part)?;
            step();
        }
        let moved = Region { begin: to, ..region };
        self.write_entry(index as u64, &moved)?;
        let (from, to) = (region.begin.max(to + region.size), region.begin + region.size);
        if from < to {
            // What cannot be freed now is when the file is cut.
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            let _ = fallocate(&self.file, flags, from, to - from);
        }
        if let Some(region) = self.regions.get_mut(index) {
            *region = moved;
        }
        Ok(())
    }
}

impl Region {
    /// Returns its entry in the option.
    fn entry(&self, out: &Output<File>) -> Vec<u8> {
        let (offset, size) = (out.u64_bytes(self.begin), out.u64_bytes(self.size));
        [&out.u32_bytes(self.cpu)[..], &offset, &size].concat()
    }
}

/// Returns the size of a region of so many behind an offset: a multiple of a unit, within the limit of this process
/// for files (RLIMIT_FSIZE), since a write beyond it would be a signal.
fn room(first: u64, count: u64, unit: u64) -> io::Result<u64> {
    let mut room = LARGEST_REGION.min(ALL_REGIONS / count);
    if let Some(limit) = getrlimit(Resource::Fsize).current {
        room = room.min(limit.saturating_sub(first) / count);
    }
    match room / unit * unit {
        0 => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, "the limit of this process for files is too low"))
        }
        room => Ok(room),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracec_kernel::page::{Lost, PageBuilder, PageLayout};

    use super::*;
    use crate::record::testing::LAYOUT;
    use crate::record::{Item, Outline, Recording, TraceDat};

    fn header() -> Vec<u8> {
        let length = (LAYOUT.len() as u64).to_ne_bytes();
        [b"header_page\0", &length[..], LAYOUT.as_bytes(), b"header_event\0", &[0; 8]].concat()
    }

    fn page(time: u64) -> Vec<u8> {
        let mut builder = PageBuilder::new(PageLayout::default());
        assert!(builder.add(time, &[0; 8]));
        let mut page = Vec::new();
        builder.take(Lost::None, &mut page);
        page.resize(4096, 0);
        page
    }

    /// Returns the CPUs with pages, each with its number of pages, and the first time of the file.
    fn read(file: &File) -> (Vec<(u32, u64)>, Option<u64>, Outline) {
        let mut found = TraceDat::read(file.try_clone().unwrap()).unwrap();
        let cpus = found.buffers[0].cpus.iter().map(|data| (data.cpu, data.size / 4096)).collect();
        (cpus, found.begin(), found.outline().unwrap())
    }

    #[test]
    fn file_is_readable_at_every_moment_and_small_at_the_end() {
        // With holes that are taken out, where the file system can, and without.
        for (collapses, reserves) in [(true, true), (false, false)] {
            is_readable_at_every_moment(collapses, reserves);
        }
    }

    fn is_readable_at_every_moment(collapses: bool, reserves: bool) {
        let file = tempfile::tempfile().unwrap();
        let sections = [(option::HEADER_INFO, header())];
        let own = file.try_clone().unwrap();
        let mut live = LiveFile::begin(own, &sections, ("mono", 4096), &[0, 1, 5]).unwrap();
        live.collapses &= collapses;
        live.reserves &= reserves;
        assert_eq!(read(&file).0, []);
        live.pages(2, 0, &page(50)).unwrap();
        assert_eq!(read(&file).0, [], "it is not noted");
        live.note().unwrap();
        assert_eq!((read(&file).0, read(&file).1), (vec![(5, 1)], Some(50)));
        // The page is written again, with another one of it and one of another CPU.
        live.pages(2, 0, &page(40)).unwrap();
        live.pages(2, 4096, &page(60)).unwrap();
        live.pages(0, 0, &page(45)).unwrap();
        live.note().unwrap();
        assert_eq!((read(&file).0, read(&file).1), (vec![(0, 1), (5, 2)], Some(40)));
        let steps = AtomicUsize::new(0);
        let step = || {
            steps.fetch_add(1, Ordering::Relaxed);
        };
        live.finish(&step, |writer| writer.option(option::UNAME, b"Linux\0")).unwrap();
        let (cpus, begin, outline) = read(&file);
        assert_eq!((cpus, begin), (vec![(0, 1), (5, 2)], Some(40)));
        assert_eq!(steps.into_inner(), 1, "one region was moved");
        assert_eq!(outline.option(option::UNAME), Some(b"Linux\0".as_slice()));
        let listed: Vec<u32> = outline.buffers[0].cpus.iter().map(|data| data.cpu).collect();
        assert_eq!((listed, outline.buffers[0].clock.as_deref()), (vec![0, 1, 5], Some("mono")));
        assert!(outline.size < 6 * 4096, "{}", outline.size);
    }

    #[test]
    fn options_are_true_before_and_behind_the_moment_in_which_regions_move() {
        let file = tempfile::tempfile().unwrap();
        let sections = [(option::HEADER_INFO, header())];
        let own = file.try_clone().unwrap();
        let mut live = LiveFile::begin(own, &sections, ("mono", 4096), &[0, 1, 5]).unwrap();
        [(0, 10), (1, 20), (2, 30)].iter().for_each(|(cpu, time)| live.pages(*cpu, 0, &page(*time)).unwrap());
        live.note().unwrap();
        let all = (vec![(0, 1), (1, 1), (5, 1)], Some(10));
        let found = || (read(&file).0, read(&file).1);
        let hole = live.regions[0].begin + live.unit;
        live.write_options(hole, &live.regions).unwrap();
        live.name_options(hole).unwrap();
        assert_eq!(found(), all);
        if !live.collapses {
            return;
        }
        let end = hole + live.unit;
        assert!(live.close_gap(1, end).unwrap());
        assert_eq!((live.regions[1].begin, found()), (end + live.unit, all.clone()));
        live.name_options(end).unwrap();
        assert_eq!(found(), all, "the options that were in the hole");
        // One is too short.
        assert!(!live.close_gap(1, end).unwrap());
        assert_eq!(found(), all);
    }

    /// Returns the times of the records that a reader delivers which was opened before something happens to the file, and
    /// has read some.
    fn times_around(file: &File, change: impl FnOnce()) -> Vec<u64> {
        let mut recording = Recording::of(TraceDat::read(file.try_clone().unwrap()).unwrap());
        let mut events = recording.events();
        let (mut times, mut change) = (Vec::new(), Some(change));
        while let Some(item) = events.next_item().unwrap() {
            let Item::Unknown { timestamp, .. } = item else { panic!("{item:?}") };
            times.push(timestamp);
            if times.len() == 2 {
                change.take().unwrap()();
            }
        }
        times
    }

    #[test]
    fn reader_goes_on_where_the_pages_are_once_the_file_is_complete() {
        for (collapses, later) in [(true, 0), (true, 40), (false, 0), (false, 40)] {
            let file = tempfile::tempfile().unwrap();
            let sections = [(option::HEADER_INFO, header())];
            let own = file.try_clone().unwrap();
            let mut live = LiveFile::begin(own, &sections, ("mono", 4096), &[0, 1, 5]).unwrap();
            live.collapses &= collapses;
            // More than a reader holds of a CPU.
            let count = 60_u64;
            for number in 0..count {
                (0..3).for_each(|cpu| {
                    live.pages(cpu, number * 4096, &page(3 * number + cpu as u64 + 1)).unwrap();
                });
            }
            live.note().unwrap();
            let complete = || {
                for number in count..count + later {
                    (0..3).for_each(|cpu| live.pages(cpu, number * 4096, &page(1000 + number)).unwrap());
                }
                live.finish(&|| {}, |writer| writer.option(option::UNAME, b"Linux\0")).unwrap();
            };
            let times = times_around(&file, complete);
            assert_eq!(times, (1..=3 * count).collect::<Vec<_>>(), "collapses: {collapses}, later: {later}");
        }
    }

    /// Where regions are small, one can be larger than the gap before it.
    #[test]
    fn region_that_would_overlap_its_new_place_stays() {
        let file = tempfile::tempfile().unwrap();
        let sections = [(option::HEADER_INFO, header())];
        let own = file.try_clone().unwrap();
        let mut live = LiveFile::begin(own, &sections, ("mono", 4096), &[0, 1]).unwrap();
        live.collapses = false;
        live.regions[1].begin = live.regions[0].begin + 2 * 4096;
        live.pages(0, 0, &page(1)).unwrap();
        (0..4).for_each(|number| live.pages(1, number * 4096, &page(2 + number)).unwrap());
        live.note().unwrap();
        let times = || times_around(&file, || {});
        let is_whole = || assert_eq!(times(), [1, 2, 3, 4, 5]);
        is_whole();
        live.finish(&is_whole, |writer| writer.option(option::UNAME, b"Linux\0")).unwrap();
        is_whole();
    }

    #[test]
    fn outline_of_a_file_that_was_completed_leads_to_its_pages() {
        let file = tempfile::tempfile().unwrap();
        let sections = [(option::HEADER_INFO, header())];
        let mut live =
            LiveFile::begin(file.try_clone().unwrap(), &sections, ("mono", 4096), &[0, 1]).unwrap();
        live.pages(0, 0, &page(1)).unwrap();
        live.note().unwrap();
        let mut found = TraceDat::read(file.try_clone().unwrap()).unwrap();
        // The reader knows of no pages of this CPU.
        live.pages(1, 0, &page(2)).unwrap();
        live.finish(&|| {}, |writer| writer.option(option::UNAME, b"Linux\0")).unwrap();
        let outline = found.outline().unwrap();
        for (data, time) in outline.buffers[0].cpus.iter().zip([1, 2]) {
            let mut pages = found.raw_pages(data, 4096);
            assert_eq!(pages.next_page().unwrap().unwrap(), page(time), "cpu {}", data.cpu);
            assert!(pages.next_page().unwrap().is_none());
        }
    }

    #[test]
    fn space_that_was_reserved_is_given_back() {
        let file = tempfile::tempfile().unwrap();
        let own = file.try_clone().unwrap();
        let mut live = LiveFile::begin(own, &[], ("mono", 4096), &[0, 1]).unwrap();
        live.reserves = true;
        (0..100).for_each(|number| live.pages(1, number * 4096, &page(number)).unwrap());
        if !live.reserves {
            // The file system cannot.
            return;
        }
        let region = live.regions[1];
        assert!(region.reserved > region.size, "{region:?}");
        let space = || fstat(&file).unwrap().st_blocks;
        let before = space();
        assert!(live.release() && !live.reserves);
        assert!(space() < before);
        live.pages(1, region.size, &page(100)).unwrap();
        assert!(!live.release());
    }

    #[test]
    fn full_region_is_an_error_and_the_file_stays_readable() {
        let file = tempfile::tempfile().unwrap();
        let sections = [(option::HEADER_INFO, header())];
        let mut live = LiveFile::begin(file.try_clone().unwrap(), &sections, ("local", 4096), &[0]).unwrap();
        live.pages(0, live.room - 4096, &page(1)).unwrap();
        let full = live.pages(0, live.room, &page(2)).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::FileTooLarge);
        live.pages(7, 0, &page(3)).unwrap();
    }
}

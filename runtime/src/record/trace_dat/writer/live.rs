//! A file of version 7 that can be read at every moment while its CPUs are recorded.
//!
//! A file has the pages of a CPU in one piece, and all CPUs record at the same time. So each gets a region of the file
//! that is far larger than what it will hold; what is not written is a hole. The option of the buffer says how much of each
//! region is used, and is written again after each batch of pages. At the end the regions are moved together, one after
//! the other: the option names the pages of a CPU where they were until they are complete at their new place.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::FallocateFlags;
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
    /// The size of a region.
    room: u64,
    regions: Vec<Region>,
}

/// The pages of a CPU.
#[derive(Clone, Copy, Debug)]
struct Region {
    cpu: u32,
    begin: u64,
    size: u64,
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
        // The option names the section behind its own section: a head, the option, and the last option.
        let count = u32::try_from(cpus.len()).map_err(too_large)?;
        let fixed = 8 + 1 + clock.len() as u64 + 1 + 4 + 4;
        let length = fixed + ENTRY * u64::from(count);
        let options = writer.out.position();
        let section = options + Output::<File>::SECTION + 6 + length + 14;
        let table = options + Output::<File>::SECTION + 6 + fixed;
        let page = u64::from(page_size.max(1));
        let first = (section + Output::<File>::SECTION).next_multiple_of(page);
        let room = room(first, u64::from(count.max(1)), page)?;
        let regions = (0..).zip(cpus).map(|(index, cpu)| Region {
            cpu: *cpu,
            begin: first + index * room,
            size: 0,
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
        Ok(LiveFile { writer, file, section, table, room, regions })
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
        self.file.write_all_at(pages, region.begin + at)?;
        if end > region.size {
            region.size = end;
            region.is_noted = false;
        }
        Ok(())
    }

    /// Returns the number of bytes of its pages.
    pub(crate) fn size(&self) -> u64 {
        self.regions.iter().map(|region| region.size).sum()
    }

    /// Lets readers know of the pages that were written.
    pub(crate) fn note(&mut self) -> io::Result<()> {
        for (index, region) in (0..).zip(&mut self.regions).filter(|(_, region)| !region.is_noted) {
            self.file.write_all_at(&region.entry(&self.writer.out), self.table + ENTRY * index)?;
            region.is_noted = true;
        }
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
        let mut end = self.regions.first().map_or(self.writer.out.position(), |region| region.begin);
        let mut bytes = vec![0; MOVED];
        for index in 0..self.regions.len() {
            end += self.move_to(index, end, &mut bytes, step)?;
        }
        let size = self.writer.out.u64_bytes(end - self.section - Output::<File>::SECTION);
        self.file.write_all_at(&size, self.section + Output::<File>::SECTION - 8)?;
        // What is left of the regions behind it is of no use.
        self.file.set_len(end)?;
        self.writer.out.go_to(end)?;
        more(&mut self.writer)?;
        self.writer.finish().map(drop)
    }

    /// Copies at most as many bytes within the file as a buffer has, and returns how many: the kernel does it without the
    /// buffer, unless the ranges overlap or the file system cannot.
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

    /// Moves the region of an index to an offset, which is not behind it, and returns its size.
    fn move_to(&mut self, index: usize, to: u64, bytes: &mut [u8], step: &dyn Fn()) -> io::Result<u64> {
        let Some(region) = self.regions.get(index).copied() else { return Ok(0) };
        if region.begin == to {
            return Ok(region.size);
        }
        let mut at = 0;
        while at < region.size {
            let length = (region.size - at).min(bytes.len() as u64) as usize;
            let Some(part) = bytes.get_mut(..length) else { break };
            at += self.copy(region.begin + at, to + at, part)?;
            step();
        }
        let moved = Region { begin: to, ..region };
        self.file.write_all_at(&moved.entry(&self.writer.out), self.table + ENTRY * index as u64)?;
        let (from, to) = (region.begin.max(to + region.size), region.begin + region.size);
        if from < to {
            // What cannot be freed now is when the file is cut.
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            let _ = rustix::fs::fallocate(&self.file, flags, from, to - from);
        }
        if let Some(region) = self.regions.get_mut(index) {
            *region = moved;
        }
        Ok(region.size)
    }
}

impl Region {
    /// Returns its entry in the option.
    fn entry(&self, out: &Output<File>) -> Vec<u8> {
        let (offset, size) = (out.u64_bytes(self.begin), out.u64_bytes(self.size));
        [&out.u32_bytes(self.cpu)[..], &offset, &size].concat()
    }
}

/// Returns the size of a region of so many behind an offset: a multiple of the page size, within the limit of this process
/// for files (RLIMIT_FSIZE), since a write beyond it would be a signal.
fn room(first: u64, count: u64, page: u64) -> io::Result<u64> {
    let mut room = LARGEST_REGION.min(ALL_REGIONS / count);
    if let Some(limit) = getrlimit(Resource::Fsize).current {
        room = room.min(limit.saturating_sub(first) / count);
    }
    match room / page * page {
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
    use crate::record::{Outline, TraceDat};

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
        (cpus, found.begin().unwrap(), found.outline().unwrap())
    }

    #[test]
    fn file_is_readable_at_every_moment_and_small_at_the_end() {
        let file = tempfile::tempfile().unwrap();
        let sections = [(option::HEADER_INFO, header())];
        let own = file.try_clone().unwrap();
        let mut live = LiveFile::begin(own, &sections, ("mono", 4096), &[0, 1, 5]).unwrap();
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

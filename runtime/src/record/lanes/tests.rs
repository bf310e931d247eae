//! The lanes of a made-up recording, beside the same pages read one after the other.

use std::io::{BufWriter, Seek};
use std::path::Path;

use tracec_kernel::condition::ir::{CompareOp, Condition, Number};
use tracec_kernel::page::PageBuilder;
use tracec_kernel::selection::{Numbered, SelectedEvent};

use super::*;
use crate::record::trace_dat::{Compression, Head, Outline, Writer, option};

/// What is next: the ring, the time and the bytes of a record, or what was lost.
type Next = (u32, u64, Vec<u8>, Lost);

/// The threads whose records are kept.
const KEPT: i32 = 3;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Makes a recording of events and stacks on two CPUs, whose clocks step back at times, with losses.
fn made(compression: Compression, seed: u64) -> TraceDat<File> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/small-v7-zstd.dat");
    let mut file = TraceDat::open(&kept).unwrap();
    let Outline { version, big_endian, long_size, page_size, parts, options, .. } = file.outline().unwrap();
    let head = Head { big_endian, long_size, page_size };
    let mut writer = Writer::new(BufWriter::new(tempfile::tempfile().unwrap()), head, compression).unwrap();
    for part in parts.iter().filter(|part| ![option::DONE, option::STRINGS].contains(&part.id)) {
        writer.section(part.id, &file.part(part, version).unwrap(), &[]).unwrap();
    }
    for found in options.iter().filter(|found| found.id != option::BUFFER && found.id > option::CMDLINES) {
        writer.option(found.id, &found.data).unwrap();
    }
    writer.option(option::CPUCOUNT, &2_u32.to_le_bytes()).unwrap();
    let event = file.formats.iter().find(|format| format.name == "sched_switch").unwrap();
    let stack = file.formats.iter().find(|format| format.name == "kernel_stack").unwrap();
    let mut random = Random(seed);
    let mut buffer = writer.buffer("", None, page_size).unwrap();
    for cpu in 0..2 {
        buffer.cpu(cpu).unwrap();
        let (mut builder, mut time, mut page) = (PageBuilder::new(file.layout), 1000, Vec::new());
        for _ in 0..3000 {
            time += random.below(50);
            if random.below(200) == 0 {
                time -= random.below(500);
            }
            let pid = random.below(40) as i32;
            let is_stack = random.below(3) == 0;
            let (id, length) = if is_stack { (stack.id, 8 + 72) } else { (event.id, 64) };
            let mut record = vec![0; length];
            record[..2].copy_from_slice(&id.to_le_bytes());
            record[4..8].copy_from_slice(&pid.to_le_bytes());
            while !builder.add(time, &record) {
                let lost = if random.below(5) == 0 { Lost::Count(random.below(9) + 1) } else { Lost::None };
                page.clear();
                builder.take(lost, &mut page);
                buffer.page(&page).unwrap();
            }
        }
        page.clear();
        builder.take(Lost::None, &mut page);
        buffer.page(&page).unwrap();
    }
    buffer.finish().unwrap();
    let mut file = writer.finish().unwrap().into_inner().unwrap();
    file.rewind().unwrap();
    TraceDat::read(file).unwrap()
}

/// Returns a filter of the switches of some threads, whose stacks follow.
fn filter(file: &TraceDat<File>) -> HostFilter {
    let format = file.formats.iter().find(|format| format.name == "sched_switch").unwrap().clone();
    let pid = Number::Field(format.task_pid().unwrap().clone());
    let condition = Condition::compare(pid, CompareOp::Lt, KEPT.into());
    let event = SelectedEvent { format, conditions: vec![Numbered { number: 0, condition }] };
    HostFilter::of_recorded(&file.formats, vec![event], &file.layout).unwrap()
}

fn next_of(due: &Due<'_>) -> Next {
    match *due {
        Due::Record { ring, timestamp, data } => (ring.cpu, timestamp, data.to_vec(), Lost::None),
        Due::Lost { ring, lost } => (ring.cpu, 0, Vec::new(), lost),
    }
}

/// Reads all pages one after the other.
fn in_turn(file: &mut TraceDat<File>, mut filter: HostFilter) -> (Vec<Next>, Option<Dropped>) {
    let (mut pages, _, _) = file.source();
    let mut all = Vec::new();
    while let Some(due) = pages.next(&mut filter).unwrap() {
        all.push(next_of(&due));
    }
    (all, filter.dropped())
}

/// Reads all pages in threads.
fn in_lanes(file: &TraceDat<File>, filter: &HostFilter, threads: usize) -> (Vec<Next>, Dropped) {
    with_lanes(&[LaneSource { file, filter }], threads, false, |lanes| {
        let mut all = Vec::new();
        while let Some((_, due)) = lanes.next().unwrap() {
            all.push(next_of(&due));
        }
        (all, lanes.dropped(0).0)
    })
}

#[test]
fn sections_are_what_the_pages_are_in_turn() {
    for (seed, compression) in (0..6).flat_map(|seed| [(seed, Compression::None), (seed, Compression::Zstd)])
    {
        let mut file = made(compression, seed);
        let pages = file.buffers[0].cpus[0].length() / 4096;
        assert!(pages > 20, "{pages} pages are in few sections");
        for is_filtered in [false, true] {
            let filter = |file: &_| if is_filtered { filter(file) } else { HostFilter::default() };
            let (of_file, in_turn_too) = (filter(&file), filter(&file));
            let (expected, dropped) = in_turn(&mut file, in_turn_too);
            let has_stacks = expected.iter().any(|(_, _, data, _)| data.len() == 80);
            assert!(has_stacks && expected.iter().any(|(.., lost)| *lost != Lost::None));
            for threads in [1, 2, 3, 5] {
                let (found, of_lanes) = in_lanes(&file, &of_file, threads);
                assert!(found == expected, "seed {seed}, {compression:?}, {threads} threads");
                assert_eq!(of_lanes, dropped.unwrap_or_default(), "seed {seed}, {threads} threads");
            }
        }
    }
}

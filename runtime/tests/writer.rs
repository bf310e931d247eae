//! trace.dat files that are written: the same recording in every form, what is carried over, and ranges of times.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use tracec_kernel::page::{Lost, PageBuilder, PageLayout};
use tracec_runtime::record::{
    Compression, Damage, Extract, Form, Head, Outline, Range, ReportError, RewriteError, Rewritten, TraceDat,
    TraceDatError, Version, Writer, option, report, rewrite,
};
use tracec_runtime::sink::{Event, Ring, Sink, SinkError};

/// The same recording, as trace-cmd writes it in version 6, and in version 7 with zstd.
const VERSION_6: &[u8] = include_bytes!("data/small-v6.dat");
const VERSION_7: &[u8] = include_bytes!("data/small-v7-zstd.dat");

/// Every form.
const FORMS: [Form; 4] = [
    Form { version: Version::Six, compression: Compression::None },
    Form { version: Version::Seven, compression: Compression::None },
    Form { version: Version::Seven, compression: Compression::Zlib },
    Form { version: Version::Seven, compression: Compression::Zstd },
];

/// The time, the CPU, the task and the event of a record; of a loss only the CPU and the number.
type Recorded = (u64, u32, String, String);

#[derive(Default)]
struct Collect {
    records: Vec<Recorded>,
    lost: Vec<(u32, Lost)>,
}

impl Sink for Collect {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let comm = String::from_utf8_lossy(event.comm).into_owned();
        self.records.push((event.timestamp, event.cpu, comm, event.record.format.name.to_string()));
        Ok(())
    }

    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.lost.push((ring.cpu, lost));
        Ok(())
    }
}

fn read(bytes: &[u8]) -> TraceDat<Cursor<&[u8]>> {
    TraceDat::read(Cursor::new(bytes)).unwrap()
}

fn collect(bytes: &[u8]) -> Collect {
    let mut sink = Collect::default();
    report(&mut read(bytes), &mut sink).unwrap();
    sink
}

fn rewritten(bytes: &[u8], form: Form, range: Option<Range>) -> (Vec<u8>, Rewritten) {
    let extract = Extract { range, ..Extract::default() };
    let (out, rewritten) = rewrite(&mut read(bytes), Cursor::new(Vec::new()), form, &extract).unwrap();
    (out.into_inner(), rewritten)
}

/// Returns an extract of a range of times.
fn extract(from: u64, to: u64) -> Extract {
    Extract { range: Some(Range { from, to }), ..Extract::default() }
}

/// Returns the texts of a file: the parts by their ids, and the options that name no part.
fn texts(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut file = read(bytes);
    let Outline { version, parts, options, .. } = file.outline().unwrap();
    let mut texts = Vec::new();
    for part in parts.iter().filter(|part| ![option::DONE, option::STRINGS].contains(&part.id)) {
        texts.push((part.id, file.part(part, version).unwrap()));
    }
    let plain = |id: u16| (option::STRINGS..=option::BUFFER_TEXT).contains(&id) || id == option::BUFFER;
    texts.extend(options.into_iter().filter(|found| !plain(found.id)).map(|found| (found.id, found.data)));
    texts.sort();
    texts
}

#[test]
fn every_form_has_the_same_records_and_texts() {
    for source in [VERSION_6, VERSION_7] {
        let records = collect(source).records;
        assert!(records.len() > 400);
        for form in FORMS {
            let (other, said) = rewritten(source, form, None);
            assert_eq!((said.left_out, said.cut, said.records), (vec![], 0, 0));
            assert_eq!(collect(&other).records, records, "{form:?}");
            let file = read(&other);
            assert_eq!((file.compression, file.clock()), (form.compression, "local"), "{form:?}");
            let mut expected = texts(source);
            let is_count = |text: &(u16, Vec<u8>)| text.0 == option::CPUCOUNT;
            match form.version {
                // It counts the CPUs in its tables.
                Version::Six => expected.retain(|text| !is_count(text)),
                Version::Seven if expected.iter().any(is_count) => {}
                Version::Seven => expected.push((option::CPUCOUNT, vec![2, 0, 0, 0])),
            }
            expected.sort();
            let found = texts(&other);
            let sizes = |texts: &[(u16, Vec<u8>)]| -> Vec<(u16, usize)> {
                texts.iter().map(|(id, text)| (*id, text.len())).collect()
            };
            assert_eq!(sizes(&found), sizes(&expected), "{form:?}");
            assert!(found == expected, "{form:?}: the texts differ");
            // Once more in each form: nothing is lost on the way.
            for next in FORMS {
                assert_eq!(collect(&rewritten(&other, next, None).0).records, records, "{form:?} {next:?}");
            }
        }
    }
}

#[test]
fn compressed_form_is_smaller_and_version_6_is_not_compressed() {
    let [plain, zlib, zstd] = [1, 2, 3].map(|index| rewritten(VERSION_6, FORMS[index], None).0.len());
    assert!(2 * zlib < plain && 2 * zstd < plain, "{plain} {zlib} {zstd}");
    let form = Form { version: Version::Six, compression: Compression::Zstd };
    let refused = rewrite(&mut read(VERSION_7), Cursor::new(Vec::new()), form, &Extract::default()).err();
    assert!(matches!(refused, Some(RewriteError::Compressed)), "{refused:?}");
}

/// Returns a page of one CPU with a record of the event 300 at each time.
fn page(layout: PageLayout, times: &[u64], lost: Lost) -> Vec<u8> {
    let mut builder = PageBuilder::new(layout);
    for time in times {
        let id = if layout.little_endian { 300_u16.to_le_bytes() } else { 300_u16.to_be_bytes() };
        assert!(builder.add(*time, &[&id[..], &[0; 6], &[7; 8]].concat()));
    }
    let mut page = Vec::new();
    builder.take(lost, &mut page);
    page
}

fn layout(big_endian: bool, size: u32) -> PageLayout {
    PageLayout { size, little_endian: !big_endian, ..PageLayout::default() }
}

/// Returns the body of a section with `header_page`.
fn header(big_endian: bool) -> Vec<u8> {
    let page = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
        \tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
    let length = |length: u64| if big_endian { length.to_be_bytes() } else { length.to_le_bytes() };
    let parts =
        [b"header_page\0", &length(page.len() as u64)[..], page.as_bytes(), b"header_event\0", &length(0)];
    parts.concat()
}

/// Returns the body of a section with the format of the event 300.
fn formats(big_endian: bool) -> Vec<u8> {
    let text = "name: event\nID: 300\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
    let one = if big_endian { 1_u32.to_be_bytes() } else { 1_u32.to_le_bytes() };
    let length = text.len() as u64;
    let length = if big_endian { length.to_be_bytes() } else { length.to_le_bytes() };
    [&one[..], b"test\0", &one, &length, text.as_bytes()].concat()
}

/// The pages of the CPUs of a buffer.
type Pages<'p> = &'p [(u32, &'p [Vec<u8>])];

/// Returns a file whose buffers have a name, a size of pages, and pages.
fn written(big_endian: bool, compression: Compression, buffers: &[(&str, u32, Pages<'_>)]) -> Vec<u8> {
    let head = Head { big_endian, long_size: 8, page_size: 4096 };
    let mut writer = Writer::new(Cursor::new(Vec::new()), head, compression).unwrap();
    writer.section(option::HEADER_INFO, &header(big_endian), &[]).unwrap();
    writer.section(option::EVENT_FORMATS, &formats(big_endian), &[]).unwrap();
    writer.options().unwrap();
    // What a later version of the file may have.
    writer.section(201, b"a section of the future", b"more").unwrap();
    writer.option(200, b"an option of the future").unwrap();
    writer.option(option::TRACEID, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    for (name, page_size, cpus) in buffers {
        let mut buffer = writer.buffer(name, Some("mono"), *page_size).unwrap();
        for (cpu, pages) in *cpus {
            buffer.cpu(*cpu).unwrap();
            pages.iter().for_each(|page| buffer.page(page).unwrap());
        }
        buffer.finish().unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn buffers_of_both_byte_orders_are_read_as_they_were_written() {
    for big_endian in [false, true] {
        let (small, large) = (layout(big_endian, 4096), layout(big_endian, 1 << 16));
        let many: Vec<Vec<u8>> =
            (0..25_u64).map(|at| page(small, &[100 * at, 100 * at + 5], Lost::None)).collect();
        let sub = [page(large, &[7, 9], Lost::Count(3))];
        for compression in Compression::ALL {
            let top: Pages<'_> = &[(0, &many), (1, &[]), (5, &many[..1])];
            let file = written(big_endian, compression, &[("", 4096, top), ("sub", 1 << 16, &[(2, &sub)])]);
            let found = collect(&file);
            let of_cpu = |cpu| found.records.iter().filter(|record| record.1 == cpu).count();
            assert_eq!([0, 1, 2, 5].map(of_cpu), [50, 0, 2, 2], "{compression:?}");
            assert_eq!(found.lost, [(2, Lost::Count(3))]);
            let outline = read(&file).outline().unwrap();
            let cpus = |index: usize| -> Vec<u32> {
                outline.buffers[index].cpus.iter().map(|data| data.cpu).collect()
            };
            assert_eq!((cpus(0), cpus(1)), (vec![0, 1, 5], vec![2]));
            assert_eq!(outline.buffers[1].page_size, 1 << 16);
            assert_eq!(outline.buffers[1].clock.as_deref(), Some("mono"));
        }
    }
}

#[test]
fn what_is_unknown_is_carried_over_to_version_7_and_named_for_version_6() {
    let file = written(
        false,
        Compression::None,
        &[("", 4096, &[(0, &[page(layout(false, 4096), &[1], Lost::None)])])],
    );
    for form in FORMS {
        let (other, said) = rewritten(&file, form, None);
        let mut expected = texts(&file);
        if form.version == Version::Six {
            assert_eq!(said.left_out, ["a section of the unknown kind 201"]);
            let options =
                [option::TRACEID, 200].map(|id| expected.iter().find(|text| text.0 == id).unwrap().clone());
            let found = texts(&other);
            assert!(options.iter().all(|text| found.contains(text)), "{found:?}");
            continue;
        }
        assert_eq!(said.left_out, [""; 0]);
        // The option that names the section has its new offset.
        let outline = read(&other).outline().unwrap();
        let part = outline.part(201).unwrap();
        let naming = outline.option(201).unwrap();
        assert_eq!(naming, [&part.offset.to_le_bytes()[..], b"more"].concat());
        let is_naming = |text: &(u16, Vec<u8>)| text.0 == 201 && text.1.ends_with(b"more");
        let mut found = texts(&other);
        expected.retain(|text| !is_naming(text));
        found.retain(|text| !is_naming(text));
        assert!(found == expected, "the texts differ");
    }
}

#[test]
fn version_6_refuses_pages_of_two_sizes() {
    let sub = [page(layout(false, 8192), &[7], Lost::None)];
    let file = written(false, Compression::None, &[("", 4096, &[]), ("sub", 8192, &[(0, &sub)])]);
    let refused =
        rewrite(&mut read(&file), Cursor::new(Vec::new()), FORMS[0], &Extract::default()).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "version 6 describes pages of one size, and buffer `sub` has pages of 8192 bytes instead of 4096"
    );
}

#[test]
fn version_6_has_the_buffers_of_instances() {
    let small = layout(false, 4096);
    let (top, sub) = ([page(small, &[5], Lost::None)], [page(small, &[7, 9], Lost::None)]);
    let file = written(false, Compression::Zstd, &[("sub", 4096, &[(3, &sub)]), ("", 4096, &[(1, &top)])]);
    let (six, _) = rewritten(&file, FORMS[0], None);
    let outline = read(&six).outline().unwrap();
    let listed: Vec<(&str, usize)> =
        outline.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.cpus.len())).collect();
    assert_eq!(listed, [("", 4), ("sub", 4)]);
    assert_eq!(collect(&six).records, collect(&file).records);
    assert_eq!(read(&six).clock(), "mono");
}

#[test]
fn buffer_of_an_instance_becomes_that_of_the_top_level() {
    let small = layout(false, 4096);
    let (top, sub) = ([page(small, &[5], Lost::None)], [page(small, &[7, 9], Lost::None)]);
    let file = written(false, Compression::Zstd, &[("sub", 4096, &[(3, &sub)]), ("", 4096, &[(1, &top)])]);
    let of_top = collect(&written(false, Compression::Zstd, &[("", 4096, &[(3, &sub)])])).records;
    for form in FORMS {
        let asked = |name: &str| Extract { buffer: Some(name.to_owned()), ..Extract::default() };
        let (out, _) = rewrite(&mut read(&file), Cursor::new(Vec::new()), form, &asked("sub")).unwrap();
        let out = out.into_inner();
        let outline = read(&out).outline().unwrap();
        let names: Vec<&str> = outline.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        assert_eq!(names, [""]);
        assert_eq!(collect(&out).records, of_top);
        let refused =
            rewrite(&mut read(&file), Cursor::new(Vec::new()), form, &asked("other")).err().unwrap();
        assert_eq!(
            refused.to_string(),
            "the recording has no buffer `other`, but `sub`, that of the top level"
        );
    }
}

#[test]
fn page_that_does_not_belong_is_refused() {
    let head = Head { big_endian: false, long_size: 8, page_size: 4096 };
    let mut writer = Writer::new(Cursor::new(Vec::new()), head, Compression::None).unwrap();
    let mut buffer = writer.buffer("", None, 4096).unwrap();
    assert!(buffer.page(&[0; 16]).is_err(), "no CPU");
    buffer.cpu(0).unwrap();
    assert!(buffer.page(&[0; 4097]).is_err(), "too long");
    buffer.page(&[0; 16]).unwrap();
}

/// A disk with room for some bytes.
struct Disk {
    file: Cursor<Vec<u8>>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.saturating_sub(self.file.position() as usize);
        match bytes.len().min(room) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            some => self.file.write(&bytes[..some]),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn disk_that_is_full_at_any_byte_is_an_error() {
    for form in FORMS {
        let (whole, _) = rewritten(VERSION_7, form, None);
        let disk = |room| Disk { file: Cursor::default(), room };
        for room in (0..whole.len()).step_by(499) {
            let outcome = rewrite(&mut read(VERSION_7), disk(room), form, &Extract::default());
            let full = |error: &io::Error| error.kind() == io::ErrorKind::StorageFull;
            assert!(matches!(&outcome, Err(RewriteError::Write(error)) if full(error)), "{form:?} {room}");
        }
        let (disk, _) = rewrite(&mut read(VERSION_7), disk(whole.len()), form, &Extract::default()).unwrap();
        assert_eq!(disk.file.into_inner(), whole);
    }
}

#[test]
fn damage_of_the_source_is_an_error() {
    let mut refused = 0;
    for at in (0..VERSION_7.len()).step_by(5) {
        let mut other = VERSION_7.to_vec();
        other[at] ^= 0xff;
        let Ok(mut file) = TraceDat::read(Cursor::new(&other[..])) else { continue };
        let outcome = rewrite(&mut file, Cursor::new(Vec::new()), FORMS[1], &extract(0, u64::MAX));
        refused += usize::from(match outcome {
            Err(RewriteError::File(_)) => true,
            Ok((_, rewritten)) => !rewritten.is_complete(),
            Err(_) => false,
        });
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn range_has_the_records_between_its_ends() {
    let all = collect(VERSION_7).records;
    let times: Vec<u64> = all.iter().map(|record| record.0).collect();
    let (first, last) = (times[0], times[times.len() - 1]);
    let begin = read(VERSION_7).begin().unwrap();
    assert!(begin <= first, "the oldest record may be of an event without a format");
    for form in FORMS {
        for (from, to) in [(first, last), (times[50], times[300]), (times[200], times[200]), (0, times[10])] {
            let (other, said) = rewritten(VERSION_7, form, Some(Range { from, to }));
            let expected: Vec<Recorded> =
                all.iter().filter(|record| (from..=to).contains(&record.0)).cloned().collect();
            assert_eq!(collect(&other).records, expected, "{form:?} {from} {to}");
            assert!(said.records >= expected.len() as u64);
            // The texts stay.
            assert_eq!(read(&other).cmdlines, read(VERSION_7).cmdlines);
        }
    }
    let (none, said) = rewritten(VERSION_7, FORMS[1], Some(Range { from: 0, to: 1 }));
    assert_eq!((collect(&none).records, said.pages, said.cut, said.records), (vec![], 0, 0, 0));
}

#[test]
fn loss_before_the_first_record_of_a_range_is_kept() {
    let small = layout(false, 4096);
    let pages = [page(small, &[10, 20], Lost::Count(4)), page(small, &[30, 40], Lost::Count(5))];
    let file = written(false, Compression::None, &[("", 4096, &[(0, &pages)])]);
    let cut = |from, to| {
        let (other, said) = rewritten(&file, FORMS[1], Some(Range { from, to }));
        let found = collect(&other);
        let times: Vec<u64> = found.records.iter().map(|record| record.0).collect();
        (times, found.lost, said.pages, said.cut)
    };
    assert_eq!(cut(10, 30), (vec![10, 20, 30], vec![(0, Lost::Count(4)), (0, Lost::Count(5))], 1, 1));
    assert_eq!(cut(20, 40), (vec![20, 30, 40], vec![(0, Lost::Count(5))], 1, 1));
    assert_eq!(cut(11, 19), (vec![], vec![], 0, 0));
}

#[test]
fn clock_that_steps_back_is_kept_in_a_range() {
    let small = layout(false, 4096);
    let pages = [page(small, &[100, 200, 50, 60, 300, 1 << 40], Lost::None)];
    let file = written(false, Compression::None, &[("", 4096, &[(0, &pages)])]);
    let (other, _) = rewritten(&file, FORMS[1], Some(Range { from: 60, to: 300 }));
    let mut pages = read(&other);
    let data = pages.buffers[0].cpus[0].clone();
    let mut raw = pages.raw_pages(&data, 4096);
    let bytes = raw.next_page().unwrap().unwrap();
    let page = tracec_kernel::page::Page::new(&small, bytes).unwrap();
    let times: Vec<u64> = page.entries().map(|entry| entry.unwrap().timestamp).collect();
    assert_eq!(times, [100, 200, 60, 300]);
}

#[test]
fn damaged_page_is_an_error_with_its_place_where_it_is_cut() {
    let small = layout(false, 4096);
    let mut damaged = page(small, &[10, 20], Lost::None);
    damaged[9] = 0xff;
    let file = written(false, Compression::None, &[("", 4096, &[(3, &[damaged])])]);
    let (_, cut) = rewritten(&file, FORMS[1], Some(Range { from: 0, to: 15 }));
    assert!(matches!(cut.damage.first(), [(0, TraceDatError::Page { cpu: 3, .. })]));
    // Whole pages are copied, whatever is in them.
    let (other, _) = rewritten(&file, FORMS[1], None);
    let (_, damage) = collect_damaged(&other);
    assert!(matches!(damage.first(), [(0, TraceDatError::Page { cpu: 3, .. })]));
}

/// Returns what is found of a file that is damaged, and where it is.
fn collect_damaged(bytes: &[u8]) -> (Collect, Damage) {
    let mut sink = Collect::default();
    match report(&mut read(bytes), &mut sink) {
        Err(ReportError::Damaged { damage, report }) => {
            assert_eq!(report.records, sink.records.len() as u64);
            (sink, *damage)
        }
        other => panic!("{other:?}"),
    }
}

fn times(found: &Collect, cpu: u32) -> Vec<u64> {
    found.records.iter().filter(|record| record.1 == cpu).map(|record| record.0).collect()
}

#[test]
fn damaged_page_costs_its_records_and_no_others() {
    let small = layout(false, 4096);
    let one = |time: u64| page(small, &[time, time + 1], Lost::None);
    // Its length is more than the page has; its second entry ends behind the page.
    let (mut head, mut entry) = (one(20), one(40));
    head[9] = 0xff;
    entry[16 + 20] = 28;
    let other = [one(5), one(55)];
    let pages = [one(10), head, one(30), entry, one(50)];
    let file = written(false, Compression::None, &[("", 4096, &[(0, &other), (3, &pages)])]);
    let (found, damage) = collect_damaged(&file);
    assert_eq!((times(&found, 0), times(&found, 3)), (vec![5, 6, 55, 56], vec![10, 11, 30, 31, 40, 50, 51]));
    assert_eq!(found.lost, [(3, Lost::Unknown), (3, Lost::Unknown)]);
    let begin = read(&file).buffers[0].cpus[1].offset;
    let offsets: Vec<u64> = damage
        .first()
        .iter()
        .map(|(_, error)| match error {
            TraceDatError::Page { cpu: 3, offset, .. } => *offset - begin,
            error => panic!("{error}"),
        })
        .collect();
    assert_eq!((offsets, damage.count()), (vec![4096, 3 * 4096], 2));
    // A part has the mark of a loss in its place.
    let (part, said) = rewritten(&file, FORMS[1], Some(Range { from: 11, to: 50 }));
    let found = collect(&part);
    assert_eq!((times(&found, 0), times(&found, 3)), (vec![], vec![11, 30, 31, 50]));
    assert_eq!((found.lost, said.damage.count()), (vec![(3, Lost::Unknown); 2], 2));
}

#[test]
fn damaged_chunk_costs_its_pages_and_no_others() {
    let small = layout(false, 4096);
    let pages: Vec<Vec<u8>> = (1..31).map(|at| page(small, &[at], Lost::None)).collect();
    for compression in [Compression::Zlib, Compression::Zstd] {
        let file = written(false, compression, &[("", 4096, &[(3, &pages)])]);
        let begin = read(&file).buffers[0].cpus[0].offset as usize;
        // The number of chunks, then the sizes of each and what is stored of it; the second one is damaged.
        let stored = u32::from_le_bytes(file[begin + 4..begin + 8].try_into().unwrap()) as usize;
        let second = begin + 4 + 8 + stored + 8;
        let mut damaged = file.clone();
        damaged[second..second + 4].fill(0xff);
        let (found, damage) = collect_damaged(&damaged);
        let expected: Vec<u64> = (1..11).chain(21..31).collect();
        assert_eq!((times(&found, 3), &*found.lost), (expected.clone(), &[(3, Lost::Unknown)][..]));
        let is_second = |error: &TraceDatError| matches!(error, TraceDatError::Compressed { offset, .. } if *offset == second as u64);
        assert!(is_second(&damage.first()[0].1) && damage.count() == 1, "{damage}");
        let (copy, said) = rewritten(&damaged, FORMS[1], None);
        let found = collect(&copy);
        assert_eq!((times(&found, 3), found.lost), (expected, vec![(3, Lost::Unknown)]));
        assert_eq!(said.damage.count(), 1);
    }
}

#[test]
fn ranges_are_of_times_as_options_correct_them() {
    let mut builder = PageBuilder::new(PageLayout::default());
    let (mut page, time) = (Vec::new(), 1_000_000);
    assert!(builder.add(time, &[0; 8]) && builder.add(time + 5, &[0; 8]));
    builder.take(Lost::None, &mut page);
    let head = Head { big_endian: false, long_size: 8, page_size: 4096 };
    let mut writer = Writer::new(Cursor::new(Vec::new()), head, Compression::None).unwrap();
    writer.section(option::HEADER_INFO, &header(false), &[]).unwrap();
    writer.option(option::DATE, b"0x10\0").unwrap();
    writer.option(option::OFFSET, b"-7\0").unwrap();
    let mut pages = writer.buffer("", Some("mono"), 4096).unwrap();
    pages.cpu(0).unwrap();
    pages.page(&page).unwrap();
    pages.finish().unwrap();
    let file = writer.finish().unwrap().into_inner();
    // DATE counts microseconds, OFFSET nanoseconds.
    let begin = time + 16_000 - 7;
    assert_eq!(read(&file).begin(), Some(begin));
    for (from, to, records) in [(begin, begin, 1), (begin, begin + 5, 2), (time, time + 5, 0)] {
        let (other, said) = rewritten(&file, FORMS[0], Some(Range { from, to }));
        assert_eq!(said.records, records, "{from} {to}");
        assert_eq!(read(&other).begin(), (records > 0).then_some(begin), "the options are kept");
    }
}

/// Returns a description of types with an enum of one enumerator (Documentation/bpf/btf.rst).
fn types(name: &str, value: i32) -> Vec<u8> {
    let strings = [b"\0", name.as_bytes(), b"\0"].concat();
    let (enumerators, kind) = (1_u32, 6_u32 << 24);
    let ty = [0, kind | enumerators, 4, 1, value as u32].map(u32::to_ne_bytes).concat();
    let mut types = [&0xeb9f_u16.to_ne_bytes()[..], &[1, 0]].concat();
    let sizes = [24, 0, ty.len() as u32, ty.len() as u32, strings.len() as u32];
    types.extend(sizes.map(u32::to_ne_bytes).concat());
    [types, ty, strings].concat()
}

/// The kernel of a recording knows its enumerators by the types in the file, with or without their size in front.
#[test]
fn enumerators_of_texts_are_those_of_the_types_in_the_file() {
    let format = "name: event\nID: 300\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;\n\n\
        print fmt: \"%s\", __print_symbolic(REC->value, { NOT_IN_ANY_TABLE, \"found\" })\n";
    let long = |number: usize| (number as u64).to_le_bytes();
    let formats =
        [&1_u32.to_le_bytes()[..], b"test\0", &1_u32.to_le_bytes(), &long(format.len()), format.as_bytes()]
            .concat();
    let mut builder = PageBuilder::new(PageLayout::default());
    let record = [&300_u16.to_ne_bytes()[..], &[0; 6], &41_u32.to_ne_bytes()].concat();
    assert!(builder.add(7, &record));
    let mut page = Vec::new();
    builder.take(Lost::None, &mut page);
    let text = |types: Option<&[u8]>, compression| {
        let head = Head { big_endian: false, long_size: 8, page_size: 4096 };
        let mut writer = Writer::new(Cursor::new(Vec::new()), head, compression).unwrap();
        writer.section(option::HEADER_INFO, &header(false), &[]).unwrap();
        writer.section(option::EVENT_FORMATS, &formats, &[]).unwrap();
        types.iter().for_each(|types| writer.section(option::BTF_FILE, types, &[]).unwrap());
        let mut pages = writer.buffer("", Some("mono"), 4096).unwrap();
        pages.cpu(0).unwrap();
        pages.page(&page).unwrap();
        pages.finish().unwrap();
        let file = writer.finish().unwrap().into_inner();
        let mut texts = Vec::new();
        let mut sink = |event: &Event<'_>| {
            let mut text = Vec::new();
            event.text.iter().for_each(|printed| printed.push(&mut text));
            texts.push(String::from_utf8(text).unwrap());
            Ok(())
        };
        report(&mut read(&file), &mut sink).unwrap();
        texts
    };
    let types = types("NOT_IN_ANY_TABLE", 41);
    let sized = [&long(types.len())[..], &types].concat();
    for compression in [Compression::None, Compression::Zstd] {
        assert_eq!(text(Some(&types), compression), ["found"]);
        assert_eq!(text(Some(&sized), compression), ["found"]);
        // Without them, and with what is not a description of types, the event has no text.
        assert_eq!(text(None, compression), [""]);
        assert_eq!(text(Some(b"nonsense"), compression), [""]);
    }
}

/// As trace-cmd writes them: the counts of each CPU of the top level, then those of an instance behind its name.
#[test]
fn counts_of_rings_are_those_of_the_part_that_is_copied() {
    let small = layout(false, 4096);
    let head = Head { big_endian: false, long_size: 8, page_size: 4096 };
    let mut writer = Writer::new(Cursor::new(Vec::new()), head, Compression::None).unwrap();
    writer.section(option::HEADER_INFO, &header(false), &[]).unwrap();
    writer.section(option::EVENT_FORMATS, &formats(false), &[]).unwrap();
    let counts = |lost: u64| format!("CPU: 0\nentries: 0\noverrun: {lost}\ncommit overrun: 0\n\0");
    for text in [counts(70), "\nBuffer: sub\n\n\0".to_owned(), counts(80)] {
        writer.option(option::CPUSTAT, text.as_bytes()).unwrap();
    }
    for name in ["", "sub"] {
        let mut buffer = writer.buffer(name, Some("mono"), 4096).unwrap();
        buffer.cpu(0).unwrap();
        buffer.page(&page(small, &[10, 20], Lost::Unknown)).unwrap();
        buffer.finish().unwrap();
    }
    let file = writer.finish().unwrap().into_inner();
    let lost = |bytes: &[u8]| {
        let counts = report(&mut read(bytes), &mut Collect::default()).unwrap();
        (counts.lost, counts.uncounted)
    };
    assert_eq!(lost(&file), (150, 0));
    for form in FORMS {
        assert_eq!(lost(&rewritten(&file, form, None).0), (150, 0));
        assert_eq!(lost(&rewritten(&file, form, Some(Range { from: 0, to: 15 })).0), (0, 2));
        let asked = Extract { buffer: Some("sub".to_owned()), ..Extract::default() };
        let (out, _) = rewrite(&mut read(&file), Cursor::new(Vec::new()), form, &asked).unwrap();
        assert_eq!(lost(&out.into_inner()), (80, 0));
    }
}

//! The recorder, on pages as a ring has them.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use tracec_kernel::condition::ir::{CompareOp, Condition, Number};
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::{HostCondition, Span};

use super::*;
use crate::record::host::Stacks;
use crate::record::testing::LAYOUT;
use crate::record::{TraceDat, report};
use crate::sink::{Event, Ring, Sink};
use crate::tracefs::Tracefs;

/// The format of an event whose value the condition of [`at_least`] is about.
const FORMAT: &str = "name: sample\nID: 7\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
    \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
    \tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;\n\n\
    print fmt: \"\"\n";

fn layout() -> PageLayout {
    PageLayout::parse(LAYOUT).unwrap()
}

fn format() -> EventFormat {
    EventFormat::parse("test", FORMAT).unwrap()
}

/// Returns a filter of the records with at least this value.
fn at_least(value: i128) -> HostFilter {
    let field = Number::Field(format().field("value").unwrap().clone());
    let condition = Condition::compare(field, CompareOp::Ge, value);
    let host = [HostCondition { event: "test:sample".to_owned(), condition, origin: Span::default() }];
    HostFilter::new(&[format()], &host, &layout(), Stacks::default()).unwrap()
}

/// Returns a page with a record of the thread 12 at each time, whose value is the time.
fn page(times: &[u64], lost: Lost) -> Vec<u8> {
    let mut builder = PageBuilder::new(layout());
    for time in times {
        let record =
            [&7_u16.to_ne_bytes()[..], &[0; 2], &12_i32.to_ne_bytes(), &(*time as u32).to_ne_bytes()];
        assert!(builder.add(*time, &record.concat()));
    }
    let mut page = Vec::new();
    builder.take(lost, &mut page);
    page
}

/// A directory that is like a tracefs, and a recorder of two CPUs.
struct Fixture {
    _directory: tempfile::TempDir,
    file: File,
    recorder: Recorder,
}

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

impl Fixture {
    fn new() -> Self {
        Fixture::showing(Vec::new())
    }

    fn showing(shown: Vec<ShownEvent>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), "events/header_page", LAYOUT);
        write(directory.path(), "events/header_event", "");
        write(directory.path(), "events/ftrace/print/format", "name: print\n");
        write(directory.path(), "events/test/sample/format", FORMAT);
        write(directory.path(), "saved_cmdlines", "12 sampler\n");
        let tracefs = Tracefs::open(directory.path()).unwrap();
        let facts = Facts::new(&tracefs, tracefs.root()).unwrap();
        let mut reading = Reading::default();
        reading.shown = shown;
        reading.formats.push(format());
        "mono".clone_into(&mut reading.clock);
        let file = tempfile::tempfile().unwrap();
        let (opened, names) = (file.try_clone().unwrap().into(), Names::live(&tracefs).unwrap());
        let mut recorder =
            Recorder::new(opened, (&reading, layout()), vec![0, 3], (facts, names), Arc::default());
        recorder.begin().unwrap();
        Fixture { _directory: directory, file, recorder }
    }

    fn take(&mut self, filter: &mut HostFilter, pages: &[(usize, Vec<u8>)]) {
        let mut pass = Pass::default();
        for (lane, page) in pages {
            pass.add(*lane, [0, 3][*lane], page, &layout()).unwrap();
        }
        self.recorder.take(&pass, filter, false).unwrap();
    }

    /// Returns the times that the file has now, the losses, and the number of pages.
    fn read(&self) -> (Vec<u64>, Vec<(u32, Lost)>, u64) {
        #[derive(Default)]
        struct Collect(Vec<u64>, Vec<(u32, Lost)>);
        impl Sink for Collect {
            fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
                self.0.push(event.timestamp);
                Ok(())
            }
            fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
                self.1.push((ring.cpu, lost));
                Ok(())
            }
        }
        let mut found = TraceDat::read(self.file.try_clone().unwrap()).unwrap();
        let pages = found.buffers[0].cpus.iter().map(|data| data.size / 4096).sum();
        let mut sink = Collect::default();
        report(&mut found, &mut sink).unwrap();
        (sink.0, sink.1, pages)
    }
}

#[test]
fn pages_that_are_not_full_are_joined_and_readable_after_each_pass() {
    let mut fixture = Fixture::new();
    let all = &mut HostFilter::default();
    fixture.take(all, &[(0, page(&[10, 20], Lost::None)), (1, page(&[15], Lost::None))]);
    assert_eq!(fixture.read(), (vec![10, 15, 20], vec![], 2));
    fixture.take(all, &[(0, page(&[30], Lost::None)), (0, page(&[1 << 40], Lost::None))]);
    assert_eq!(fixture.read(), (vec![10, 15, 20, 30, 1 << 40], vec![], 2));
    // What was lost stands at the start of a page.
    fixture.take(all, &[(0, page(&[(1 << 40) + 1], Lost::Count(4)))]);
    assert_eq!(fixture.read().1, [(0, Lost::Count(4))]);
    assert_eq!((fixture.read().2, fixture.recorder.counts.records), (3, 6));
    assert_eq!(fixture.recorder.counts.counted_lost(), 4);
}

/// Also those of records that a filter of the kernel has discarded, which are padding in a page.
#[test]
fn bytes_of_hidden_fields_are_in_no_page_and_no_layout() {
    let hidden = ShownEvent {
        event: "test:sample".to_owned(),
        left_out: vec!["value".to_owned()],
        ..ShownEvent::default()
    };
    let mut fixture = Fixture::showing(vec![hidden]);
    let secret = 0x5ec2_e75e_u32;
    let times: Vec<u64> = vec![1, 2, u64::from(secret), u64::from(secret) + 1];
    let mut discarded = page(&times, Lost::None);
    // The first record with the value becomes padding (`rb_event_discard` in kernel/trace/ring_buffer.c).
    let at = discarded.windows(4).position(|window| window == secret.to_ne_bytes()).unwrap() - 12;
    let head = u32::from_ne_bytes(discarded[at..at + 4].try_into().unwrap());
    assert_eq!(head & 31, 3, "not the head of a record of 12 bytes");
    discarded[at..at + 8].copy_from_slice(&[(1 << 5 | 29_u32).to_ne_bytes(), 12_u32.to_ne_bytes()].concat());
    fixture.take(&mut HostFilter::default(), &[(0, discarded)]);
    assert_eq!(fixture.read().0.len(), 3);
    let mut bytes = Vec::new();
    let mut file = fixture.file.try_clone().unwrap();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    let has = |wanted: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
    assert!(!has(&secret.to_ne_bytes()) && !has(&(secret + 1).to_ne_bytes()) && !has(b"u32 value"));
    assert!(has(b"name: sample"));
}

#[test]
fn full_pages_are_written_as_they_are() {
    let mut fixture = Fixture::new();
    let times: Vec<u64> = (0..240).collect();
    let full = page(&times, Lost::Count(9));
    fixture.take(&mut HostFilter::default(), &[(1, full.clone())]);
    let mut found = TraceDat::read(fixture.file.try_clone().unwrap()).unwrap();
    let data = found.buffers[0].cpus[0].clone();
    let mut pages = found.raw_pages(&data, 4096);
    assert_eq!(pages.next_page().unwrap().unwrap()[..full.len()], full);
    assert_eq!(fixture.read().0, times);
}

/// More than are written at once, in two lanes, with a page that is not full between them.
#[test]
fn successive_full_pages_are_written_in_their_order() {
    let mut fixture = Fixture::new();
    let mut time = 0;
    let mut next = |count: u64| {
        time += count;
        page(&(time - count..time).collect::<Vec<_>>(), Lost::None)
    };
    let mut pages: Vec<_> = (0..70).map(|_| (0, next(240))).collect();
    pages.extend((0..3).map(|_| (1, next(240))));
    pages.push((0, next(2)));
    pages.extend((0..2).map(|_| (0, next(240))));
    fixture.take(&mut HostFilter::default(), &pages);
    let (times, lost, count) = fixture.read();
    assert_eq!((times.len(), lost, count), (75 * 240 + 2, vec![], 76));
    assert!(times.iter().copied().eq(0..time));
    assert_eq!(fixture.recorder.counts.records, time);
}

#[test]
fn records_that_the_host_drops_are_not_written() {
    let mut fixture = Fixture::new();
    let filter = &mut at_least(100);
    let times: Vec<u64> = (0..200).collect();
    fixture.take(filter, &[(0, page(&[1, 2], Lost::Count(5))), (0, page(&times, Lost::None))]);
    // The loss is at the start of the next page that is written.
    assert_eq!(fixture.read(), (times[100..].to_vec(), vec![(0, Lost::Count(5))], 1));
    // All of a page are kept, and the loss is that of two pages.
    let full: Vec<u64> = (300..540).collect();
    fixture.take(filter, &[(1, page(&[3], Lost::Count(1))), (1, page(&full, Lost::Count(2)))]);
    assert_eq!(fixture.read().1, [(0, Lost::Count(5)), (3, Lost::Count(3))]);
    assert_eq!(fixture.recorder.counts.records, 100 + 240);
    assert_eq!(filter.dropped().map(|dropped| dropped.records()), Some(103));
}

#[test]
fn ended_file_says_what_the_kernel_said() {
    let mut fixture = Fixture::new();
    fixture.take(&mut HostFilter::default(), &[(1, page(&[10], Lost::None))]);
    let end =
        RingEnd { lost: vec![], stats: vec![(0, "entries: 0\n".to_owned()), (3, "entries: 1\n".to_owned())] };
    fixture.recorder.finish(&end).unwrap();
    assert_eq!(fixture.read(), (vec![10], vec![], 1));
    let mut found = TraceDat::read(fixture.file.try_clone().unwrap()).unwrap();
    assert_eq!((found.clock(), &found.cmdlines[..]), ("mono", b"12 sampler\n".as_slice()));
    assert_eq!(found.formats.iter().map(|format| format.id).collect::<Vec<_>>(), [7]);
    let outline = found.outline().unwrap();
    let stats: Vec<&[u8]> = outline
        .options
        .iter()
        .filter(|found| found.id == option::CPUSTAT)
        .map(|found| found.data.as_slice())
        .collect();
    assert_eq!(stats, [b"CPU: 0\nentries: 0\n\0".as_slice(), b"CPU: 3\nentries: 1\n\0"]);
    assert_eq!(outline.option(option::TRACECLOCK), Some(b"[mono]\n\0".as_slice()));
    assert_eq!(outline.option(option::CPUCOUNT), Some(2_u32.to_ne_bytes().as_slice()));
    assert!(outline.option(option::UNAME).is_some_and(|text| text.starts_with(b"Linux ")));
    assert!(outline.part(option::KALLSYMS).is_some());
}

/// A file says a loss in front of the next record. Here no record follows.
#[test]
fn loss_behind_the_last_record_is_in_the_file() {
    let mut fixture = Fixture::new();
    let filter = &mut at_least(100);
    fixture.take(filter, &[(0, page(&[100], Lost::None)), (0, page(&[7], Lost::Count(5)))]);
    fixture.take(filter, &[(1, page(&[101], Lost::Count(2)))]);
    // The ring of the CPU has lost more since the last page was read.
    let end = RingEnd { lost: vec![(0, 5), (3, 6)], stats: vec![] };
    fixture.recorder.finish(&end).unwrap();
    let (times, lost, _) = fixture.read();
    let lost_of =
        |cpu: u32| lost.iter().filter(|(of, _)| *of == cpu).map(|(_, lost)| *lost).collect::<Vec<_>>();
    assert_eq!(times, [100, 101]);
    assert_eq!((lost_of(0), lost_of(3)), (vec![Lost::Count(5)], vec![Lost::Count(2), Lost::Count(4)]));
    assert_eq!(fixture.recorder.counts.counted_lost(), 11);
}

#[test]
fn loss_of_unknown_size_has_the_number_of_the_ring() {
    let mut fixture = Fixture::new();
    let full: Vec<u64> = (0..240).collect();
    fixture
        .take(&mut HostFilter::default(), &[(0, page(&full, Lost::Unknown)), (1, page(&[1], Lost::Unknown))]);
    let stats = |cpu: u32, lost: u64| {
        (cpu, format!("entries: 0\noverrun: {lost}\ncommit overrun: 1\nbytes: 0\ndropped events: 1\n"))
    };
    let end = RingEnd { lost: vec![(0, 9), (3, 2)], stats: vec![stats(0, 7), stats(3, 0)] };
    fixture.recorder.finish(&end).unwrap();
    let (_, lost, _) = fixture.read();
    assert_eq!(lost, [(0, Lost::Unknown), (3, Lost::Unknown)]);
    struct Nothing;
    impl Sink for Nothing {
        fn record(&mut self, _: &Event<'_>) -> Result<(), SinkError> {
            Ok(())
        }
    }
    let mut found = TraceDat::read(fixture.file.try_clone().unwrap()).unwrap();
    let counts = report(&mut found, &mut Nothing).unwrap();
    assert_eq!((counts.lost, counts.uncounted), (11, 0));
    // The ring has counted all times.
    found.set_period(0..=1000);
    let counts = report(&mut found, &mut Nothing).unwrap();
    assert_eq!((counts.lost, counts.uncounted), (0, 2));
}

/// The rings count for all files of an output that is rotated.
#[test]
fn last_of_several_files_does_not_take_the_counts_of_all_for_its_own() {
    let mut fixture = Fixture::new();
    let full: Vec<u64> = (0..240).collect();
    fixture.take(&mut HostFilter::default(), &[(0, page(&full, Lost::Unknown))]);
    let last = tempfile::tempfile().unwrap();
    fixture.recorder.go_on_in(last.try_clone().unwrap().into()).unwrap();
    fixture.take(&mut HostFilter::default(), &[(0, page(&full, Lost::Unknown))]);
    let stats = "entries: 0\noverrun: 70\n".to_owned();
    fixture.recorder.finish(&RingEnd { lost: vec![(0, 70)], stats: vec![(0, stats)] }).unwrap();
    for (file, of_all) in
        [(&fixture.file, None), (&last, Some("CPU: 0 in all files\nentries: 0\noverrun: 70\n\0"))]
    {
        let mut found = TraceDat::read(file.try_clone().unwrap()).unwrap();
        assert_eq!(found.stated_losses(), []);
        assert_eq!(found.outline().unwrap().option(option::CPUSTAT), of_all.map(str::as_bytes));
    }
}

#[test]
fn recorder_that_was_left_writes_nothing_more() {
    let mut fixture = Fixture::new();
    fixture.recorder.progress.leave();
    let mut pass = Pass::default();
    pass.add(0, 0, &page(&[10], Lost::None), &layout()).unwrap();
    let left = fixture.recorder.take(&pass, &mut HostFilter::default(), false);
    assert!(matches!(left, Err(RecordError::Sink(SinkError::Closed))));
    assert_eq!(fixture.read(), (vec![], vec![], 0));
}

#[test]
fn what_was_written_before_an_error_is_readable() {
    let mut fixture = Fixture::new();
    let times: Vec<u64> = (300..540).collect();
    let mut pass = Pass::default();
    pass.add(0, 0, &page(&times, Lost::None), &layout()).unwrap();
    fixture.recorder.take(&pass, &mut HostFilter::default(), true).unwrap();
    assert_eq!(fixture.read().2, 0, "another pass follows");
    fixture.recorder.progress.leave();
    fixture.recorder.take(&pass, &mut HostFilter::default(), true).unwrap_err();
    fixture.recorder.keep();
    assert_eq!(fixture.read(), (times, vec![], 1));
}

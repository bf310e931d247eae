//! trace.dat files: a complete one, truncated and damaged ones, and unsupported ones.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use tracec_kernel::condition::ir::{CompareOp, Condition, Number};
use tracec_kernel::page::Lost;
use tracec_kernel::plan::{HostCondition, Span};
use tracec_kernel::selection::{Numbered, SelectedEvent};
use tracec_runtime::record::{
    Damage, HostFilter, Report, ReportError, Stacks, TraceDat, TraceDatError, report, report_if,
};
use tracec_runtime::sink::{Event, Ring, Sink, SinkError, TEXT, Timestamps};

/// 649 records of two CPUs, written by `trace-cmd record` on Linux 6.18. The formats of rare events were removed.
const SMALL: &[u8] = include_bytes!("data/small-v6.dat");

/// The offset of the first page in [`SMALL`].
const FIRST_PAGE: usize = 2 * 4096;

/// The number of records that have a format.
const KNOWN: usize = 468;

#[derive(Default)]
struct Collect {
    events: Vec<(u64, u32, String, String)>,
    lost: Vec<(u32, Lost)>,
    close_after: Option<usize>,
}

/// A file in memory.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Collect {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        if self.close_after == Some(self.events.len()) {
            return Err(SinkError::Closed);
        }
        let comm = String::from_utf8_lossy(event.comm).into_owned();
        self.events.push((event.timestamp, event.cpu, comm, event.record.format.name.to_string()));
        Ok(())
    }

    fn lost(&mut self, Ring { cpu, .. }: Ring, lost: Lost) -> Result<(), SinkError> {
        self.lost.push((cpu, lost));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

fn read(bytes: &[u8]) -> Result<TraceDat<Cursor<Vec<u8>>>, TraceDatError> {
    TraceDat::read(Cursor::new(bytes.to_vec()))
}

#[test]
fn every_record_is_reported_once_and_in_order() {
    let mut file = read(SMALL).unwrap();
    assert_eq!(file.buffers.len(), 1);
    assert_eq!(file.buffers[0].clock.as_deref(), Some("local"));
    assert!(file.unreadable.is_empty(), "{:?}", file.unreadable);
    let mut sink = Collect::default();
    let shown = report(&mut file, &mut sink).unwrap();
    assert_eq!((shown.records, shown.unknown, shown.lost), (KNOWN as u64, 181, 0));
    assert_eq!(sink.events.len(), KNOWN);
    assert!(sink.events.is_sorted_by_key(|event| event.0));
    let first = (2_266_954_788, 0, "busy".to_owned(), "sched_waking".to_owned());
    let (timestamp, cpu, comm, name) = sink.events[0].clone();
    assert_eq!(((timestamp + 500) / 1000, cpu, comm, name), first);
}

/// Returns where a recording is damaged of which all else was reported.
fn damaged(outcome: Result<Report, ReportError>) -> Damage {
    match outcome {
        Err(ReportError::Damaged { damage, .. }) => *damage,
        other => panic!("{other:?}"),
    }
}

#[test]
fn truncated_file_is_an_error() {
    for length in 0..FIRST_PAGE {
        let Ok(mut file) = read(&SMALL[..length]) else { continue };
        // If only the padding after the head is missing, the pages are missing too.
        let outcome = report(&mut file, &mut Collect::default());
        assert!(matches!(damaged(outcome).first(), [(0, TraceDatError::Truncated { .. }), ..]), "{length}");
    }
    for length in (FIRST_PAGE..SMALL.len()).step_by(101) {
        let mut file = read(&SMALL[..length]).unwrap();
        let outcome = report(&mut file, &mut Collect::default());
        assert!(matches!(damaged(outcome).first(), [(0, TraceDatError::Truncated { .. }), ..]), "{length}");
    }
}

#[test]
fn damaged_byte_does_not_panic() {
    // Lengths and counts are everywhere in the head; a large value in any of them must not be used unchecked.
    for at in (0..FIRST_PAGE).step_by(3) {
        let mut bytes = SMALL.to_vec();
        bytes[at] = 0xff;
        let _ = read(&bytes);
    }
    for at in (FIRST_PAGE..SMALL.len()).step_by(7) {
        let mut bytes = SMALL.to_vec();
        bytes[at] ^= 0xff;
        let mut file = read(&bytes).unwrap();
        let _ = report(&mut file, &mut Collect::default());
    }
}

#[test]
fn page_with_too_long_a_commit_is_reported_with_its_position() {
    let mut bytes = SMALL.to_vec();
    bytes[FIRST_PAGE + 4096 + 9] = 0xff;
    let outcome = report(&mut read(&bytes).unwrap(), &mut Collect::default());
    let damage = damaged(outcome);
    let [(0, TraceDatError::Page { cpu: 0, offset, .. })] = damage.first() else { panic!("{damage}") };
    assert_eq!(*offset, FIRST_PAGE as u64 + 4096);
}

#[test]
fn lost_records_are_reported_before_the_next_record() {
    let mut bytes = SMALL.to_vec();
    bytes[FIRST_PAGE + 4096 + 11] |= 0x80;
    let mut sink = Collect::default();
    report(&mut read(&bytes).unwrap(), &mut sink).unwrap();
    assert_eq!(sink.lost, [(0, Lost::Unknown)]);
}

#[test]
fn other_files_and_versions_are_refused() {
    assert!(matches!(read(b""), Err(TraceDatError::NotTraceDat)));
    assert!(matches!(read(b"\x7fELF and more than ten bytes"), Err(TraceDatError::NotTraceDat)));
    let mut eight = SMALL.to_vec();
    eight[10] = b'8';
    let Err(error) = read(&eight) else { panic!("version 8 was read") };
    assert!(matches!(&error, TraceDatError::Version { version } if version == "8"), "{error}");
    let mut latency = SMALL.to_vec();
    let at = latency.windows(10).position(|w| w == b"flyrecord\0").unwrap();
    latency[at..at + 10].copy_from_slice(b"latency  \0");
    assert!(matches!(read(&latency), Err(TraceDatError::Latency)));
}

/// Returns the same file with its only buffer a second time as that of an instance: its pages too, or only the table of
/// them.
fn with_instance(pages_too: bool) -> Vec<u8> {
    let options = SMALL.windows(10).position(|w| w == b"options  \0").unwrap() + 10;
    let table = SMALL.windows(10).position(|w| w == b"flyrecord\0").unwrap();
    let mut bytes = SMALL.to_vec();
    let copy = bytes.len();
    bytes.extend_from_slice(&SMALL[table..table + 10 + 2 * 16]);
    let pages = bytes.len() - FIRST_PAGE;
    bytes.extend_from_slice(&SMALL[FIRST_PAGE..]);
    let mut option = 3u16.to_le_bytes().to_vec();
    option.extend_from_slice(&12u32.to_le_bytes());
    option.extend_from_slice(&(copy as u64 + 18).to_le_bytes());
    option.extend_from_slice(b"sub\0");
    assert_eq!(option.len(), 18);
    bytes.splice(options..options, option);
    // The pages have moved by the option's length.
    let second = if pages_too { pages + 18 } else { 18 };
    for (entry, moved) in [(table + 18 + 10, 18), (copy + 18 + 10, second)] {
        for cpu in 0..2 {
            let at = entry + 16 * cpu;
            let offset = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) + moved as u64;
            bytes[at..at + 8].copy_from_slice(&offset.to_le_bytes());
        }
    }
    bytes
}

#[test]
fn buffers_of_instances_are_read() {
    let mut file = read(&with_instance(true)).unwrap();
    let names: Vec<&str> = file.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(names, ["", "sub"]);
    let mut sink = Collect::default();
    assert_eq!(report(&mut file, &mut sink).unwrap().records, 2 * KNOWN as u64);
    assert!(sink.events.is_sorted_by_key(|event| event.0));
}

#[test]
fn pages_of_two_cpus_are_refused() {
    let outcome = read(&with_instance(false));
    assert!(matches!(outcome, Err(TraceDatError::Overlap { cpus: (0, 0), .. })), "{outcome:?}");
}

#[test]
fn more_cpus_and_instances_than_a_kernel_has_are_refused() {
    let options = SMALL.windows(10).position(|w| w == b"options  \0").unwrap();
    let mut bytes = SMALL.to_vec();
    bytes[options - 4..options].copy_from_slice(&8193u32.to_le_bytes());
    let outcome = read(&bytes);
    assert!(
        matches!(outcome, Err(TraceDatError::Unexpected { what: "a number of cpus", .. })),
        "{outcome:?}"
    );

    let mut option = 3u16.to_le_bytes().to_vec();
    option.extend_from_slice(&9u32.to_le_bytes());
    option.extend_from_slice(&[0; 9]);
    let mut bytes = SMALL.to_vec();
    bytes.splice(options + 10..options + 10, option.repeat(1025));
    let outcome = read(&bytes);
    let refused = matches!(outcome, Err(TraceDatError::Unexpected { what: "a number of instances", .. }));
    assert!(refused, "{outcome:?}");
}

#[test]
fn records_before_and_behind_a_damaged_page_are_written() {
    let mut bytes = SMALL.to_vec();
    bytes[FIRST_PAGE + 4096 + 9] = 0xff;
    let out = Shared::default();
    let mut sink = TEXT.sink(Box::new(out.clone()), Timestamps::Nanoseconds);
    let outcome = report(&mut read(&bytes).unwrap(), sink.as_mut());
    assert!(matches!(damaged(outcome).first(), [(0, TraceDatError::Page { .. })]));
    let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
    let missing = KNOWN - text.lines().filter(|line| !line.contains("LOST")).count();
    assert!((1..150).contains(&missing), "{missing} of {KNOWN}");
    let mut all = Collect::default();
    report(&mut read(SMALL).unwrap(), &mut all).unwrap();
    let last = all.events.last().unwrap().0;
    assert!(text.lines().last().unwrap().contains(&format!("{}.", last / 1_000_000_000)), "{text}");
}

#[test]
fn sink_that_closes_ends_the_report() {
    let mut sink = Collect { close_after: Some(10), ..Collect::default() };
    let outcome = report(&mut read(SMALL).unwrap(), &mut sink);
    assert!(matches!(outcome, Err(ReportError::Sink(SinkError::Closed))));
    assert_eq!(sink.events.len(), 10);
}

#[test]
fn host_conditions_filter_a_recording() {
    let mut file = read(SMALL).unwrap();
    let format = file.formats.iter().find(|format| format.qualified_name() == "sched:sched_waking").unwrap();
    let pid = Number::Field(format.field("pid").unwrap().clone());
    let host = |op| {
        let condition = Condition::compare(pid.clone(), op, 0);
        [HostCondition { event: "sched:sched_waking".to_owned(), condition, origin: Span::default() }]
    };
    let (all, none) = (host(CompareOp::Ge), host(CompareOp::Lt));
    let of_event =
        |sink: &Collect| sink.events.iter().filter(|event| event.3 == "sched_waking").count() as u64;
    for (conditions, drops) in [(all, false), (none, true)] {
        let filter = HostFilter::new(&file.formats, &conditions, &file.layout, Stacks::default()).unwrap();
        let mut sink = Collect::default();
        let shown = report_if(&mut file, filter, &mut sink).unwrap();
        let dropped = shown.dropped.unwrap();
        assert_eq!((shown.records + dropped, shown.unknown), (KNOWN as u64, 181));
        assert_eq!((dropped > 0, of_event(&sink) > 0), (drops, !drops));
    }
}

/// Returns the text of a format, of an event with a number behind the common fields.
fn format(name: &str, id: u16) -> String {
    let field = |of: &str, offset: u32, size: u32, signed: u8| {
        format!("\tfield:{of};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n")
    };
    let common = [
        field("unsigned short common_type", 0, 2, 0),
        field("unsigned char common_flags", 2, 1, 0),
        field("unsigned char common_preempt_count", 3, 1, 0),
        field("int common_pid", 4, 4, 1),
    ];
    let value = field("u32 value", 8, 4, 0);
    format!("name: {name}\nID: {id}\nformat:\n{}\n{value}\nprint fmt: \"\"\n", common.concat())
}

/// Returns a recording of the events `test:event` (300) and `ftrace:kernel_stack` (4) with one CPU, whose buffers have
/// these pages: that of the top level first, then instances.
fn recording(buffers: &[Vec<u8>]) -> Vec<u8> {
    let page = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
        \tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut file = b"\x17\x08\x44tracing6\0\0\x08\0\x10\0\0header_page\0".to_vec();
    file.extend(text(page));
    file.extend(b"header_event\0");
    file.extend(text(""));
    file.extend(1_u32.to_le_bytes());
    file.extend(text(&format("kernel_stack", 4)));
    file.extend(1_u32.to_le_bytes());
    file.extend(b"test\0");
    file.extend(1_u32.to_le_bytes());
    file.extend(text(&format("event", 300)));
    // No kallsyms, no printk formats, no command lines; one CPU.
    file.extend([0; 4 + 4 + 8]);
    file.extend(1_u32.to_le_bytes());
    file.extend(b"options  \0");
    // Each buffer has a table of its pages; an instance has an option (3) with the offset of its table and its name.
    let (option, table) = (2 + 4 + 8 + 2, 10 + 16);
    let tables = file.len() + option * (buffers.len() - 1) + 2;
    let pages = (tables + table * buffers.len()).next_multiple_of(8);
    for index in 1..buffers.len() {
        file.extend(3_u16.to_le_bytes());
        file.extend(10_u32.to_le_bytes());
        file.extend(((tables + table * index) as u64).to_le_bytes());
        file.extend([b'a' + index as u8, 0]);
    }
    file.extend(0_u16.to_le_bytes());
    let mut at = pages as u64;
    for buffer in buffers {
        file.extend(b"flyrecord\0");
        file.extend(at.to_le_bytes());
        file.extend((buffer.len() as u64).to_le_bytes());
        at += buffer.len() as u64;
    }
    file.resize(pages, 0);
    buffers.iter().for_each(|buffer| file.extend(buffer));
    file
}

/// Returns a page with records of one task, each the id and the value; the first is at the time.
fn page_of(time: u64, is_behind_loss: bool, records: &[(u16, u32)]) -> Vec<u8> {
    let mut page = time.to_le_bytes().to_vec();
    let committed = (16 * records.len() as u64) | (u64::from(is_behind_loss) << 31);
    page.extend(committed.to_le_bytes());
    for (id, value) in records {
        page.extend(((1_u32 << 5) | 3).to_le_bytes());
        page.extend(u32::from(*id).to_le_bytes());
        page.extend(7_u32.to_le_bytes());
        page.extend(value.to_le_bytes());
    }
    page.resize(4096, 0);
    page
}

/// Reports the records of a recording with `value >= 10`; returns the names of those that are shown, and the numbers of
/// those that were dropped and of their stacks.
fn at_least_ten(buffers: &[Vec<u8>]) -> (Vec<String>, u64, u64) {
    let mut file = read(&recording(buffers)).unwrap();
    let format = file.formats.iter().find(|format| format.name == "event").unwrap().clone();
    let value = Number::Field(format.field("value").unwrap().clone());
    let condition = Condition::compare(value, CompareOp::Ge, 10);
    let events = vec![SelectedEvent { format, conditions: vec![Numbered { number: 0, condition }] }];
    let filter = HostFilter::of_recorded(&file.formats, events, &file.layout).unwrap();
    let mut sink = Collect::default();
    let shown = report_if(&mut file, filter, &mut sink).unwrap();
    let names = sink.events.into_iter().map(|event| event.3).collect();
    (names, shown.dropped.unwrap(), shown.stacks)
}

#[test]
fn stacks_follow_the_records_of_their_buffer() {
    const EVENT: u16 = 300;
    const STACK: u16 = 4;
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let kept = page_of(1000, false, &[(EVENT, 50)]).into_iter().chain(page_of(1010, false, &[(STACK, 0)]));
    let kept: Vec<u8> = kept.collect();
    let both = named(&["event", "kernel_stack"]);
    assert_eq!(at_least_ten(std::slice::from_ref(&kept)), (both.clone(), 0, 0));
    // An instance drops a record of the same task between the two, with its stack.
    let dropped = [page_of(1005, false, &[(EVENT, 1)]), page_of(1012, false, &[(STACK, 0)])].concat();
    assert_eq!(at_least_ten(&[kept.clone(), dropped.clone()]), (both.clone(), 1, 1));
    assert_eq!(at_least_ten(&[dropped, kept.clone()]), (both.clone(), 1, 1));
    // An instance has lost records.
    let lost = page_of(1005, true, &[(EVENT, 1)]);
    assert_eq!(at_least_ten(&[kept, lost]), (both.clone(), 1, 0));
    // A stack behind a record of an event that the file does not describe.
    let unknown = page_of(1000, false, &[(EVENT, 50), (STACK, 0), (999, 0), (STACK, 0)]);
    assert_eq!(at_least_ten(&[unknown]), (both, 1, 1));
}

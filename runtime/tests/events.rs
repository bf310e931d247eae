//! The events of a recording, as programs read them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Cursor;

use tracec_kernel::page::Lost;
use tracec_runtime::record::{Anything, FieldError, Item, Recording, TraceDat, report};
use tracec_runtime::sink::{Event, Ring};

/// 649 records of two CPUs; 468 have a format.
const SMALL: &[u8] = include_bytes!("data/small-v6.dat");

/// The same in version 7, compressed.
const COMPRESSED: &[u8] = include_bytes!("data/small-v7-zstd.dat");

fn recording(bytes: &[u8]) -> Recording<Cursor<Vec<u8>>> {
    Recording::of(TraceDat::read(Cursor::new(bytes.to_vec())).unwrap())
}

#[test]
fn events_are_those_of_a_report_in_its_order() {
    for bytes in [SMALL, COMPRESSED] {
        let mut reported = Vec::new();
        let mut file = TraceDat::read(Cursor::new(bytes.to_vec())).unwrap();
        report(&mut file, &mut |event: &Event<'_>| {
            reported.push((event.timestamp, event.cpu, event.comm.to_vec(), event.record.data.to_vec()));
            Ok(())
        })
        .unwrap();
        let mut recording = recording(bytes);
        // Each call begins at the start.
        for _ in 0..2 {
            let (mut events, mut read) = (recording.events(), Vec::new());
            while let Some(event) = events.next_event().unwrap() {
                read.push((event.timestamp, event.cpu(), event.comm.to_vec(), event.record.data.to_vec()));
            }
            assert_eq!((events.lost(), events.unknown()), (0, 181));
            assert_eq!(read, reported);
        }
    }
}

#[test]
fn events_of_the_cpus_are_all_events() {
    let mut recording = recording(SMALL);
    let mut counts = Vec::new();
    for cpu in 0..3 {
        let mut events = recording.events_of(Ring { buffer: 0, cpu });
        let (mut count, mut last) = (0, 0);
        while let Some(event) = events.next_event().unwrap() {
            assert!(event.cpu() == cpu && event.timestamp >= last);
            (count, last) = (count + 1, event.timestamp);
        }
        counts.push(count);
    }
    assert_eq!(counts.iter().sum::<usize>(), 468);
    assert!(counts[0] > 0 && counts[1] > 0 && counts[2] == 0, "{counts:?}");
}

#[test]
fn fields_are_read_as_types_and_texts_as_the_kernel_prints_them() {
    let mut recording = recording(SMALL);
    let comm = recording.field::<str>("sched:sched_waking", "comm").unwrap();
    let pid = recording.field::<i32>("sched:sched_waking", "pid").unwrap();
    let of_any = recording.field::<Anything>("sched:sched_waking", "target_cpu").unwrap();
    let mut events = recording.events();
    let (mut seen, mut text) = (0, Vec::new());
    while let Some(event) = events.next_event().unwrap() {
        if event.name() != "sched_waking" {
            assert!(event.get(&comm).unwrap().is_none() && event.get(&pid).unwrap().is_none());
            continue;
        }
        seen += 1;
        assert_eq!(event.system(), "sched");
        let (comm, pid) = (event.get(&comm).unwrap().unwrap(), event.get(&pid).unwrap().unwrap());
        assert_eq!(event.field::<str>("comm").unwrap(), comm);
        let (prio, cpu) = (event.field::<i64>("prio").unwrap(), event.get(&of_any).unwrap().unwrap());
        text.clear();
        assert!(event.push_text(&mut text));
        let expected = format!("comm={comm} pid={pid} prio={prio} target_cpu={:0>3}", cpu.to_string());
        assert_eq!(String::from_utf8_lossy(&text), expected);
        let error = event.field::<u8>("comm").unwrap_err();
        assert!(matches!(error, FieldError::Type { .. }), "{error}");
    }
    assert!(seen > 10);
    let missing = recording.field::<i32>("sched:sched_wakin", "pid").unwrap_err();
    assert_eq!(missing.to_string(), "the recording has no event `sched:sched_wakin`");
}

#[test]
fn losses_and_unknown_records_are_items_in_their_order() {
    // The second page of the first CPU says that seven records were lost before it: its commit word has the flags, and
    // the number follows the data.
    let mut bytes = SMALL.to_vec();
    let page = 2 * 4096 + 4096;
    let used = u64::from_le_bytes(bytes[page + 8..page + 16].try_into().unwrap());
    bytes[page + 8..page + 16].copy_from_slice(&(used | 3 << 30).to_le_bytes());
    let at = page + 16 + used as usize;
    bytes[at..at + 8].copy_from_slice(&7_u64.to_le_bytes());
    let mut recording = recording(&bytes);
    let mut events = recording.events();
    let (mut before, mut losses, mut unknown) = (0, Vec::new(), 0);
    while let Some(item) = events.next_item().unwrap() {
        match item {
            Item::Event(_) => before += 1,
            Item::Lost { ring, lost } => losses.push((before, ring.cpu, lost)),
            Item::Unknown { .. } => unknown += 1,
        }
    }
    assert_eq!((before, unknown, events.unknown(), events.lost()), (468, 181, 181, 7));
    let [(before, 0, Lost::Count(7))] = losses[..] else { panic!("{losses:?}") };
    assert!(before > 0 && before < 468);
}

#[test]
fn damaged_page_is_an_error_behind_the_events_before_it() {
    let mut bytes = SMALL.to_vec();
    bytes[2 * 4096 + 4096 + 9] = 0xff;
    let mut recording = recording(&bytes);
    let (mut events, mut read) = (recording.events(), 0);
    let error = loop {
        match events.next_event() {
            Ok(Some(_)) => read += 1,
            Ok(None) => panic!("no error"),
            Err(error) => break error,
        }
    };
    assert!(read > 0 && error.to_string().contains("the page of cpu 0 at byte 12288 is damaged"), "{error}");
}

#[test]
fn events_are_read_without_an_allocation_for_each() {
    let mut recording = recording(SMALL);
    let pid = recording.field::<i32>("sched:sched_waking", "pid").unwrap();
    let mut events = recording.events();
    // The first event of each CPU reads its pages.
    let (mut sum, mut first, mut most) = (0_i64, 0, 0);
    for count in 0.. {
        let before = ALLOCATIONS.get();
        let Some(event) = events.next_event().unwrap() else { break };
        sum += event.get(&pid).unwrap().map_or(0, i64::from);
        let made = ALLOCATIONS.get() - before;
        if count < 2 { first += made } else { most += made }
    }
    assert!(sum > 0 && first > 0);
    // Two CPUs have four pages, whose records are noted; 468 events have no part in it.
    assert!(most < 20, "{most} allocations");
}

thread_local! {
    /// The number of allocations of this thread.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The allocator of the system, which counts.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

#[expect(unsafe_code, reason = "an allocator that counts has no safe form")]
// SAFETY: every call is that of the system's allocator with the same arguments; counting takes no memory, and is left
// out in a thread that is ending.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller of this function promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller of this function promises.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller of this function promises.
        unsafe { System.realloc(memory, layout, size) }
    }
}

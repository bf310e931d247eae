//! Machine code for conditions, in one run: records per second of code, of the evaluator, of `tep_filter_match` of
//! libtraceevent, of the same loop written by hand in Rust, and of a bare walk over the pages, on 100,000 distinct
//! records of `sched:sched_switch` in pages; and the time to compile.
//!
//!     cargo bench --bench machine_code
//!
//! First all sides have to select the same records. Then they process the same pages in turns, each side first as often as
//! the others; the medians of the rounds are printed, by CPU time. The goals: at least 3 times the evaluator, at most 1.15 times the time of the loop by hand,
//! at least 70 % of the speed of the bare walk for a selective condition, and at most 1 ms to compile a condition. The
//! exit status is 1 where a goal is missed.
//!
//! libtraceevent reads single records, not pages, so its time is shown and not compared. Without `cc` or
//! libtraceevent-dev it is left out.

#[cfg(target_arch = "x86_64")]
mod by_hand;
mod conditions_peer;
mod language;
mod recording;

use std::hint::black_box;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use by_hand::{Record, contains, int, long, offset};
use conditions_peer::{Decision, Peer};
use language::Language;
use recording::Records;
use rustix::time::{ClockId, clock_gettime};
use tracec_compiler::target::host::Code;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::page::{Page, PageLayout};
use tracec_kernel::selection::{Evaluator, Numbered, PageFilter, Selected, SelectedEvent, Selection};

const RECORDS: usize = 100_000;
const ROUNDS: usize = 31;

/// The least ratio of the evaluator's time to that of code.
const EVALUATOR: f64 = 3.0;
/// The greatest ratio of the time of code to that of the loop by hand.
const BY_HAND: f64 = 1.15;
/// The least ratio of the time of a bare walk to that of code.
const BARE: f64 = 0.7;
/// The longest time to compile a condition.
const COMPILED: Duration = Duration::from_millis(1);

/// A condition in the language, for libtraceevent and by hand, and whether it is selective.
struct Case {
    text: &'static str,
    filter: &'static str,
    by_hand: fn(&[u8], u64, u16, &mut Vec<Selected>) -> u64,
    selective: bool,
}

/// Writes a loop of its own for a condition, as a program by hand has it.
macro_rules! by_hand {
    ($holds:expr) => {
        |bytes, time, id, selected| by_hand::select(bytes, time, id, selected, $holds)
    };
}

const CASES: &[Case] = &[
    Case {
        text: "prev_pid == 4242",
        filter: "prev_pid == 4242",
        by_hand: by_hand!(|record: &Record| int(record, offset::PREV_PID) == 4242),
        selective: true,
    },
    Case {
        text: "next_pid > 20000",
        filter: "next_pid > 20000",
        by_hand: by_hand!(|record: &Record| int(record, offset::NEXT_PID) > 20000),
        selective: false,
    },
    Case {
        text: "next_pid != 0 && prev_prio == 120 && prev_state & 1 && next_comm == \"busy\"",
        filter: "next_pid != 0 && prev_prio == 120 && prev_state & 1 && next_comm == \"busy\"",
        by_hand: by_hand!(|record: &Record| {
            int(record, offset::NEXT_PID) != 0
                && int(record, offset::PREV_PRIO) == 120
                && long(record, offset::PREV_STATE) & 1 != 0
                && long(record, offset::NEXT_COMM) & 0xff_ffff_ffff == u64::from_le_bytes(*b"busy\0\0\0\0")
        }),
        selective: false,
    },
    Case {
        text: "next_comm ~ \"*pkg*\"",
        filter: "next_comm =~ \"pkg\"",
        by_hand: by_hand!(|record: &Record| contains(record, offset::NEXT_COMM, *b"pkg")),
        selective: false,
    },
];

/// The cost of one turn.
#[derive(Clone, Copy)]
struct Measured {
    /// Records kept.
    kept: usize,
    #[expect(dead_code, reason = "the peer reports it")]
    wall: Duration,
    cpu: Duration,
}

/// Returns how many passes over the records a turn makes.
fn passes(_: &Records) -> usize {
    1
}

fn main() -> ExitCode {
    let scratch = tempfile::tempdir().expect("a directory for files");
    match run(scratch.path()) {
        Ok(missed) if missed.is_empty() => ExitCode::SUCCESS,
        Ok(missed) => {
            missed.iter().for_each(|missed| println!("MISSED: {missed}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(scratch: &Path) -> io::Result<Vec<String>> {
    let (file, _) = recording::find(scratch)?.map_err(io::Error::other)?;
    let recorded = Records::read(&file)?;
    let records = recorded.made(&made(&recorded))?;
    check_offsets(&records)?;
    let pages = pages(&records);
    let language = Language::new(scratch, &records)?;
    let mut peer = match Peer::start(scratch, &records)? {
        Ok(peer) => Some(peer),
        Err(why) => {
            println!("left out: libtraceevent: {why}");
            None
        }
    };
    println!(
        "{} records in {} pages; {ROUNDS} rounds in turns; ns of CPU time for a record",
        records.len(),
        pages.len() / PageLayout::default().size as usize
    );
    println!("beside: {}\n", peer.as_ref().map_or("no libtraceevent", |peer| &peer.made_of));
    println!(
        "{:<76} {:>6} {:>6} {:>9} {:>7} {:>7} {:>7} {:>9} {:>7} {:>6}",
        "condition", "kept", "code", "evaluator", "by hand", "bare", "tep", "evaluator", "by hand", "bare"
    );
    let mut missed = Vec::new();
    for case in CASES {
        let condition = language.condition(case.text)?;
        missed.extend(compare(case, &condition, &records, &pages, peer.as_mut())?);
    }
    missed.extend(compile_time(&language, &records)?);
    Ok(missed)
}

/// Returns records that differ in the fields that conditions test, with the names of tasks that were recorded.
fn made(recorded: &Records) -> Vec<Vec<u8>> {
    let originals: Vec<&[u8]> = recorded.iter().collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut record = |number: usize| {
        let mut record = originals[number % originals.len()].to_vec();
        let mut put = |offset: usize, value: u64, size: usize| {
            record[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        put(offset::PREV_PID, next() % 32_768, 4);
        put(offset::NEXT_PID, next() % 32_768, 4);
        put(offset::PREV_PRIO, if next() % 4 == 0 { 100 } else { 120 }, 4);
        put(offset::PREV_STATE, next() % 4, 8);
        let names: [&[u8; 16]; 6] = [
            b"swapper/0\0\0\0\0\0\0\0",
            b"kworker/u4:1\0\0\0\0",
            b"busy\0\0\0\0\0\0\0\0\0\0\0\0",
            b"dpkg-deb\0\0\0\0\0\0\0\0",
            b"rcu_preempt\0\0\0\0\0",
            b"systemd-journal\0",
        ];
        record[offset::NEXT_COMM..][..16].copy_from_slice(names[(next() % 6) as usize]);
        record
    };
    (0..RECORDS).map(&mut record).collect()
}

/// Checks that the loop by hand reads the fields that the conditions test.
fn check_offsets(records: &Records) -> io::Result<()> {
    for (name, offset) in [
        ("prev_pid", offset::PREV_PID),
        ("prev_prio", offset::PREV_PRIO),
        ("prev_state", offset::PREV_STATE),
        ("next_comm", offset::NEXT_COMM),
        ("next_pid", offset::NEXT_PID),
    ] {
        let field = records.format.field(name);
        if field.is_none_or(|field| field.offset as usize != offset) {
            return Err(io::Error::other(format!("`{name}` is not at {offset}")));
        }
    }
    Ok(())
}

/// Returns the records in pages, which follow each other in memory.
fn pages(records: &Records) -> Vec<u8> {
    let layout = PageLayout::default();
    let mut pages: Vec<Vec<u8>> = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let length = record.len() + 4;
        if pages.last().is_none_or(|page| page.len() + length > layout.size as usize) {
            let mut page = (1_000_000 * number as u64).to_le_bytes().to_vec();
            page.extend(0_u64.to_le_bytes());
            pages.push(page);
        }
        if let Some(page) = pages.last_mut() {
            page.extend((((number as u32 % 5_000) << 5) | (record.len() as u32 / 4)).to_le_bytes());
            page.extend(record);
        }
    }
    for page in &mut pages {
        let committed = page.len() as u64 - 16;
        page[8..16].copy_from_slice(&committed.to_le_bytes());
        page.resize(layout.size as usize, 0);
    }
    pages.concat()
}

fn selection(conditions: &[Condition], records: &Records) -> io::Result<Selection> {
    let conditions =
        conditions.iter().map(|condition| Numbered { number: 0, condition: condition.clone() }).collect();
    let event = SelectedEvent { format: records.format.clone(), conditions };
    Selection::new(PageLayout::default(), vec![event]).map_err(io::Error::other)
}

/// Times a condition on all sides, prints a line, and returns the goals that are missed.
fn compare(
    case: &Case,
    condition: &Condition,
    records: &Records,
    pages: &[u8],
    peer: Option<&mut Peer>,
) -> io::Result<Vec<String>> {
    let selection = selection(std::slice::from_ref(condition), records)?;
    let (code, evaluator) = (Code::new(&selection).map_err(io::Error::other)?, Evaluator::new(&selection));
    let id = records.format.id;
    let by_code = || round(pages, |page, selected| filter(&code, page, selected));
    let by_evaluator = || round(pages, |page, selected| filter(&evaluator, page, selected));
    let by_hand = || {
        round(pages, |page, selected| {
            let entries = page.entries();
            (case.by_hand)(entries.bytes(), entries.timestamp(), id, selected)
        })
    };
    let bare = || {
        round(pages, |page, _| {
            let entries = page.entries();
            let (records, last) = by_hand::bare(entries.bytes(), entries.timestamp());
            black_box(last);
            records
        })
    };
    let (wanted, kept) = (by_evaluator().1, by_evaluator().0.kept);
    for (side, selected) in [("code", by_code().1), ("the loop by hand", by_hand().1)] {
        if selected != wanted {
            return Err(io::Error::other(format!("{}: {side} selects other records", case.text)));
        }
    }
    let mut times = [const { Vec::new() }; 5];
    let mut peer = match peer {
        Some(peer) => {
            peer.filter(case.filter)?;
            let theirs = peer.decide()?.iter().filter(|decision| **decision == Decision::Kept).count();
            if theirs != kept {
                return Err(io::Error::other(format!(
                    "{}: libtraceevent keeps {theirs}, not {kept}",
                    case.text
                )));
            }
            Some(peer)
        }
        None => None,
    };
    let sides: [&dyn Fn() -> Measured; 4] =
        [&|| by_code().0, &|| by_evaluator().0, &|| by_hand().0, &|| bare().0];
    for round in 0..ROUNDS {
        // What libtraceevent reads has taken the place of the pages in the caches; no side has to bring them back alone.
        bare();
        for turn in 0..sides.len() {
            let side = (round + turn) % sides.len();
            times[side].push(sides[side]().cpu);
        }
        if let Some(peer) = &mut peer {
            times[4].push(peer.round()?.cpu);
        }
    }
    let [code, evaluator, by_hand, bare, tep] =
        times.map(|times| median(times).map(|time| time.as_secs_f64() * 1e9 / records.len() as f64));
    let [code, evaluator, by_hand, bare] = [code, evaluator, by_hand, bare].map(Option::unwrap_or_default);
    println!(
        "{:<76} {kept:>6} {code:>6.2} {evaluator:>9.2} {by_hand:>7.2} {bare:>7.2} {:>7} {:>9.2} {:>7.2} {:>6.2}",
        case.text,
        tep.map_or("-".to_owned(), |tep| format!("{tep:.1}")),
        evaluator / code,
        code / by_hand,
        bare / code,
    );
    let goals = [
        (evaluator / code < EVALUATOR, format!("{:.2} times the evaluator", evaluator / code)),
        (code / by_hand > BY_HAND, format!("{:.2} times the time of the loop by hand", code / by_hand)),
        (case.selective && bare / code < BARE, format!("{:.2} of the speed of a bare walk", bare / code)),
    ];
    let missed = goals.into_iter().filter(|(is_missed, _)| *is_missed);
    Ok(missed.map(|(_, what)| format!("{}: {what}", case.text)).collect())
}

fn filter(filter: &dyn PageFilter, page: &Page<'_>, selected: &mut Vec<Selected>) -> u64 {
    filter.select(&mut page.entries(), 0, selected).expect("the pages are right")
}

/// Processes all pages; returns the cost, and what is selected.
fn round(
    pages: &[u8],
    mut process: impl FnMut(&Page<'_>, &mut Vec<Selected>) -> u64,
) -> (Measured, Vec<Selected>) {
    let layout = PageLayout::default();
    let mut selected = Vec::with_capacity(2 * RECORDS);
    let (cpu, start) = (cpu_time(), Instant::now());
    let mut records = 0;
    for page in pages.chunks(layout.size as usize) {
        let page = Page::new(&layout, page).expect("the pages are right");
        records += process(&page, &mut selected);
    }
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
    assert_eq!(black_box(records), RECORDS as u64, "every record is read");
    (Measured { kept: selected.len(), wall, cpu }, selected)
}

/// Times the compilation of each condition alone, and of many at once.
fn compile_time(language: &Language, records: &Records) -> io::Result<Option<String>> {
    let conditions: Vec<Condition> =
        CASES.iter().map(|case| language.condition(case.text)).collect::<io::Result<_>>()?;
    let many: Vec<Condition> = (0..100)
        .map(|number| language.condition(&format!("prev_pid == {number} && next_comm ~ \"*a{number}*\"")))
        .collect::<io::Result<_>>()?;
    let mut slowest = Duration::ZERO;
    println!();
    let alone = conditions.iter().map(|condition| vec![condition.clone()]);
    for conditions in alone.chain([many]) {
        let selection = selection(&conditions, records)?;
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let before = cpu_time();
            black_box(Code::new(&selection).map_err(io::Error::other)?);
            times.push((cpu_time() - before) / conditions.len() as u32);
        }
        let time = median(times).unwrap_or_default();
        let what = if conditions.len() == 1 { conditions[0].to_string() } else { "each of 100".to_owned() };
        println!("compiled in {:.2} ms: {what}", time.as_secs_f64() * 1e3);
        slowest = slowest.max(time);
    }
    Ok((slowest > COMPILED).then(|| format!("{slowest:?} to compile a condition")))
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

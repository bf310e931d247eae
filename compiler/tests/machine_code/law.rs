//! The law: on any page, code and evaluator select the same.

use std::fmt;
use std::time::{Duration, Instant};

use tracec_compiler::target::host::Code;
use tracec_kernel::condition::context::RecordedOn;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Entries, PageError, PageHead, PageLayout};
use tracec_kernel::selection::{Evaluator, Numbered, PageFilter, Selected, SelectedEvent, Selection};

use crate::cases::{Asked, Case, cases};
use crate::cells::Cells;
use crate::generate::random::Random;
use crate::guarded::{Rooms, Side};
use crate::sets;

/// The conditions that are one selection.
const TOGETHER: usize = 50;

/// Those of them that are sets of each form.
const SETS: usize = 10;

/// The records that a condition is asked about.
const RECORDS: usize = 50;

/// The records of a page. One page in ten has all records of its condition, more than once.
const ON_A_PAGE: usize = 5;
const TIMES: usize = 4;

/// The records for which a walk has room at first, unless one record can be selected more often.
const FIRST_ROOM: usize = 64;

/// The memory that code writes what it selects to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Room between guards alone: for code with errors that write elsewhere.
    Guarded,
    /// Room between guards, and then a vector, as programs use it.
    Both,
}

/// The id of the first event.
const FIRST_ID: u16 = 300;

/// Statistics of a run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) pairs: usize,
    pub(crate) holds: usize,
    conditions: usize,
    bytes: usize,
    /// The pages of which more records are selected than a walk has room for at first.
    pub(crate) resumed: usize,
    cells: Cells,
    compiled: Duration,
    took: Duration,
}

impl Seen {
    pub(crate) fn missing(&self) -> Vec<String> {
        self.cells.missing(Engine::Host)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pairs, {:.0} % true, of {} conditions; {} pages with more than the first room; {} constructs; \
             0 disagreements; {:.1} s, {:.1} s of it to compile {} KiB",
            self.pairs,
            100.0 * self.holds as f64 / self.pairs as f64,
            self.conditions,
            self.resumed,
            self.cells.0.len(),
            self.took.as_secs_f64(),
            self.compiled.as_secs_f64(),
            self.bytes / 1024,
        )
    }
}

/// What a filter selects of a page: the records, and the result of the walk.
type Outcome = (Vec<Selected>, Result<u64, PageError>, (usize, u64, bool));

/// A page of which code and evaluator do not select the same.
#[derive(Debug)]
pub(crate) struct Disagreement {
    conditions: Vec<Condition>,
    records: Vec<Asked>,
    means: Outcome,
    says: Outcome,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for condition in &self.conditions {
            writeln!(f, "condition  {condition}")?;
        }
        writeln!(f, "it means   {:?}\ncode says  {:?}", self.means, self.says)?;
        write!(f, "records    {:?}", self.records)
    }
}

/// Compares what code and the evaluator select.
pub(crate) fn run(
    seed: u64,
    pairs: usize,
    memory: Memory,
    compile: &dyn Fn(&Selection) -> Code,
) -> Result<Seen, Box<Disagreement>> {
    let start = Instant::now();
    let mut random = Random::new(seed);
    let mut seen = Seen::default();
    let mut rooms = Rooms::new();
    while seen.pairs < pairs {
        let mut cases = cases(Engine::Host, TOGETHER - SETS, RECORDS, &mut random);
        cases.extend(sets::cases(SETS, RECORDS, &mut random));
        let selection = selection(&cases, &mut random);
        let compiling = Instant::now();
        let code = compile(&selection);
        seen.compiled += compiling.elapsed();
        seen.bytes += code.size();
        seen.conditions += cases.len();
        let evaluator = Evaluator::new(&selection);
        for (case, event) in cases.iter_mut().zip(selection.events()) {
            let is_long = random.once_in(10);
            for records in case.asked.chunks_mut(if is_long { RECORDS } else { ON_A_PAGE }) {
                let cpu = records[0].moment.cpu;
                records.iter_mut().for_each(|asked| asked.moment.cpu = cpu);
                let times = if is_long { TIMES } else { 1 };
                let records: Vec<Asked> = (0..times).flat_map(|_| records.iter().cloned()).collect();
                let data = entries(&records, event.format.id, &mut random);
                let means = outcome(&evaluator, &data, cpu);
                seen.resumed += usize::from(means.0.len() > FIRST_ROOM);
                let says = says(&code, &mut rooms, &data, cpu, (memory, &mut random), &means);
                if means != says {
                    let conditions = event.conditions.iter().map(|one| one.condition.clone()).collect();
                    return Err(Box::new(Disagreement { conditions, records, means, says }));
                }
            }
            count(case, &mut seen);
        }
    }
    seen.took = start.elapsed();
    Ok(seen)
}

/// Counts the constructs of a case, and its pairs.
fn count(case: &Case, seen: &mut Seen) {
    for asked in &case.asked {
        let record = case.event.decoder.record(&asked.moment.bytes).expect("a header is there");
        seen.pairs += 1;
        let on = RecordedOn { cpu: asked.moment.cpu };
        seen.holds += usize::from(eval(&case.condition, &record, &on));
        seen.cells.count(case, &record, asked);
    }
}

/// Returns a selection with an event for each case; some events have conditions of other cases too, and some share them.
pub(crate) fn selection(cases: &[Case], random: &mut Random) -> Selection {
    let mut events: Vec<SelectedEvent> = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let number = |condition: &Condition, number| Numbered { number, condition: condition.clone() };
        let mut conditions = vec![number(&case.condition, 10 * index as u32)];
        if let Some(before) = index.checked_sub(1).map(|before| &cases[before])
            && before.event.format == case.event.format
            && random.once_in(3)
        {
            conditions.push(number(&before.condition, 10 * index as u32 + 1));
            // The same condition with another number, before and behind others.
            conditions.push(number(&case.condition, 10 * index as u32 + 2));
        }
        let format = EventFormat { id: FIRST_ID + index as u16, ..case.event.format.clone() };
        events.push(SelectedEvent { format, conditions });
    }
    // An event whose conditions are those of another.
    let mut twin = events[0].clone();
    twin.format.id = FIRST_ID + cases.len() as u16 + 5;
    twin.conditions.iter_mut().for_each(|numbered| numbered.number += 100_000);
    events.push(twin);
    let selection = Selection::new(PageLayout::default(), events).expect("the conditions can be decided");
    let selection = if random.once_in(2) { selection.with_others() } else { selection };
    if random.once_in(2) { selection.with_rejected() } else { selection }
}

/// Returns the entries of a page with these records.
pub(crate) fn entries(records: &[Asked], id: u16, random: &mut Random) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    for asked in records {
        let mut record = asked.moment.bytes.clone();
        let id = match random.below(20) {
            // The event that shares the conditions of the first, and one that is not selected.
            0 if id == FIRST_ID => FIRST_ID + 55,
            1 => FIRST_ID - 1,
            _ => id,
        };
        record[..2].copy_from_slice(&id.to_le_bytes());
        let delta = random.below(1000) as u32;
        match record.len() {
            length @ ..=112 if length % 4 == 0 => {
                data.extend(((delta << 5) | (length as u32 / 4)).to_le_bytes())
            }
            length => {
                data.extend((delta << 5).to_le_bytes());
                data.extend((length as u32 + 4).to_le_bytes());
            }
        }
        data.extend(&record);
        let is_last = std::ptr::eq(asked, &records[records.len() - 1]);
        // The last record of a page need not be rounded up.
        if !is_last {
            data.resize(data.len().next_multiple_of(4), 0xaa);
        }
    }
    data
}

/// Returns what code selects of entries: with room for a few records between guards, and then with a vector if that is as
/// it is meant.
pub(crate) fn says(
    code: &Code,
    rooms: &mut Rooms,
    data: &[u8],
    cpu: u32,
    (memory, random): (Memory, &mut Random),
    means: &Outcome,
) -> Outcome {
    let side = if random.once_in(2) { Side::First } else { Side::Second };
    let more = random.pick(&[0, 0, 1, 2, 60]);
    let guarded = rooms.with(code, data, (side, more), |data, room| {
        walked(data, |entries, selected| code.select_in(entries, cpu, selected, room))
    });
    if guarded != *means || memory == Memory::Guarded {
        return guarded;
    }
    rooms.with(code, data, (side, more), |data, _| outcome(code, data, cpu))
}

/// Returns what a filter selects of entries, and where its walk ends.
pub(crate) fn outcome(filter: &dyn PageFilter, data: &[u8], cpu: u32) -> Outcome {
    walked(data, |entries, selected| filter.select(entries, cpu, selected))
}

/// Returns what a walk selects of entries, and where it ends.
fn walked(
    data: &[u8],
    select: impl FnOnce(&mut Entries<'_>, &mut Vec<Selected>) -> Result<u64, PageError>,
) -> Outcome {
    let mut header = [0; 16];
    header[..8].copy_from_slice(&1_000_000_u64.to_le_bytes());
    header[8..].copy_from_slice(&(data.len() as u64).to_le_bytes());
    let layout = PageLayout { size: 1 << 20, ..PageLayout::default() };
    let head = PageHead::new(&layout, &header, header.len() + data.len()).expect("a header");
    let mut entries = head.part(data, head.timestamp());
    let mut selected = Vec::new();
    let result = select(&mut entries, &mut selected);
    (selected, result, (entries.offset(), entries.timestamp(), entries.is_padded()))
}

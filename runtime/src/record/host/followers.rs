//! Stacks, which are records of their own, and follow the record that they belong to.
//!
//! A stack has the header of its record (kernel/trace/trace.c, `trace_event_buffer_commit`: one `trace_ctx` for both).
//! Between the two there may be records of interrupts, and the border of a page.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Entries;
use tracec_kernel::record::{Decoder, Record};
use tracec_kernel::selection::Selected;

/// The stacks that the options of an instance write after each record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// Whether `stacktrace` is set.
    pub kernel: bool,
    /// Whether `userstacktrace` is set.
    pub user: bool,
}

/// The stacks that may follow the records of each ring.
#[derive(Debug)]
pub(super) struct Followers {
    /// Reads the headers of records.
    decoder: Arc<Decoder>,
    known: Known,
}

/// What is known of them, by the lane of a ring: several buffers have a ring for each CPU.
#[derive(Debug)]
enum Known {
    /// The options of a session write them after each record. If the kernel's filter had dropped the record, there would
    /// be none. Stacks of a trigger are kept, since a `filter` affects recording only: an option's stack comes before a
    /// trigger's, so that it is the first in the ring with the header of its record.
    Expected { stacks: Stacks, orphans: FxHashMap<usize, Vec<Orphan>> },
    /// It is not known what wrote those of a recording: each belongs to the last record with its header, and is dropped
    /// with it. One whose record is lost has none that is shown. A lane without an entry had no stack so far: its records
    /// were not looked at, except for those that are kept.
    Recorded(FxHashMap<usize, Vec<Seen>>),
}

/// The expected stacks of a dropped record.
#[derive(Debug)]
struct Orphan {
    header: Header,
    missing: Stacks,
}

/// The last record with its header.
#[derive(Debug)]
struct Seen {
    header: Header,
    is_kept: bool,
}

/// The common fields that a stack shares with its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    pid: i32,
    flags: u8,
    preempt_count: u8,
}

/// The number of records per ring whose stacks may follow. A CPU has four nested contexts; older ones got no stack.
const OPEN: usize = 8;

/// The number of the condition that selects stacks, whatever they belong to.
pub(super) const STACK: u32 = 1;

/// The number of a stack that follows a record that is kept.
const FOLLOWS: u32 = 2;

/// Returns whether an event is that of stacks.
pub(in crate::record) fn is_stack(format: &EventFormat) -> bool {
    format.system == "ftrace" && matches!(format.name.as_str(), "kernel_stack" | "user_stack")
}

impl Followers {
    /// Returns those of a session whose options write these stacks after each record.
    pub(super) fn expected(stacks: Stacks, decoder: Decoder) -> Self {
        let known = Known::Expected { stacks, orphans: FxHashMap::default() };
        Followers { decoder: Arc::new(decoder), known }
    }

    /// Returns those of a recording.
    pub(super) fn recorded(decoder: Decoder) -> Self {
        Followers { decoder: Arc::new(decoder), known: Known::Recorded(FxHashMap::default()) }
    }

    /// Returns those of other lanes of the same recording, of which nothing is known yet.
    pub(super) fn others(&self) -> Self {
        let known = match &self.known {
            Known::Expected { stacks, .. } => {
                Known::Expected { stacks: *stacks, orphans: FxHashMap::default() }
            }
            Known::Recorded(_) => Known::Recorded(FxHashMap::default()),
        };
        Followers { decoder: Arc::clone(&self.decoder), known }
    }

    /// Forgets what may follow in a ring that has lost records.
    pub(super) fn lost(&mut self, lane: usize) {
        match &mut self.known {
            Known::Expected { orphans, .. } => drop(orphans.remove(&lane)),
            Known::Recorded(seen) => seen.get_mut(&lane).into_iter().for_each(Vec::clear),
        }
    }

    /// Returns whether the records of a lane have to be looked at for the stacks among those that were selected: of a
    /// recording that is so from its first stack on.
    pub(super) fn is_followed(&self, lane: usize) -> bool {
        match &self.known {
            Known::Expected { .. } => true,
            Known::Recorded(seen) => seen.contains_key(&lane),
        }
    }

    /// Looks at the records of a lane from here on.
    pub(super) fn follow(&mut self, lane: usize) {
        if let Known::Recorded(seen) = &mut self.known {
            seen.entry(lane).or_default();
        }
    }

    /// Takes a page of a lane before all that were taken. `kept` are the records of the page that were selected. Returns
    /// whether the one before it matters too.
    pub(super) fn remember(&mut self, lane: usize, entries: Entries<'_>, kept: &mut [Selected]) -> bool {
        let Known::Recorded(lanes) = &mut self.known else { return false };
        let mut older = Vec::new();
        let (_, is_cut) = look(&mut older, &self.decoder, entries, kept);
        let seen = lanes.entry(lane).or_default();
        for one in older.into_iter().rev() {
            if seen.len() < OPEN && seen.iter().all(|known| known.header != one.header) {
                seen.insert(0, one);
            }
        }
        !is_cut && seen.len() < OPEN
    }

    /// Drops those of the selected records of a ring that were rejected, and the stacks that belong to records that were
    /// dropped. `entries` are those that were walked over. Returns the number of stacks.
    pub(super) fn drop_from(&mut self, kept: &mut Vec<Selected>, entries: Entries<'_>, lane: usize) -> u64 {
        let Followers { decoder, known } = self;
        match known {
            Known::Expected { stacks, orphans } => {
                let (orphans, bytes, mut dropped) = (orphans.entry(lane).or_default(), entries.bytes(), 0);
                kept.retain(|selected| {
                    // A record without a layout has no header that is known.
                    let Ok(record) = decoder.record(selected.record(bytes)) else { return true };
                    if is_stack(record.format) {
                        let is_orphan = is_orphan(orphans, &record);
                        dropped += u64::from(is_orphan);
                        return !is_orphan;
                    }
                    let is_kept = selected.condition != Selected::REJECTED;
                    note(orphans, &record, (!is_kept).then_some(*stacks));
                    is_kept
                });
                dropped
            }
            Known::Recorded(seen) => {
                let (dropped, _) = look(seen.entry(lane).or_default(), decoder, entries, kept);
                kept.retain(|selected| selected.condition != STACK);
                dropped
            }
        }
    }
}

/// Notes the last record of each context, and marks the stacks among the selected records that follow one that is kept.
/// Returns the number of the others, and whether a record without a layout made all before it of no account.
fn look(
    seen: &mut Vec<Seen>,
    decoder: &Decoder,
    mut entries: Entries<'_>,
    kept: &mut [Selected],
) -> (u64, bool) {
    let (mut dropped, mut is_cut) = (0, false);
    let mut selected = kept.iter_mut().peekable();
    // The walk that selected the records has ended at the first error.
    while let Some(Ok(entry)) = entries.next() {
        let offset = (entries.offset() - entry.data.len().next_multiple_of(4)) as u32;
        let (mut is_kept, mut stack) = (false, None);
        while let Some(selected) = selected.next_if(|selected| selected.offset == offset) {
            match selected.condition {
                STACK => stack = Some(selected),
                _ => is_kept = true,
            }
        }
        let Ok(record) = decoder.record(entry.data) else {
            // Its header is not known, so a stack with any header may be its own.
            seen.clear();
            is_cut = true;
            continue;
        };
        let header = Header::of(&record);
        let last = seen.iter().position(|seen| seen.header == header);
        if let (Some(stack), false) = (stack, is_kept) {
            match last.and_then(|last| seen.get(last)).is_some_and(|seen| seen.is_kept) {
                true => stack.condition = FOLLOWS,
                false => dropped += 1,
            }
            continue;
        }
        last.map(|last| seen.remove(last));
        push(seen, Seen { header, is_kept });
    }
    (dropped, is_cut)
}

/// Notes the next record of a context, and the stacks that are expected if it is dropped.
fn note(orphans: &mut Vec<Orphan>, record: &Record<'_>, missing: Option<Stacks>) {
    let header = Header::of(record);
    // The stacks of the record before it did not come and will not.
    orphans.retain(|orphan| orphan.header != header);
    if let Some(missing) = missing {
        push(orphans, Orphan { header, missing });
    }
}

/// Returns whether a stack belongs to a record that was dropped.
fn is_orphan(orphans: &mut [Orphan], stack: &Record<'_>) -> bool {
    let header = Header::of(stack);
    let Some(orphan) = orphans.iter_mut().find(|orphan| orphan.header == header) else { return false };
    let missing =
        if stack.format.name == "user_stack" { &mut orphan.missing.user } else { &mut orphan.missing.kernel };
    std::mem::replace(missing, false)
}

/// Adds one to those whose stacks may follow; the oldest makes room.
fn push<T>(open: &mut Vec<T>, new: T) {
    if open.len() == OPEN {
        open.remove(0);
    }
    open.push(new);
}

impl Header {
    fn of(record: &Record<'_>) -> Self {
        Header {
            pid: record.common_pid(),
            flags: record.common_flags(),
            preempt_count: record.common_preempt_count(),
        }
    }
}

//! Stacks, which are records of their own, and follow the record that they belong to.
//!
//! A stack has the header of its record (kernel/trace/trace.c, `trace_event_buffer_commit`: one `trace_ctx` for both).
//! Between the two there may be records of interrupts, and the border of a page.

use rustc_hash::FxHashMap;
use tracec_kernel::format::EventFormat;
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
    decoder: Decoder,
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
    /// with it. One whose record is lost has none that is shown.
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

/// Returns whether an event is that of stacks.
pub(super) fn is_stack(format: &EventFormat) -> bool {
    format.system == "ftrace" && matches!(format.name.as_str(), "kernel_stack" | "user_stack")
}

impl Followers {
    /// Returns those of a session whose options write these stacks after each record.
    pub(super) fn expected(stacks: Stacks, decoder: Decoder) -> Self {
        Followers { decoder, known: Known::Expected { stacks, orphans: FxHashMap::default() } }
    }

    /// Returns those of a recording.
    pub(super) fn recorded(decoder: Decoder) -> Self {
        Followers { decoder, known: Known::Recorded(FxHashMap::default()) }
    }

    /// Forgets what may follow in a ring that has lost records.
    pub(super) fn lost(&mut self, lane: usize) {
        match &mut self.known {
            Known::Expected { orphans, .. } => drop(orphans.remove(&lane)),
            Known::Recorded(seen) => drop(seen.remove(&lane)),
        }
    }

    /// Drops those of the records of a ring that were rejected, and the stacks that belong to records that were dropped.
    /// `bytes` are those of the walk. Returns the number of stacks.
    pub(super) fn drop_from(&mut self, kept: &mut Vec<Selected>, bytes: &[u8], lane: usize) -> u64 {
        let Followers { decoder, known } = self;
        let mut dropped = 0;
        match known {
            Known::Expected { stacks, orphans } => {
                let orphans = orphans.entry(lane).or_default();
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
            }
            Known::Recorded(seen) => {
                let seen = seen.entry(lane).or_default();
                kept.retain(|selected| {
                    let is_kept = selected.condition <= Selected::LAST_NUMBER;
                    let Ok(record) = decoder.record(selected.record(bytes)) else {
                        // Its header is not known, so a stack with any header may be its own.
                        seen.clear();
                        return is_kept;
                    };
                    let header = Header::of(&record);
                    let last = seen.iter().position(|seen| seen.header == header);
                    if is_stack(record.format) && !is_kept {
                        let follows = last.and_then(|last| seen.get(last)).is_some_and(|seen| seen.is_kept);
                        dropped += u64::from(!follows);
                        return follows;
                    }
                    last.map(|last| seen.remove(last));
                    push(seen, Seen { header, is_kept });
                    is_kept
                });
            }
        }
        dropped
    }
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

//! Stacks, which are records of their own, and follow the record that they belong to.
//!
//! A stack has the header of its record (kernel/trace/trace.c, `trace_event_buffer_commit`: one `trace_ctx` for both).
//! Between the two there may be records of interrupts, and the border of a page.

use rustc_hash::FxHashMap;
use tracec_kernel::format::EventFormat;
use tracec_kernel::record::Record;
use tracec_kernel::selection::Selected;

/// The stacks that the options of an instance write after each record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// Whether `stacktrace` is set.
    pub kernel: bool,
    /// Whether `userstacktrace` is set.
    pub user: bool,
}

/// What is known of the stacks that may follow, by CPU.
#[derive(Debug, Default)]
pub(super) enum Followers {
    /// There are none.
    #[default]
    None,
    /// The options of a session write them after each record. If the kernel's filter had dropped the record, there would
    /// be none. Stacks of a trigger are kept, since a `filter` affects recording only: an option's stack comes before a
    /// trigger's, so that it is the first on the CPU with the header of its record.
    Expected { stacks: Stacks, orphans: FxHashMap<u32, Vec<Orphan>> },
    /// It is not known what wrote those of a recording: each belongs to the last record with its header, and is dropped
    /// with it. One whose record is lost has none that is shown.
    Recorded(FxHashMap<u32, Vec<Seen>>),
}

/// The expected stacks of a dropped record.
#[derive(Debug)]
pub(super) struct Orphan {
    header: Header,
    missing: Stacks,
}

/// The last record with its header.
#[derive(Debug)]
pub(super) struct Seen {
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

/// The number of records per CPU whose stacks may follow. A CPU has four nested contexts; older ones got no stack.
const OPEN: usize = 8;

/// Returns whether an event is that of stacks.
pub(super) fn is_stack(format: &EventFormat) -> bool {
    format.system == "ftrace" && matches!(format.name.as_str(), "kernel_stack" | "user_stack")
}

impl Followers {
    /// Returns the state of a session whose options write these stacks.
    pub(super) fn expected(stacks: Stacks) -> Self {
        if stacks == Stacks::default() {
            return Followers::None;
        }
        Followers::Expected { stacks, orphans: FxHashMap::default() }
    }

    /// Returns the state of a recording.
    pub(super) fn recorded() -> Self {
        Followers::Recorded(FxHashMap::default())
    }

    /// Forgets what may follow on a CPU that has lost records.
    pub(super) fn lost(&mut self, cpu: u32) {
        match self {
            Followers::None => {}
            Followers::Expected { orphans, .. } => drop(orphans.remove(&cpu)),
            Followers::Recorded(seen) => drop(seen.remove(&cpu)),
        }
    }

    /// Drops those of the records of a CPU, from the index `first` on, that were rejected, and the stacks that belong to
    /// records that were dropped. `record` reads a record whose layout is known. Returns the number of stacks.
    pub(super) fn drop_from<'a>(
        &mut self,
        kept: &mut Vec<Selected>,
        first: usize,
        cpu: u32,
        record: impl Fn(&Selected) -> Option<Record<'a>>,
    ) -> u64 {
        let mut dropped = 0;
        match self {
            Followers::None => {}
            Followers::Expected { stacks, orphans } => {
                let orphans = orphans.entry(cpu).or_default();
                retain_from(kept, first, |selected| {
                    // A record without a layout has no header that is known.
                    let Some(record) = record(selected) else { return true };
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
            Followers::Recorded(seen) => {
                let seen = seen.entry(cpu).or_default();
                retain_from(kept, first, |selected| {
                    let is_kept = selected.condition <= Selected::LAST_NUMBER;
                    let Some(record) = record(selected) else { return is_kept };
                    let header = Header::of(&record);
                    // The last one is found first.
                    let last = seen.iter().rposition(|seen| seen.header == header);
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

/// Keeps those from an index on for which a function says so.
fn retain_from(kept: &mut Vec<Selected>, first: usize, mut keeps: impl FnMut(&Selected) -> bool) {
    let mut index = 0;
    kept.retain(|selected| {
        index += 1;
        index <= first || keeps(selected)
    });
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

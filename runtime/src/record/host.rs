//! The host's conditions, those that kernel filters cannot express, evaluated on raw records.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use tracec_kernel::condition::context::RecordedOn;
use tracec_kernel::condition::eval::Predicate;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::HostCondition;
use tracec_kernel::record::Record;

/// A filter of the records of a session or a recording. The default keeps all.
///
/// Dropping a record also drops the stacks that the options `stacktrace` and `userstacktrace` wrote after it: if the
/// kernel's filter had dropped the record, there would be none. Stacks of a trigger are kept, since a `filter` affects
/// recording only. An option's stack comes before a trigger's, and has the header of its event (kernel/trace/trace.c,
/// `trace_event_buffer_commit`: one `trace_ctx` for both), so it is the first stack on the CPU with the same header.
#[derive(Debug, Default)]
pub struct HostFilter {
    /// The conditions of each event, by its id.
    conditions: FxHashMap<u16, Vec<Predicate>>,
    stacks: Stacks,
    /// The stacks of records that were dropped, by CPU.
    orphans: FxHashMap<u32, Vec<Orphan>>,
    dropped: u64,
}

/// The stacks that the options of an instance write after each record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// Whether `stacktrace` is set.
    pub kernel: bool,
    /// Whether `userstacktrace` is set.
    pub user: bool,
}

/// The expected stacks of a dropped record.
#[derive(Debug)]
struct Orphan {
    header: Header,
    missing: Stacks,
}

/// The common fields that a stack shares with its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    pid: i32,
    flags: u8,
    preempt_count: u8,
}

/// The number of dropped records per CPU whose stacks are expected. A CPU has four nested contexts; older entries got
/// no stack.
const ORPHANS: usize = 8;

impl HostFilter {
    /// Creates a filter from the host's conditions of a plan. Their fields must be those of `formats`
    /// ([`rebind`](tracec_kernel::condition::rebind::rebind)), the layouts that records are read with. An event without
    /// a layout has no records.
    pub fn new(formats: &[EventFormat], host: &[HostCondition]) -> Self {
        let known: HashMap<String, &EventFormat> =
            formats.iter().map(|format| (format.qualified_name(), format)).collect();
        let mut conditions: FxHashMap<u16, Vec<Predicate>> = FxHashMap::default();
        for host in host {
            if let Some(format) = known.get(&host.event) {
                conditions.entry(format.id).or_default().push(Predicate::new(&host.condition, format));
            }
        }
        HostFilter { conditions, ..HostFilter::default() }
    }

    /// Returns whether there are no conditions.
    pub(crate) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Sets the stacks that follow each record.
    pub fn set_stacks(&mut self, stacks: Stacks) {
        self.stacks = stacks;
    }

    /// Returns the number of records that were dropped so far, without stacks.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets the stacks that are expected on a CPU that has lost records.
    pub(crate) fn lost(&mut self, cpu: u32) {
        self.orphans.remove(&cpu);
    }

    /// Returns whether a record is kept.
    pub(crate) fn keeps(&mut self, record: &Record<'_>, cpu: u32) -> bool {
        if self.is_empty() {
            return true;
        }
        if record.stack().is_some() {
            return !self.is_orphan(record, cpu);
        }
        let conditions = self.conditions.get(&record.format.id).map_or(&[][..], Vec::as_slice);
        let keeps = conditions.iter().all(|condition| condition.holds(record, &RecordedOn { cpu }));
        self.note(record, cpu, keeps);
        keeps
    }

    /// Counts a record, and notes its stacks if it is dropped.
    fn note(&mut self, record: &Record<'_>, cpu: u32, keeps: bool) {
        self.dropped += u64::from(!keeps);
        if self.stacks == Stacks::default() {
            return;
        }
        let header = Header::of(record);
        let orphans = self.orphans.entry(cpu).or_default();
        // This is the next record of the same context: the stacks before it did not come and will not.
        orphans.retain(|orphan| orphan.header != header);
        if !keeps {
            if orphans.len() == ORPHANS {
                orphans.remove(0);
            }
            orphans.push(Orphan { header, missing: self.stacks });
        }
    }

    /// Returns whether a stack belongs to a record that was dropped.
    fn is_orphan(&mut self, stack: &Record<'_>, cpu: u32) -> bool {
        let header = Header::of(stack);
        let Some(orphans) = self.orphans.get_mut(&cpu) else { return false };
        let Some(orphan) = orphans.iter_mut().find(|orphan| orphan.header == header) else { return false };
        let missing = if stack.format.name == "user_stack" {
            &mut orphan.missing.user
        } else {
            &mut orphan.missing.kernel
        };
        std::mem::replace(missing, false)
    }
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

#[cfg(test)]
mod tests;

//! What the host decides: conditions that the kernel's filters could not take, on raw records.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use tracec_kernel::condition::context::Context;
use tracec_kernel::condition::eval::Predicate;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::HostCondition;
use tracec_kernel::record::Record;

/// The records of a session or a recording that are kept. The default keeps all.
///
/// A record that is not kept takes the stacks with it that the options `stacktrace` and `userstacktrace` have written
/// behind it: had the kernel's filter dropped the record, there would be none. Stacks of a trigger stay, since a
/// `filter` narrows recording only. An option's stack comes before a trigger's, and carries the header of its event
/// (kernel/trace/trace.c, `trace_event_buffer_commit`: one `trace_ctx` for both), so it is the first stack on the CPU
/// that has the same header.
#[derive(Debug, Default)]
pub struct HostFilter {
    /// The conditions of each event, by its id.
    conditions: FxHashMap<u16, Vec<Predicate>>,
    stacks: Stacks,
    /// The stacks that belong to records which were not kept, by CPU.
    orphans: FxHashMap<u32, Vec<Orphan>>,
    dropped: u64,
}

/// Which stacks the options of an instance put behind each record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// `stacktrace`.
    pub kernel: bool,
    /// `userstacktrace`.
    pub user: bool,
}

/// Stacks that go where their record went.
#[derive(Debug)]
struct Orphan {
    header: Header,
    missing: Stacks,
}

/// The common fields by which a stack resembles its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    pid: i32,
    flags: u8,
    preempt_count: u8,
}

/// Records whose stacks are waited for, per CPU. A CPU has four nested contexts; what is beyond that got no stack.
const ORPHANS: usize = 8;

/// The moment of a record, as far as its reader knows it.
struct Moment {
    cpu: u32,
}

impl HostFilter {
    /// Takes the host's conditions of a plan. Their fields must be those of `formats`
    /// ([`rebind`](tracec_kernel::condition::rebind::rebind)), the layouts that records are read with; an event that
    /// has none there has no records either.
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

    /// Whether it has nothing to decide.
    pub(crate) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Says which stacks follow each record.
    pub fn set_stacks(&mut self, stacks: Stacks) {
        self.stacks = stacks;
    }

    /// Records that were not kept so far, stacks not counted.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets what is waited for on a CPU that has lost records.
    pub(crate) fn lost(&mut self, cpu: u32) {
        self.orphans.remove(&cpu);
    }

    /// Whether a record is kept.
    pub(crate) fn keeps(&mut self, record: &Record<'_>, cpu: u32) -> bool {
        if self.is_empty() {
            return true;
        }
        if record.stack().is_some() {
            return !self.is_orphan(record, cpu);
        }
        let conditions = self.conditions.get(&record.format.id).map_or(&[][..], Vec::as_slice);
        let keeps = conditions.iter().all(|condition| condition.holds(record, &Moment { cpu }));
        self.note(record, cpu, keeps);
        keeps
    }

    /// Counts, and remembers which stacks are to go.
    fn note(&mut self, record: &Record<'_>, cpu: u32, keeps: bool) {
        self.dropped += u64::from(!keeps);
        if self.stacks == Stacks::default() {
            return;
        }
        let header = Header::of(record);
        let orphans = self.orphans.entry(cpu).or_default();
        // The next record of the same context: what has not come by now does not come.
        orphans.retain(|orphan| orphan.header != header);
        if !keeps {
            if orphans.len() == ORPHANS {
                orphans.remove(0);
            }
            orphans.push(Orphan { header, missing: self.stacks });
        }
    }

    /// Whether a stack belongs to a record that was not kept.
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

impl Context for Moment {
    fn cpu(&self) -> Option<u32> {
        Some(self.cpu)
    }

    fn tgid(&self) -> Option<i32> {
        None
    }

    fn comm(&self) -> Option<&[u8]> {
        None
    }

    fn kernel_text(&self, _: u64) -> Option<&[u8]> {
        None
    }

    fn user_text(&self, _: u64) -> Option<&[u8]> {
        None
    }

    fn function(&self, _: &str) -> Option<std::ops::Range<u64>> {
        None
    }
}

#[cfg(test)]
mod tests;

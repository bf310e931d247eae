//! The names in an event's filter for the CPU and the task, which are not fields of the event.
//!
//! The kernel's filter has the CPU and the task's name as fields, under several names ([`generic_fields`]), and finds
//! the thread in the header as [`common_pid`](crate::tables::header_fields). A field of the event with such a name
//! hides it (`trace_find_event_field` in kernel/trace/trace_events.c). Static events have `cpu` and `comm` of their
//! own; the fields of probes, and of other events that are made at run time, may have any name.

use super::FilterOperand;
use crate::format::{EventFormat, TASK_PID};
use crate::tables::generic_fields::{self, Meaning};

/// The names of generic values in the filter of one event. `None` means that the value cannot be named: fields of the
/// event have all of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spelling {
    /// The name of the CPU.
    pub cpu: Option<&'static str>,
    /// The name of the task's name.
    pub comm: Option<&'static str>,
    /// The name of the thread id.
    pub pid: Option<&'static str>,
}

impl Spelling {
    /// The spelling at an event that hides none of the names.
    pub const USUAL: Spelling =
        Spelling { cpu: Some(generic_fields::CPU), comm: Some(generic_fields::COMM), pid: Some(TASK_PID) };

    /// Returns the spelling at an event.
    pub fn at(event: &EventFormat) -> Spelling {
        let is_own = |name: &str| event.own_fields().iter().any(|field| field.name == name);
        let generic = |meaning: Meaning| {
            let known =
                generic_fields::ALL.iter().filter(|field| field.in_filter && field.meaning == meaning);
            known.map(|field| field.name).find(|name| !is_own(name))
        };
        Spelling {
            cpu: generic(Meaning::Cpu),
            comm: generic(Meaning::Comm),
            pid: event.task_pid().map(|_| TASK_PID).filter(|name| !is_own(name)),
        }
    }

    /// Returns whether the filter has no name for the operand of a test.
    pub(in crate::condition) fn hides(&self, operand: &FilterOperand<'_>) -> bool {
        match operand {
            FilterOperand::Cpu => self.cpu.is_none(),
            FilterOperand::Comm => self.comm.is_none(),
            FilterOperand::Pid => self.pid.is_none(),
            FilterOperand::Field(_) | FilterOperand::Tgid | FilterOperand::Constant => false,
        }
    }
}

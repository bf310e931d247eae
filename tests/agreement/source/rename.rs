//! A task that renames itself: strings in fixed arrays.

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const FIELDS: &[Field] = &[
    chosen("newcomm", Kind::FixedText, 0),
    // The task's own name is the old one while the event fires, and so are the pseudo-fields.
    given("oldcomm", Kind::FixedText),
    given("COMM", Kind::TaskName),
    given("comm", Kind::TaskName),
    given("CPU", Kind::Cpu),
    given("common_cpu", Kind::Cpu),
];

/// `task:task_rename`.
#[derive(Debug)]
pub(crate) struct Rename;

impl Source for Rename {
    fn event(&self) -> &'static str {
        "task/task_rename"
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    fn batch(&self) -> usize {
        160
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        match stimulus.values.first() {
            Some(Value::Text(name)) => super::rename(name),
            other => Err(format!("a name is text, not {other:?}").into()),
        }
    }

    /// Returns the key is the two names and the CPU. Setting the name of a stimulus makes a record too, which may have
    /// the key of another stimulus.
    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        let name = |field| fixed(format, field, record).map(until_nul);
        Some([name("oldcomm")?, b"\0", name("newcomm")?, &record.cpu.to_ne_bytes()].concat())
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        let name = match stimulus.values.first() {
            Some(Value::Text(name)) => name.as_slice(),
            _ => &[],
        };
        [&stimulus.task, b"\0".as_slice(), name, &stimulus.cpu.to_ne_bytes()].concat()
    }

    /// Returns the identity is all of the two arrays: the bytes after the NUL are left from before, and a suffix is
    /// compared with them. The header is excluded, since a tick may change its flags between two instances.
    fn identity(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        let names = [fixed(format, "oldcomm", record)?, fixed(format, "newcomm", record)?].concat();
        Some([names.as_slice(), &record.cpu.to_ne_bytes()].concat())
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

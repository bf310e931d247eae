//! The BPF programs of a session, which record in the place of tracefs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Span;
use crate::tables::limits::TASK_COMM_LEN;

/// An object of programs, and where each is attached. They exist as long as the process that loads them holds them, so
/// that nothing has to undo them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    /// The object, as libbpf loads it.
    #[serde(serialize_with = "hexadecimal", deserialize_with = "of_hexadecimal")]
    pub object: Vec<u8>,
    /// The programs. The index of each is that of its count of lost records.
    pub programs: Vec<Program>,
    /// Whether the records of tracec's own process are left out.
    pub leave_out_tracec: bool,
}

/// A program at an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The name of its function.
    pub name: String,
    /// The event, `system:name`.
    pub event: String,
    /// Where it is attached, as the sections of objects are named: `tracepoint/SYSTEM/NAME` at an event of the kernel, and
    /// any other for an event that the program defines.
    pub section: String,
    /// How many instructions it has.
    pub instructions: usize,
    /// The span of the clause that it is for.
    pub origin: Span,
}

impl Program {
    /// What the section of a program at an event of the kernel begins with.
    pub const TRACEPOINT: &str = "tracepoint/";

    /// Returns whether it is at an event of the kernel, and does not define one.
    pub fn is_at_tracepoint(&self) -> bool {
        self.section.starts_with(Self::TRACEPOINT)
    }
}

impl Programs {
    /// The name of the ring buffer with the records. In front of each are its time in nanoseconds and the CPU, 8 bytes
    /// each, and the name of the task.
    pub const RECORDS: &str = "records";
    /// The name of the array with the numbers of lost records, one of 8 bytes for each program and CPU.
    pub const LOST: &str = "lost";
    /// Where in a value of that map the count is of the times that a program found its memory in use by another task.
    pub const MISSED_AT: usize = 8;
    /// The section of the constants. The first four bytes are the process whose records are left out.
    pub const CONSTANTS: &str = ".rodata";
    /// The offset of the name of the task in front of a record, bytes.
    pub const COMM_AT: usize = 16;
    /// Bytes in front of a record.
    pub const HEAD_BYTES: usize = Self::COMM_AT + TASK_COMM_LEN;
}

fn hexadecimal<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    serializer.serialize_str(&digits)
}

fn of_hexadecimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> =
        pairs.map(|pair| Some((digit(pair[0])? << 4) | digit(*pair.get(1)?)?)).collect();
    bytes.ok_or_else(|| {
        serde::de::Error::custom("an object is a text of hexadecimal digits, two for each byte")
    })
}

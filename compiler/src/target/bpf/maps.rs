//! The maps of an object, in the order of their numbers.

use tracec_kernel::plan::Programs;
use tracec_kernel::tables::limits::PROGRAM_RECORD_BYTES;

use crate::bpf::code::Map;

/// The ring buffer of the records.
pub(super) const RECORDS: Map = Map(0);
/// Two counts of each program, per CPU: of the records that there was no room for, and of the times that the program found
/// its memory in use.
pub(super) const LOST: Map = Map(1);

/// Where the second count is, and the bytes of both.
pub(super) const MISSED_AT: u32 = Programs::MISSED_AT as u32;
pub(super) const LOST_BYTES: u32 = 2 * MISSED_AT;
/// Constants: the first four bytes are the process whose records are left out.
pub(super) const CONSTANTS: Map = Map(2);
/// Memory of each program's own, per CPU.
pub(super) const MEMORY: Map = Map(3);

/// The names of the maps, by their numbers.
pub(super) const NAMES: [&str; 4] = [Programs::RECORDS, Programs::LOST, "constants", "memory"];

/// Returns the name of a map.
pub(super) fn name(map: Map) -> &'static str {
    NAMES[map.0 as usize]
}

/// Bytes in front of a record in the ring buffer: the time, the CPU, four of nothing, and the name of the task.
pub(super) const HEAD_BYTES: u32 = Programs::HEAD_BYTES as u32;

/// Where the name of the task is in front of a record.
pub(super) const COMM_AT: u32 = Programs::COMM_AT as u32;

/// Bytes of a program's own memory: a text, behind it a record with its head, behind that a byte for each field of a probe,
/// and the word by which a task claims it.
pub(super) const MEMORY_BYTES: u32 = CLAIM_AT + 8;

/// Where a record is in a program's own memory, with its head in front.
pub(super) const RECORD_AT: u32 = PROGRAM_RECORD_BYTES + HEAD_BYTES;

/// Where the bytes are that say which fields of a probe could not be read.
pub(super) const FAULTS_AT: u32 = RECORD_AT + PROGRAM_RECORD_BYTES;

/// Where the word is that is 1 while a task uses the memory.
pub(super) const CLAIM_AT: u32 = FAULTS_AT + FAULTS;

/// The most fields of a probe that may be impossible to read.
pub(super) const FAULTS: u32 = 128;

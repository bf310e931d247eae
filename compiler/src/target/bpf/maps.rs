//! The maps of an object, in the order of their numbers.

use tracec_kernel::tables::limits::PROGRAM_RECORD_BYTES;

use crate::bpf::code::Map;

/// The ring buffer of the records.
pub(super) const RECORDS: Map = Map(0);
/// How many records of each program there was no room for, per CPU.
pub(super) const LOST: Map = Map(1);
/// Constants: the first four bytes are the process whose records are left out.
pub(super) const CONSTANTS: Map = Map(2);
/// Memory of each program's own, per CPU.
pub(super) const MEMORY: Map = Map(3);

/// Bytes in front of a record in the ring buffer: the time, the CPU, and four of nothing.
pub(super) const HEAD_BYTES: u32 = 16;

/// Bytes of a program's own memory: a text, and behind it a record with its head.
pub(super) const MEMORY_BYTES: u32 = PROGRAM_RECORD_BYTES + RECORD_AT;

/// Where a record is in a program's own memory, with its head in front.
pub(super) const RECORD_AT: u32 = PROGRAM_RECORD_BYTES + HEAD_BYTES;

//! Records: read from the rings of a running session or from a trace.dat file, ordered in time.

pub(crate) mod host;
pub(crate) mod merge;
pub(crate) mod names;
mod report;
pub(crate) mod ring;
pub(crate) mod stats;
pub(crate) mod symbols;
#[cfg(test)]
pub(crate) mod testing;
mod trace_dat;

pub use report::{Report, ReportError, report};
pub use trace_dat::{Buffer, CpuData, TraceDat, TraceDatError};

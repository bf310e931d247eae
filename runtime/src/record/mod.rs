//! Records: read from the rings of a running session or from a trace.dat file, taken to a sink by one `pipeline`.

pub(crate) mod host;
pub(crate) mod merge;
pub(crate) mod names;
pub(crate) mod pipeline;
mod report;
pub(crate) mod ring;
pub(crate) mod stats;
pub(crate) mod symbols;
#[cfg(test)]
pub(crate) mod testing;
mod trace_dat;

pub use host::{HostFilter, Stacks};
pub use report::{Report, ReportError, report, report_if};
pub use trace_dat::{Buffer, CpuData, TraceDat, TraceDatError};

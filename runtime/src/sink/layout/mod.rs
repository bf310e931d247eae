//! The layouts of lines in which other programs show records: those of the kernel's file `trace`, and those of trace-cmd.
//!
//! They are forms of a recording's report. No plan names one: that of the kernel is also the form `text` of a live session.

mod calls;
mod contexts;
mod flags;
mod functions;
mod graph;
mod kernel;
mod latency;
mod losses;
mod trace_cmd;

use super::Form;

pub use graph::CallColumns;
pub use kernel::{Display, FUNCTION_GRAPH_LAYOUT, KERNEL_LAYOUT, kernel_layout};
pub use latency::Latency;
pub use trace_cmd::{TRACE_CMD_3_1, TRACE_CMD_3_3, TraceCmdDisplay, trace_cmd_layout};

/// All layouts, the default of reports first.
pub static LAYOUTS: [&Form; 4] = [&KERNEL_LAYOUT, &FUNCTION_GRAPH_LAYOUT, &TRACE_CMD_3_1, &TRACE_CMD_3_3];

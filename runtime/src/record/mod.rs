//! Records of a running session's ring buffers or of a trace.dat file, passed to a sink by one `pipeline`.

#[expect(clippy::disallowed_methods, reason = "asks for the process of a thread")]
pub(crate) mod children;
pub(crate) mod dumper;
#[expect(clippy::disallowed_methods, reason = "reads kallsyms, types and the release of the running kernel")]
pub(crate) mod environment;
#[expect(clippy::disallowed_types, reason = "reads kallsyms of the running kernel")]
pub(crate) mod facts;
#[expect(clippy::disallowed_types, reason = "a recording is a file of the user")]
mod filtered;
pub(crate) mod host;
#[expect(clippy::disallowed_types, reason = "a recording is a file of the user")]
pub(crate) mod lanes;
#[expect(clippy::disallowed_types, reason = "a recording is a file of the user")]
pub(crate) mod late;
pub(crate) mod layouts;
mod losses;
pub(crate) mod merge;
#[expect(clippy::disallowed_methods, reason = "reads /proc/PID/comm")]
pub(crate) mod names;
pub(crate) mod pass;
pub(crate) mod period;
pub(crate) mod pipeline;
pub(crate) mod recorder;
#[expect(clippy::disallowed_types, reason = "a recording is a file of the user")]
mod recording;
pub(crate) mod renderer;
#[expect(clippy::disallowed_types, reason = "a recording is a file of the user")]
mod report;
pub(crate) mod ring;
pub(crate) mod shown;
pub(crate) mod stages;
pub(crate) mod stats;
pub(crate) mod symbols;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod texts;
#[expect(clippy::disallowed_types, reason = "a recording is a file of the user")]
mod trace_dat;

pub use dumper::{Covered, Dump};
pub use filtered::{Filtered, write_filtered};
pub use host::{CodeTask, CompileFilter, HostFilter, Stacks};
pub use losses::Losses;
pub use recording::{Anything, Events, FieldError, FieldOf, FieldType, Item, RecordedEvent, Recording};
pub use report::{Report, ReportError, Reported, report, report_all, report_if};
pub use ring::Damaged;
pub use trace_dat::{
    Buffer, BufferText, BufferWriter, Chunk, Compression, CpuData, Damage, Extract, FileOption, Form, Head,
    Outline, PagesRead, Part, Range, RawPages, RewriteError, Rewritten, TraceDat, TraceDatError, Version,
    Writer, option, rewrite,
};

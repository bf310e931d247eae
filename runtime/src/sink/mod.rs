//! The output of records: the [`Sink`] trait, the forms in which records are written, and the files behind them.
//!
//! Each [`Form`] is one file, whose head describes the form: `text.rs`, `json.rs`. A new form is one file and its entry
//! in [`FORMS`]. For `output "FILE"` to choose it, its file name endings are listed in `OUTPUT_FORMS` in
//! `compiler/src/check/clauses/output.rs`; a test of the command compares the names of both lists.

mod json;
mod json_line;
mod layout;
mod lines;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "writes a file of the user")]
mod new_file;
#[expect(clippy::disallowed_methods, reason = "`output` names a file of the user")]
mod open_file;
pub(crate) mod outlet;
#[expect(clippy::disallowed_methods, reason = "`output` names a file of the user")]
pub(crate) mod output;
pub(crate) mod progress;
#[expect(clippy::disallowed_methods, reason = "removes the oldest files of a session")]
pub(crate) mod rotation;
#[expect(clippy::disallowed_methods, reason = "draws on the terminal at standard error, if TERM can")]
pub(crate) mod status;
#[cfg(test)]
mod testing;
mod text;
mod trace_dat;

use std::fmt;
use std::io::{self, Write};

use rustix::fs::OFlags;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::record::Record;
use tracec_kernel::text::{Call, Environment, Function, Style, Text, TextError};

pub use json::{JSON_LINES, JSON_LINES_WITH_TEXT};
pub use json_line::{JsonLine, JsonRecord};
pub use layout::{
    CallColumns, Display, FUNCTION_GRAPH_LAYOUT, KERNEL_LAYOUT, LAYOUTS, Latency, TRACE_CMD_3_1,
    TRACE_CMD_3_3, TraceCmdDisplay, kernel_layout, trace_cmd_layout,
};
pub use new_file::NewFile;
pub use open_file::is_being_written;
pub use output::Output;
pub use rotation::{FileCounts, numbered};
pub use text::{FIELDS, Timestamps};
pub use trace_dat::TRACE_DAT;

/// The form for people: the lines of [`KERNEL_LAYOUT`], which reports have too.
pub static TEXT: Form = Form {
    name: "text",
    about: "one line a record, as the kernel prints it",
    sink: |out, timestamps| KERNEL_LAYOUT.sink(out, timestamps),
};

/// All forms.
pub static FORMS: [&Form; 3] = [&TEXT, &JSON_LINES, &TRACE_DAT];

/// A form in which records are written.
#[derive(Debug)]
pub struct Form {
    /// Its name in plans and messages.
    pub name: &'static str,
    /// A description of one line.
    pub about: &'static str,
    sink: fn(Box<dyn Write + Send>, Timestamps) -> Box<dyn Sink>,
}

/// An error for a name that no form has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no form of records is called {name:?}; there are {}", FORMS.map(Form::described).join(", "))]
pub struct UnknownForm {
    /// The name.
    pub name: String,
}

impl Form {
    /// Finds a form by its name.
    ///
    /// # Errors
    /// [`UnknownForm`].
    pub fn named(name: &str) -> Result<&'static Form, UnknownForm> {
        let found = FORMS.into_iter().find(|form| form.name == name);
        found.ok_or_else(|| UnknownForm { name: name.to_owned() })
    }

    /// Makes a sink that writes to `out`.
    pub fn sink(&self, out: Box<dyn Write + Send>, timestamps: Timestamps) -> Box<dyn Sink> {
        (self.sink)(out, timestamps)
    }

    /// Returns whether pages are written, and not records one by one.
    pub(crate) fn is_of_pages(&self) -> bool {
        std::ptr::eq(self, &TRACE_DAT)
    }

    /// Returns how a file is opened for it.
    pub(crate) fn access(&self) -> OFlags {
        if self.is_of_pages() { OFlags::RDWR } else { OFlags::WRONLY }
    }

    fn described(&self) -> String {
        format!("`{}` ({})", self.name, self.about)
    }
}

/// An address of a stack, and the function that contains it if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The address.
    pub address: u64,
    /// The function's name (`name [module]` for a module's) and the address's offset from its start in bytes.
    pub symbol: Option<(&'a str, u64)>,
}

impl fmt::Display for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbol {
            Some((name, offset)) => write!(f, "{name}+{offset:#x}"),
            None => write!(f, "{:#x}", self.address),
        }
    }
}

/// The ring of a CPU in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ring {
    /// The position of the buffer in its [`Overview`]; 0 for a live session, which has one.
    pub buffer: u32,
    /// The CPU.
    pub cpu: u32,
}

/// What is known of a recording or a session before its first record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// The number of CPUs of the machine.
    pub cpus: u32,
    /// The buffers, that of the top level first if it was recorded.
    pub buffers: Vec<BufferOverview>,
    /// The notation that trace-cmd has for the clock that the recording states for all of its buffers, beside those of
    /// each; `None` if it states none.
    pub stated: Option<Timestamps>,
}

/// What is known of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferOverview {
    /// The name that marks its records: that of the instance, which is empty for the top level, behind that of the
    /// recording where there are several.
    pub name: String,
    /// The name of the recording, where there are several.
    pub file: Option<String>,
    /// The name of the instance; empty for the top level.
    pub instance: String,
    /// The clock of its time stamps, as the kernel names it.
    pub clock: String,
    /// The notation of its time stamps.
    pub timestamps: Timestamps,
}

/// The name of a thread whose name is unknown, as the kernel prints it.
pub(crate) const UNKNOWN: &[u8] = b"<...>";

/// One record, ready to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The time stamp, in units of the instance's clock.
    pub timestamp: u64,
    /// The position of its buffer in the [`Overview`]; 0 for a live session.
    pub buffer: u32,
    /// The CPU on which it was written.
    pub cpu: u32,
    /// The name of the thread that wrote the record: up to 15 bytes, usually UTF-8; `<idle>` for pid 0, `<...>` if
    /// unknown.
    pub comm: &'a [u8],
    /// The record.
    pub record: &'a Record<'a>,
    /// The text that the kernel prints for the record, or that of the sink's [style](Sink::style); `None` if the event's
    /// `print fmt` cannot be compiled, or if the sink needs none.
    pub text: Option<Printed<'a>>,
    /// The frames of a stack, innermost first; `None` if the record is not a stack (`ftrace:kernel_stack`,
    /// `ftrace:user_stack`).
    pub stack: Option<&'a [Frame<'a>]>,
}

impl Event<'_> {
    /// Returns the ring that it was in.
    pub fn ring(&self) -> Ring {
        Ring { buffer: self.buffer, cpu: self.cpu }
    }
}

/// The text of a record, which is printed when it is asked for.
#[derive(Clone, Copy)]
pub struct Printed<'a> {
    text: &'a Text,
    record: &'a [u8],
    environment: &'a dyn Environment,
}

impl<'a> Printed<'a> {
    /// Joins the text of an event with a record of it, and the kernel that wrote it.
    pub fn new(text: &'a Text, record: &'a [u8], environment: &'a dyn Environment) -> Self {
        Printed { text, record, environment }
    }

    /// Returns whether the kernel writes the name of the event in front of it.
    pub fn follows_name(&self) -> bool {
        self.text.follows_name()
    }

    /// Appends that name, escaped, and `: `.
    pub fn push_name(&self, out: &mut Vec<u8>) {
        self.text.push_name(out);
    }

    /// Returns what a record of function_graph says of a call; `None` for other records.
    pub fn call(&self) -> Option<Call> {
        self.text.call(self.record, self.environment)
    }

    /// Appends the place that called, of a [call](Self::call) that was recorded with it.
    pub fn push_caller(&self, out: &mut Vec<u8>) {
        self.text.push_caller(self.record, self.environment, out);
    }

    /// Returns whether it is a line of its own, without the task, the CPU and the time in front.
    pub fn is_whole_line(&self) -> bool {
        self.text.is_whole_line()
    }

    /// Returns whether the record is of a request to a disk, as the tracer blk writes it.
    pub fn is_request(&self) -> bool {
        self.text.is_request()
    }

    /// Returns whether the record is a message that a program or the kernel's code has written, and nothing else.
    pub fn is_message(&self) -> bool {
        self.text.is_message()
    }

    /// Appends the function of a [call](Self::call) with its arguments, or that of a return.
    pub fn push_function(&self, out: &mut Vec<u8>) {
        self.text.push_function(self.record, self.environment, out);
    }

    /// Returns what a record of the tracer function says; `None` for other records.
    pub fn function(&self) -> Option<Function<'_>> {
        self.text.function(self.record, self.environment)
    }

    /// Appends the text as [`push_line`](Self::push_line) does, with the times that it has of its own: `time` appends the one
    /// so long before the record's.
    pub fn push_line_at(&self, time: &dyn Fn(&mut Vec<u8>, u64), out: &mut Vec<u8>) {
        self.text.render_line_at(self.record, self.environment, time, out);
    }

    /// Appends the text. It may hold any byte but NUL, line breaks included.
    pub fn push(&self, out: &mut Vec<u8>) {
        self.text.render(self.record, self.environment, out);
    }

    /// Appends the text with the strings of the record [escaped](tracec_kernel::escaped).
    pub fn push_line(&self, out: &mut Vec<u8>) {
        self.text.render_line(self.record, self.environment, out);
    }
}

impl fmt::Debug for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.push(&mut text);
        write!(f, "{:?}", String::from_utf8_lossy(&text))
    }
}

/// A consumer of records in the order of time.
///
/// A live session calls it in a thread of its own, and ends without it if it does not return.
///
/// A sink may buffer records until [`flush`](Sink::flush), which is called once for each batch. A closure that takes an
/// [`Event`] is a sink that ignores losses; the summary still counts them.
pub trait Sink: Send {
    /// Takes what is known of a recording or a session before its first record.
    ///
    /// # Errors
    /// [`SinkError`].
    fn begin(&mut self, _overview: &Overview) -> Result<(), SinkError> {
        Ok(())
    }

    /// Takes one record.
    ///
    /// # Errors
    /// [`SinkError`].
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError>;

    /// Returns whether it needs the texts of records. One that does not saves their compilation.
    fn needs_text(&self) -> bool {
        true
    }

    /// Returns the style of the texts that it needs.
    fn style(&self) -> Style {
        Style::default()
    }

    /// Reports, before the first record of an event, that its records have no text.
    ///
    /// # Errors
    /// As [`record`](Sink::record).
    fn without_text(&mut self, _event: &EventFormat, _reason: &TextError) -> Result<(), SinkError> {
        Ok(())
    }

    /// Reports that records of a ring were lost at this position.
    ///
    /// # Errors
    /// As [`record`](Sink::record).
    fn lost(&mut self, _ring: Ring, _lost: Lost) -> Result<(), SinkError> {
        Ok(())
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// [`SinkError`].
    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    /// Ends the output. No other method is called after it.
    ///
    /// # Errors
    /// [`SinkError`].
    fn finish(&mut self) -> Result<(), SinkError> {
        self.flush()
    }
}

impl<F: FnMut(&Event<'_>) -> Result<(), SinkError> + Send> Sink for F {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        self(event)
    }
}

/// The reason why a sink cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The reader has closed its end (EPIPE). This ends a session, and is not a failure of the session.
    #[error("the reader of the output has gone")]
    Closed,
    /// Another error, such as a full disk.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for SinkError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => SinkError::Closed,
            _ => SinkError::Io(error),
        }
    }
}

//! Where records go: the [`Sink`] trait, the sinks for text and JSON lines, and the outputs behind them.

mod json;
mod lines;
pub(crate) mod outlet;
pub(crate) mod output;
pub(crate) mod status;
#[cfg(test)]
mod testing;
mod text;

use std::io;

use tracec_kernel::page::Lost;
use tracec_kernel::record::Record;

pub use crate::record::symbols::Frame;
pub use json::JsonLines;
pub use output::Output;
pub use text::{Text, Timestamps};

/// One record, ready to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// When it was written, in units of the instance's clock.
    pub timestamp: u64,
    /// The CPU that wrote it.
    pub cpu: u32,
    /// The name of the thread that wrote it: up to 15 bytes, usually UTF-8; `<idle>` for pid 0, `<...>` if unknown.
    pub comm: &'a [u8],
    /// The record.
    pub record: &'a Record<'a>,
    /// The frames, innermost first, if it is a stack (`ftrace:kernel_stack`, `ftrace:user_stack`).
    pub stack: Option<&'a [Frame<'a>]>,
}

/// Takes records in the order of time.
///
/// A sink may keep what it is given until [`flush`](Sink::flush), which is called once for each batch.
pub trait Sink {
    /// Takes one record.
    ///
    /// # Errors
    /// [`SinkError`]. After [`SinkError::Stalled`] the record counts as taken.
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError>;

    /// Is told that records of a CPU were lost at this place.
    ///
    /// # Errors
    /// As [`record`](Sink::record).
    fn lost(&mut self, cpu: u32, lost: Lost) -> Result<(), SinkError>;

    /// Passes on what it kept.
    ///
    /// # Errors
    /// [`SinkError`].
    fn flush(&mut self) -> Result<(), SinkError>;

    /// Ends the output; nothing comes after it.
    ///
    /// # Errors
    /// [`SinkError`].
    fn finish(&mut self) -> Result<(), SinkError> {
        self.flush()
    }
}

/// Why a sink cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The reader has gone (EPIPE). This ends a session, and is no failure of it.
    #[error("the reader of the output has gone")]
    Closed,
    /// The output takes nothing at the moment and something else wants attention. What was given is kept.
    #[error("the output is stalled")]
    Stalled,
    /// Anything else, such as a full disk.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for SinkError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => SinkError::Closed,
            io::ErrorKind::WouldBlock => SinkError::Stalled,
            _ => SinkError::Io(error),
        }
    }
}

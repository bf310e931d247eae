//! The pages of the ring buffer in a trace.dat file of version 7, which `tracec report`, trace-cmd and KernelShark read.
//!
//! Its records are not rendered: a session writes their pages, and no sink takes part (`runtime/src/record/recorder.rs`).

use std::io;

use super::{Event, Form, Sink, SinkError};

/// The form for other programs that read recordings, and for `tracec report`.
pub static TRACE_DAT: Form = Form {
    name: "trace.dat",
    about: "the pages of the ring buffer, a file",
    sink: |_, _| Box::new(WithoutPages),
};

/// A sink of records without their pages.
struct WithoutPages;

impl Sink for WithoutPages {
    fn record(&mut self, _event: &Event<'_>) -> Result<(), SinkError> {
        let why = "a trace.dat file is written of pages, and records alone are none";
        Err(SinkError::Io(io::Error::new(io::ErrorKind::Unsupported, why)))
    }

    fn needs_text(&self) -> bool {
        false
    }
}

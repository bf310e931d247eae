//! A sample record and a shared buffer for the tests of sinks.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracec_kernel::format::EventFormat;
use tracec_kernel::record::Decoder;
use tracec_kernel::text::{Nothing, Text};

use super::{Event, Frame, Printed, Sink};

const FORMAT: &str = "name: sample\nID: 9\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
    \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
    \tfield:char name[16];\toffset:8;\tsize:16;\tsigned:0;\n\
    \tfield:int code;\toffset:24;\tsize:4;\tsigned:1;\n\
    \tfield:void * at;\toffset:32;\tsize:8;\tsigned:0;\n\n\
    print fmt: \"%s\", REC->name\n";

pub(super) struct Sample {
    format: EventFormat,
    bytes: Vec<u8>,
}

impl Sample {
    pub(super) fn new(name: &[u8], code: i32, pid: i32) -> Self {
        let mut bytes = 9u16.to_ne_bytes().to_vec();
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(&pid.to_ne_bytes());
        bytes.extend_from_slice(name);
        bytes.resize(24, 0);
        bytes.extend_from_slice(&code.to_ne_bytes());
        bytes.resize(32, 0);
        bytes.extend_from_slice(&0xffff_ffff_8100_0010_u64.to_ne_bytes());
        let format = EventFormat::parse("test", FORMAT).unwrap();
        Sample { format, bytes }
    }

    /// The same with other names.
    pub(super) fn named(mut self, system: &str, event: &str) -> Self {
        (self.format.system, self.format.name) = (system.into(), event.into());
        self
    }

    /// The same with another `print fmt`.
    pub(super) fn printed_by(mut self, print_fmt: &str) -> Self {
        self.format = EventFormat::parse("test", &FORMAT.replace("\"%s\", REC->name", print_fmt)).unwrap();
        self
    }

    pub(super) fn format(&self) -> &EventFormat {
        &self.format
    }

    pub(super) fn truncated() -> Self {
        let mut sample = Sample::new(b"x", 1, 1);
        sample.bytes.truncate(30);
        sample
    }

    pub(super) fn give(&self, sink: &mut dyn Sink, timestamp: u64, comm: &[u8], stack: Option<&[Frame<'_>]>) {
        self.give_in(0, sink, timestamp, comm, stack);
    }

    pub(super) fn give_in(
        &self,
        buffer: u32,
        sink: &mut dyn Sink,
        timestamp: u64,
        comm: &[u8],
        stack: Option<&[Frame<'_>]>,
    ) {
        let decoder = Decoder::new(vec![self.format.clone()]);
        let record = decoder.record(&self.bytes).unwrap();
        let text = Text::compile(&self.format, &Nothing).unwrap();
        let text = sink.needs_text().then(|| Printed::new(&text, &self.bytes, &Nothing));
        sink.record(&Event { timestamp, buffer, cpu: 2, comm, record: &record, text, stack }).unwrap();
    }
}

#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

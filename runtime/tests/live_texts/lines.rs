//! The lines of records: those that the kernel prints, and ours in the layout `kernel`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::text::{Style, TextError};
use tracec_runtime::sink::{Display, Event, Overview, Ring, Sink, SinkError, kernel_layout};

/// The lines of one record of ours.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The qualified name of the event.
    pub(crate) event: String,
    /// The CPU.
    pub(crate) cpu: u32,
    /// The lines without the last line break.
    pub(crate) text: Vec<u8>,
}

/// A sink that keeps the lines of the layout `kernel`, each with its event.
pub(crate) struct Ours {
    sink: Box<dyn Sink>,
    written: Shared,
    pub(crate) lines: Vec<Line>,
    /// The events that have no text, each with the reason.
    pub(crate) without_text: Vec<(String, String)>,
}

/// What the layout has written since it was last taken.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Ours {
    pub(crate) fn new() -> Self {
        let written = Shared::default();
        let sink = kernel_layout(Box::new(written.clone()), Display::default());
        Ours { sink, written, lines: Vec::new(), without_text: Vec::new() }
    }
}

impl Sink for Ours {
    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        self.sink.begin(overview)
    }

    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        self.sink.record(event)?;
        self.sink.flush()?;
        let mut text = self.written.take();
        text.pop_if(|last| *last == b'\n');
        let name = event.record.format.qualified_name();
        self.lines.push(Line { event: name, cpu: event.cpu, text });
        Ok(())
    }

    fn style(&self) -> Style {
        self.sink.style()
    }

    fn without_text(&mut self, event: &EventFormat, reason: &TextError) -> Result<(), SinkError> {
        self.without_text.push((event.qualified_name(), reason.to_string()));
        Ok(())
    }

    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.sink.lost(ring, lost)
    }
}

/// Returns the lines of each record in the kernel's file `trace` of a CPU, without the last line break. A line about lost
/// records belongs to the next record.
fn of_kernel(trace: &[u8], cpu: u32) -> Vec<Vec<u8>> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    let mut pending: Vec<u8> = Vec::new();
    let cpu = format!("[{cpu:03}] ");
    for line in trace.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        if is_head(bare, cpu.as_bytes()) {
            let mut record = std::mem::take(&mut pending);
            record.extend_from_slice(line);
            records.push(record);
        } else if bare.starts_with(b"CPU:") && bare.ends_with(b" EVENTS]") {
            pending.extend_from_slice(line);
        } else if let Some(last) = records.last_mut() {
            last.extend_from_slice(line);
        }
        // What stands before the first record describes the columns.
    }
    for record in &mut records {
        record.pop_if(|last| *last == b'\n');
    }
    records
}

/// The lines of a CPU as the kernel prints them.
pub(crate) struct Kernels {
    /// Those of each record.
    pub(crate) lines: Vec<Vec<u8>>,
    /// The lines with addresses that are not hashed, by their [heads](head), where the others have hashed ones.
    pub(crate) unhashed: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

impl Kernels {
    /// Returns the lines of a text without hashed addresses.
    pub(crate) fn of(trace: &[u8], cpu: u32) -> Self {
        Kernels { lines: of_kernel(trace, cpu), unhashed: HashMap::new() }
    }

    /// Returns the lines of two texts of the same records, the first with hashed addresses and the other without. Kernels
    /// before 6.12 break the second: `trace_event_format` and `trace_check_vprintf` (kernel/trace/trace.c) write to the
    /// same `iter->fmt`, so that every `%s` prints nothing, and a line break may be missing.
    pub(crate) fn of_both(hashed: &[u8], unhashed: &[u8], cpu: u32) -> Self {
        let mut by_head: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
        for line in of_kernel(unhashed, cpu) {
            by_head.entry(head(&line).to_vec()).or_default().push(line);
        }
        Kernels { lines: of_kernel(hashed, cpu), unhashed: by_head }
    }
}

/// Returns what identifies a record in its line: the task, the CPU and the time.
pub(crate) fn head(line: &[u8]) -> &[u8] {
    let end = line.windows(2).position(|window| window == b": ").unwrap_or(line.len());
    &line[..end]
}

/// Returns whether the kernel's line is ours with other digits in some addresses: 16 digits each.
pub(crate) fn has_hashed_addresses(ours: &[u8], kernel: &[u8]) -> bool {
    const DIGITS: usize = 16;
    if ours.len() != kernel.len() {
        return false;
    }
    let is_address = |text: &[u8]| text.len() == DIGITS && text.iter().all(u8::is_ascii_hexdigit);
    let (mut at, mut hashed) = (0, 0);
    while at < ours.len() {
        if ours[at] == kernel[at] {
            at += 1;
            continue;
        }
        // The first digits may be the same.
        let begin =
            ours[..at].iter().rposition(|byte| !byte.is_ascii_hexdigit()).map_or(0, |before| before + 1);
        let end = begin + DIGITS;
        let [Some(of_ours), Some(of_kernel)] = [ours.get(begin..end), kernel.get(begin..end)] else {
            return false;
        };
        if !is_address(of_ours) || !is_address(of_kernel) {
            return false;
        }
        hashed += 1;
        at = end;
    }
    hashed > 0
}

/// Returns whether a line begins with a task, its CPU in brackets, flags and a time: `comm-pid [000] d..1. 12.345678: `.
fn is_head(line: &[u8], cpu: &[u8]) -> bool {
    let is_cpu = |at: &usize| line[*at] == b'[' && line[at - 1] == b' ' && line[*at..].starts_with(cpu);
    let Some(at) = (1..line.len()).find(is_cpu) else { return false };
    let (task, rest) = (&line[..at], &line[at + cpu.len()..]);
    let pid = task.rsplit(|byte| *byte == b'-').next().unwrap_or_default().trim_ascii_end();
    let Some(end) = rest.windows(2).position(|window| window == b": ") else { return false };
    let mut words = rest[..end].split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_number = |word: &[u8]| word.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let (Some(flags), Some(time), None) = (words.next(), words.next(), words.next()) else { return false };
    !pid.is_empty() && is_number(pid) && flags.len() == 5 && is_number(time)
}

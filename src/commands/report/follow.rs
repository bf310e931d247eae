//! `tracec report --follow FILE`: the records of a file that a session still writes, until it is complete.
//!
//! The file is opened anew for each look. A session writes all that its rings have at once, every few milliseconds while
//! records come (`runtime/src/record/recorder.rs`): what is older than the newest record of the look before is there, and is
//! shown in the order of time. Pages that were complete two looks ago have been shown, and are not read again.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tracec_compiler::target::Target;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::text::{Style, TextError};
use tracec_runtime::record::{Compression, Losses, Report, ReportError, Reported, option, report_all};
use tracec_runtime::sink::{Event, Form, Overview, Ring, Sink, SinkError};

use super::{Found, damaged, sink, summary};
use crate::cli::ShowOptions;
use crate::commands::{Failure, recording};
use crate::print;
use crate::source::Loaded;

/// The time between two looks: many times that between two writes of a session.
const PAUSE: Duration = Duration::from_millis(250);

/// The number of looks that may fail one after the other: while a session completes the file, its parts move.
const ATTEMPTS: u32 = 3;

/// The number of bytes that a CPU of a buffer had.
type Sizes = HashMap<(String, u32), u64>;

/// Prints the records of a file until it is complete.
pub(super) fn follow(
    file: &Path,
    text: Option<(&Loaded, &'static Target)>,
    form: &'static Form,
    show: &ShowOptions,
) -> Result<ExitCode, Failure> {
    let mut window: Option<Window> = None;
    let (mut before, mut last) = (Sizes::new(), Sizes::new());
    let (mut total, mut failed, mut is_complete) = (Report::default(), 0, false);
    let mut damage = String::new();
    loop {
        let mut found = match Found::open(file, &show.selection, text) {
            // The head of a file that was just begun may be incomplete.
            Err(_) if failed < ATTEMPTS => {
                failed += 1;
                std::thread::sleep(PAUSE);
                continue;
            }
            opened => opened?,
        };
        let outline = match found.trace.outline() {
            // It was completed in between.
            Err(_) if failed < ATTEMPTS => {
                failed += 1;
                std::thread::sleep(PAUSE);
                continue;
            }
            outline => outline.map_err(|error| recording::damaged(file, &error))?,
        };
        if !is_complete && outline.part(option::CMDLINES).is_some() {
            // What was opened may be older: it is opened again.
            is_complete = true;
            continue;
        }
        let window = match &mut window {
            Some(window) => window,
            None => window.insert(Window::new(sink(std::slice::from_ref(&found), form, show)?)),
        };
        // The only file that grows is not compressed.
        let skips = outline.compression == Compression::None;
        let sizes = narrow(&mut found, if skips { &before } else { &last }, skips);
        (before, last) = (last, sizes);
        window.until = if is_complete { u64::MAX } else { window.newest };
        let (filter, shown) = (std::mem::take(&mut found.filter), found.shown.clone());
        let reported = Reported { name: String::new(), file: &mut found.trace, filter, shown };
        let mut at_end = None;
        match report_all(&mut [reported], 1, window) {
            Ok(report) => {
                failed = 0;
                total.unknown = report.unknown;
            }
            Err(ReportError::Sink(SinkError::Closed)) => return Ok(ExitCode::SUCCESS),
            Err(ReportError::Sink(SinkError::Io(error))) => return Err(error.into()),
            // It stays so: all else is shown.
            Err(ReportError::Damaged { report, damage: found })
                if failed == ATTEMPTS || found.to_string() == damage =>
            {
                failed = 0;
                total.unknown = report.unknown;
                damage = found.to_string();
                at_end = Some(found);
            }
            // It is read again from the start.
            Err(_) if failed < ATTEMPTS => {
                failed += 1;
                window.shown = window.latest.or(window.shown);
                before.clear();
                last.clear();
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(error) => return Err(damaged(file, &error.to_string()).into()),
        }
        if is_complete {
            total.records = window.records;
            for (ring, all) in found.trace.stated_losses() {
                window.lost.get_mut(&ring).into_iter().for_each(|losses| losses.state(all));
            }
            let lost = window.lost.values();
            total.lost = lost.clone().fold(0, |sum, losses| sum.saturating_add(losses.counted));
            total.uncounted = lost.map(|losses| losses.uncounted).sum();
            match window.sink.finish() {
                Err(SinkError::Io(error)) => return Err(error.into()),
                Err(SinkError::Closed) | Ok(()) => {}
            }
            found.say_outside();
            if !show.quiet {
                print::complain(&format!("{}\n", summary(&total)));
            }
            let damage = at_end.map(|damage| *damage).unwrap_or_default();
            return recording::incomplete(&[file], &damage).map_or(Ok(ExitCode::SUCCESS), Err);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Leaves out the pages that were shown, except for the last one of each CPU, which may have grown. Returns how many bytes
/// each CPU has.
fn narrow(found: &mut Found<'_>, shown: &Sizes, skips: bool) -> Sizes {
    let mut sizes = Sizes::new();
    for buffer in &mut found.trace.buffers {
        let page = u64::from(buffer.page_size).max(1);
        for data in &mut buffer.cpus {
            let key = (buffer.name.clone(), data.cpu);
            let done = shown.get(&key).copied().unwrap_or(0).saturating_sub(page) / page * page;
            sizes.insert(key, data.size);
            if skips && done < data.size {
                data.offset += done;
                data.size -= done;
            }
        }
    }
    sizes
}

/// A sink of the records of a look that were not shown, and may be.
struct Window {
    sink: Box<dyn Sink>,
    has_begun: bool,
    /// Records up to this time were shown by the looks before.
    shown: Option<u64>,
    /// The time of the last record that was shown.
    latest: Option<u64>,
    /// Records after this time are left for the next look.
    until: u64,
    /// The time of the newest record that was seen.
    newest: u64,
    /// What was lost before the next record of a ring.
    losses: HashMap<Ring, Lost>,
    records: u64,
    lost: HashMap<Ring, Losses>,
}

impl Window {
    fn new(sink: Box<dyn Sink>) -> Self {
        Window {
            sink,
            has_begun: false,
            shown: None,
            latest: None,
            until: 0,
            newest: 0,
            losses: HashMap::new(),
            records: 0,
            lost: HashMap::new(),
        }
    }
}

impl Sink for Window {
    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        self.losses.clear();
        match std::mem::replace(&mut self.has_begun, true) {
            false => self.sink.begin(overview),
            true => Ok(()),
        }
    }

    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let time = event.timestamp;
        let lost = self.losses.remove(&event.ring());
        self.newest = self.newest.max(time);
        if time > self.until || self.shown.is_some_and(|shown| time <= shown) {
            return Ok(());
        }
        if let Some(lost) = lost {
            self.lost.entry(event.ring()).or_default().add(lost);
            self.sink.lost(event.ring(), lost)?;
        }
        self.records += 1;
        self.latest = Some(time);
        self.sink.record(event)
    }

    fn needs_text(&self) -> bool {
        self.sink.needs_text()
    }

    fn style(&self) -> Style {
        self.sink.style()
    }

    fn without_text(&mut self, event: &EventFormat, reason: &TextError) -> Result<(), SinkError> {
        self.sink.without_text(event, reason)
    }

    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.losses.insert(ring, lost);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.sink.flush()
    }

    /// Ends a look: records of one time are in one look.
    fn finish(&mut self) -> Result<(), SinkError> {
        if self.until > 0 {
            self.shown = Some(self.until.min(self.newest));
        }
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sink that counts.
    struct Counting;

    impl Sink for Counting {
        fn record(&mut self, _: &Event<'_>) -> Result<(), SinkError> {
            Ok(())
        }
    }

    #[test]
    fn look_ends_where_its_records_do() {
        let mut window = Window::new(Box::new(Counting));
        // The first look shows nothing: it only finds the newest record.
        window.newest = 7;
        window.finish().expect("it counts");
        assert_eq!(window.shown, None);
        window.until = 7;
        window.newest = 9;
        window.finish().expect("it counts");
        assert_eq!(window.shown, Some(7));
        window.until = u64::MAX;
        window.finish().expect("it counts");
        assert_eq!(window.shown, Some(9));
    }
}

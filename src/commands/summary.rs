//! `tracec summary FILE`: counts the records of a recording.

mod object;
mod table;
mod tally;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::target::report::REPORT;
use tracec_kernel::escaped::in_json;
use tracec_runtime::record::{Buffer, Damage, Recording, TraceDat};
use tracec_runtime::sink::{Ring, Timestamps};

use super::report::{Found, expression};
use super::{Failure, recording};
use crate::cli::Summary;
use crate::out::out;
use crate::progress::Progress;
use tally::{Period, Tally};

/// Prints the counts of a trace.dat file, or of a part of its records.
pub(crate) fn summary(arguments: &Summary) -> Result<ExitCode, Failure> {
    let Summary { file, source, json, top, quiet, selection } = arguments;
    let text = expression(source)?;
    let found = Found::open(file, selection, text.as_ref().map(|loaded| (loaded, &REPORT)))?;
    found.say_outside();
    let Found { mut trace, filter, code, .. } = found;
    let mut damage = Damage::default();
    trace.take_damage().into_iter().for_each(|error| damage.add(0, error));
    let head = Head::of(file, &trace)?;
    let progress = Progress::start([(file.as_path(), trace.pages_read())], *quiet, false);
    let mut recording = Recording::of(trace);
    let mut tally = Tally::new(head.rings.iter().copied(), *top);
    tally.read(&mut recording.events_if(filter), &mut damage);
    // What is damaged was not lost by a ring.
    if damage.is_empty() {
        tally.state(recording.file().stated_losses());
    }
    drop(progress);
    let mut out = std::io::BufWriter::new(out());
    match json {
        true => {
            let object = object::of(&head, &tally, damage.is_empty());
            writeln!(out, "{}", in_json(&object.to_string()))?;
        }
        false => table::write(&head, &tally, &mut out)?,
    }
    out.flush()?;
    code.complain();
    recording::incomplete(&[file], &damage).map_or(Ok(ExitCode::SUCCESS), Err)
}

/// What the head of a recording says.
struct Head {
    /// The clock of all time stamps.
    clock: String,
    notation: Timestamps,
    /// The names of the buffers; that of the top level is empty.
    buffers: Vec<String>,
    /// The rings that have pages.
    rings: Vec<Ring>,
}

impl Head {
    /// Returns what is known before the first record. Buffers with different clocks are refused: their times cannot be
    /// compared.
    fn of<R: std::io::Read + std::io::Seek>(file: &Path, trace: &TraceDat<R>) -> Result<Self, Failure> {
        let mut with_pages = trace.buffers.iter().enumerate().filter(|(_, buffer)| !buffer.cpus.is_empty());
        let (index, clock) =
            with_pages.next().map_or((0, trace.clock()), |(at, buffer)| (at, buffer.clock()));
        if let Some((_, other)) = with_pages.find(|(_, buffer)| buffer.clock() != clock) {
            return Err(Failure::Usage(format!(
                "the buffers of {} have the clocks `{clock}` and `{}`, whose times cannot be compared: choose buffers with \
                 `--buffer`",
                file.display(),
                other.clock()
            )));
        }
        let notation =
            trace.overview().buffers.get(index).map_or(Timestamps::Nanoseconds, |of| of.timestamps);
        let buffers = trace.buffers.iter().map(|buffer| buffer.name.clone()).collect();
        let rings = |(at, buffer): (u32, &Buffer)| -> Vec<Ring> {
            buffer.cpus.iter().map(|data| Ring { buffer: at, cpu: data.cpu }).collect()
        };
        let rings = (0..).zip(&trace.buffers).flat_map(rings).collect();
        Ok(Head { clock: clock.to_owned(), notation, buffers, rings })
    }

    /// Returns the name of a buffer; that of the top level is empty.
    fn buffer(&self, ring: Ring) -> &str {
        self.buffers.get(ring.buffer as usize).map_or("", String::as_str)
    }

    /// Returns how many per second a number is; `None` if the period has no length, or one that is not in nanoseconds.
    fn rate(&self, count: u64, period: Option<Period>) -> Option<f64> {
        let length = period.map(Period::length).filter(|length| *length > 0)?;
        (self.notation == Timestamps::Nanoseconds).then(|| count as f64 * 1e9 / length as f64)
    }
}

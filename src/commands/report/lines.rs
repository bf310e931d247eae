//! `tracec report FILE.jsonl`: the records of JSON lines, as text.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::page::Lost;
use tracec_runtime::record::{Range, Report};
use tracec_runtime::sink::{JsonLine, JsonRecord, Timestamps};

use super::{damaged, selection, summary};
use crate::cli::{Selection, ShowOptions, SourceOptions};
use crate::commands::{Failure, recording};
use crate::moment::End;
use crate::print;

/// The most bytes of a line: far more than the record of a page has.
const LONGEST: u64 = 4 << 20;

/// Prints the records of a file of JSON lines.
pub(super) fn report(file: &Path, source: &SourceOptions, show: &ShowOptions) -> Result<ExitCode, Failure> {
    applies(source, show)?;
    let mut wanted = Wanted::of(&show.selection)?;
    let mut lines = BufReader::new(File::open(file).map_err(|error| damaged(file, &error.to_string()))?);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut counts = Report::default();
    let (mut line, mut shown, mut number, mut dropped) = (Vec::new(), Vec::new(), 0_u64, 0);
    let failure = loop {
        line.clear();
        number += 1;
        let wrong = |reason: &str| Some(damaged(file, &format!("line {number}: {reason}")));
        match (&mut lines).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => break None,
            Ok(length) if length as u64 == LONGEST => break wrong("it is longer than 4 MiB"),
            Ok(_) => {}
            Err(error) => break wrong(&error.to_string()),
        }
        let parsed = match JsonLine::parse(line.trim_ascii_end()) {
            Ok(parsed) => parsed,
            Err(reason) => break wrong(&format!("it is not a record: {reason}")),
        };
        if !wanted.is_wanted(&parsed) {
            dropped += u64::from(matches!(parsed, JsonLine::Record(_)));
            continue;
        }
        match &parsed {
            JsonLine::Record(_) => counts.records += 1,
            JsonLine::Lost { lost: Lost::Count(count), .. } => {
                counts.lost = counts.lost.saturating_add(*count);
            }
            JsonLine::Lost { .. } => counts.uncounted += 1,
        }
        shown.clear();
        match show.json {
            true => shown.extend_from_slice(line.trim_ascii_end()),
            false => parsed.push(&mut shown, show.form.fields),
        }
        shown.push(b'\n');
        match out.write_all(&shown) {
            // The rest of the file is not read for nobody.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
            written => written?,
        }
    };
    match out.flush() {
        Err(error) if error.kind() == ErrorKind::BrokenPipe && failure.is_none() => {
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    counts.dropped = (dropped > 0).then_some(dropped);
    if let Some(note) = wanted.outside(file) {
        print::complain(&note);
    }
    if !show.quiet {
        print::complain(&format!("{}\n", summary(&counts)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses options that need more than lines have.
fn applies(source: &SourceOptions, show: &ShowOptions) -> Result<(), Failure> {
    let refused = [
        ("-e", source.expression.is_some(), "conditions are decided by the bytes of records"),
        ("--layout", show.layout.is_some(), "layouts are made from the bytes of records"),
        ("--option", !show.options.is_empty(), "trace options are those of the layout `kernel`"),
        ("--text", show.form.text, "a line has a text if `run --text` wrote it"),
        ("--buffer", !show.selection.buffers.is_empty(), "a line does not have the name of its buffer"),
    ];
    match refused.into_iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((option, _, why)) => {
            Err(Failure::Usage(format!("`{option}` cannot be applied to JSON lines: {why}")))
        }
    }
}

/// The records that are asked for.
struct Wanted<'s> {
    selection: &'s Selection,
    events: Vec<Glob>,
    cpus: Option<Vec<(u32, u32)>>,
    /// Known with the first record.
    period: Option<RangeInclusive<u64>>,
    /// The first and the last time of all records, and their notation.
    times: Option<((u64, u64), Timestamps)>,
}

impl<'s> Wanted<'s> {
    fn of(selection: &'s Selection) -> Result<Self, Failure> {
        let events = selection.events.iter().map(|text| selection::glob(text)).collect::<Result<_, _>>()?;
        let cpus = selection.cpus.as_deref().map(selection::cpus).transpose()?;
        Ok(Wanted { selection, events, cpus, period: None, times: None })
    }

    fn is_wanted(&mut self, line: &JsonLine) -> bool {
        let on = |cpu: u32| {
            self.cpus
                .as_ref()
                .is_none_or(|cpus| cpus.iter().any(|(first, last)| (*first..=*last).contains(&cpu)))
        };
        let record = match line {
            JsonLine::Lost { cpu, .. } => return on(*cpu),
            JsonLine::Record(record) => record,
        };
        let is_on = on(record.cpu);
        let Selection { from, to, .. } = self.selection;
        let begin = record.timestamp;
        let ((first, last), _) = self.times.unwrap_or(((begin, begin), record.timestamps));
        self.times = Some(((first.min(begin), last.max(begin)), record.timestamps));
        let period = self.period.get_or_insert_with(|| {
            let first = from.as_ref().map_or(0, |from| from.nanoseconds(begin, End::First));
            first..=to.as_ref().map_or(u64::MAX, |to| to.nanoseconds(begin, End::Last))
        });
        is_on && period.contains(&record.timestamp) && self.is_named(record)
    }

    /// Returns what there is to say of a period in which no record lies.
    fn outside(&self, file: &Path) -> Option<String> {
        let Selection { from, to, .. } = self.selection;
        let period = self.period.as_ref()?;
        let range = Range { from: *period.start(), to: *period.end() };
        recording::outside_of(file, self.times?, range, (from.as_ref(), to.as_ref()))
    }

    fn is_named(&self, record: &JsonRecord) -> bool {
        let JsonRecord { event, comm, pid, .. } = record;
        let name = event.split_once(':').map_or(event.as_str(), |(_, name)| name);
        let matches = |glob: &Glob| glob.matches(event.as_bytes()) || glob.matches(name.as_bytes());
        let is_task = |task: &String| task.as_bytes() == comm || task.parse() == Ok(*pid);
        let tasks = &self.selection.tasks;
        (self.events.is_empty() || self.events.iter().any(matches))
            && (tasks.is_empty() || tasks.iter().any(is_task))
    }
}

//! The kernel's decisions: filters and records are given to it, and the records that pass are read.

use std::collections::HashMap;

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::field::{Field, HEADER, HeaderValues, Kind, Palette, Stimulus, Value};
use super::generate::random::Random;
use super::model::{Decide, Memory, Model, Moment, Refused};
use super::rig::{Raw, Rig};
use super::source::{Source, prepare};

/// One event, recorded by all instances of the rig from [`Driver::new`] to [`Driver::close`].
pub(crate) struct Driver<'a> {
    /// The instances.
    pub(crate) rig: &'a mut Rig,
    /// The event.
    pub(crate) source: &'a dyn Source,
    /// Its layout.
    pub(crate) format: EventFormat,
    /// The values that the headers of records have held.
    pub(crate) seen: HeaderValues,
    memory: Memory,
    serial: u32,
}

/// The result of a batch.
pub(crate) struct Fired {
    /// The record of each stimulus.
    pub(crate) records: Vec<Raw>,
    /// For each filter, for each stimulus: whether the record passed. `None` where that is not known: of several
    /// records that are equal in all fields that the source chooses, some have passed, as their header decided.
    pub(crate) passed: Vec<Vec<Option<bool>>>,
}

impl<'a> Driver<'a> {
    /// Records the event.
    pub(crate) fn new(rig: &'a mut Rig, source: &'a dyn Source, memory: &Memory) -> Result<Self, Failed> {
        let format = rig.format(source.event())?;
        rig.enable(source.event())?;
        Ok(Driver { rig, source, format, seen: HeaderValues::new(), memory: memory.clone(), serial: 0 })
    }

    /// Ends the recording.
    pub(crate) fn close(self) -> Result<(), Failed> {
        self.rig.disable(self.source.event())
    }

    /// Gives the instance of this number a filter, and asks the model for its verdict.
    pub(crate) fn filter(
        &self,
        number: usize,
        text: &[u8],
        model: &dyn Model,
    ) -> (Result<(), Refused>, Result<Decide, Refused>) {
        (self.rig.filter(number, self.source.event(), text), model.parse(&self.format, text))
    }

    /// Draws a batch of different stimuli, half of them for each of two CPUs.
    pub(crate) fn batch(&mut self, palette: &Palette, random: &mut Random) -> Vec<Stimulus> {
        self.batch_of(random, |fields, random| {
            let task = palette.any_text(Kind::TaskName, random);
            (task, fields.iter().map(|field| palette.value(field.kind, random)).collect())
        })
    }

    /// Draws a batch of which `draw` gives the name of the task and a value for each of the fields with a slot.
    pub(crate) fn batch_of(
        &mut self,
        random: &mut Random,
        mut draw: impl FnMut(&[&Field], &mut Random) -> (Vec<u8>, Vec<Value>),
    ) -> Vec<Stimulus> {
        let cpus = self.rig.cpus();
        let chosen: Vec<&Field> = self.source.fields().iter().filter(|field| field.slot.is_some()).collect();
        let mut seen = std::collections::HashSet::new();
        let mut batch: Vec<Stimulus> = Vec::new();
        for index in 0..self.source.batch() {
            self.serial += 1;
            let (task, values) = draw(&chosen, random);
            let stimulus = Stimulus {
                serial: self.serial,
                cpu: cpus[index * cpus.len().min(2) / self.source.batch()],
                task,
                values,
            };
            if seen.insert(self.source.key_of(&stimulus)) {
                batch.push(stimulus);
            }
        }
        batch
    }

    /// Fires a batch and reads every instance's records of it.
    pub(crate) fn fire(&mut self, batch: &[Stimulus]) -> Result<Fired, Failed> {
        self.memory.user.clear();
        self.memory.kept.clear();
        self.fire_each(batch, |fire| fire())?;
        let mut lists = self.rig.drain()?.into_iter();
        let all = lists.next().unwrap_or_default();
        let mut by_key = HashMap::new();
        for record in &all {
            if let Some(key) = self.source.key(&self.format, record) {
                by_key.entry(key).or_insert(record);
            }
        }
        let records =
            batch.iter().map(|stimulus| by_key.get(&self.source.key_of(stimulus)).copied().cloned());
        let records: Vec<Raw> =
            records.collect::<Option<_>>().ok_or("a record is missing where all are recorded")?;
        let counts = self.count(&all);
        for field in &HEADER {
            let Some(place) = self.format.field(field.name) else { continue };
            let (start, size) = (place.offset as usize, place.size as usize);
            let value = |raw: &Raw| raw.bytes.get(start..start + size).map(number);
            self.seen.entry(field.name).or_default().extend(records.iter().filter_map(value));
        }
        let passed = lists.map(|list| {
            let seen = self.count(&list);
            records.iter().map(|record| self.has_passed(record, &counts, &seen)).collect()
        });
        let passed = passed.collect::<Result<_, Failed>>()?;
        Ok(Fired { records, passed })
    }

    /// Fires each stimulus of a batch, where `around` calls the function that it gets. Nothing is read.
    pub(crate) fn fire_each(
        &mut self,
        batch: &[Stimulus],
        mut around: impl FnMut(&mut dyn FnMut() -> Result<(), Failed>) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let mut cpu = None;
        for stimulus in batch {
            prepare(stimulus, &mut cpu)?;
            around(&mut || self.source.fire(self.rig, stimulus, &mut self.memory))?;
        }
        Ok(())
    }

    /// Counts the records that no filter can distinguish.
    fn count(&self, list: &[Raw]) -> HashMap<Vec<u8>, usize> {
        let mut counts = HashMap::new();
        for identity in list.iter().filter_map(|record| self.source.identity(&self.format, record)) {
            *counts.entry(identity).or_insert(0) += 1;
        }
        counts
    }

    fn has_passed(
        &self,
        record: &Raw,
        all: &HashMap<Vec<u8>, usize>,
        seen: &HashMap<Vec<u8>, usize>,
    ) -> Result<Option<bool>, Failed> {
        let identity = self.source.identity(&self.format, record).ok_or("a record without its fields")?;
        Ok(match (seen.get(&identity), all.get(&identity)) {
            (None, _) => Some(false),
            (seen, all) => (seen == all).then_some(true),
        })
    }

    /// Returns the moment of a record that was fired last.
    pub(crate) fn moment<'b>(&'b self, stimulus: &'b Stimulus, record: &Raw) -> Moment<'b> {
        Moment { cpu: record.cpu, task: &stimulus.task, memory: &self.memory }
    }

    /// Returns a model's decision on a record that was fired last.
    pub(crate) fn ask(&self, decide: &Decide, stimulus: &Stimulus, record: &Raw) -> bool {
        decide(&record.bytes, &self.moment(stimulus, record))
    }

    /// Tries one filter on one record, and returns the kernel's decision, the model's, and the record. `None` if either
    /// refuses the filter.
    pub(crate) fn once(
        &mut self,
        text: &[u8],
        stimulus: &Stimulus,
        model: &dyn Model,
    ) -> Result<Option<(bool, bool, Raw)>, Failed> {
        let (Ok(()), Ok(decide)) = self.filter(0, text, model) else { return Ok(None) };
        let fired = self.fire(std::slice::from_ref(stimulus))?;
        let record = fired.records[0].clone();
        Ok(fired.passed[0][0].map(|passed| (passed, self.ask(&decide, stimulus, &record), record)))
    }
}

/// Returns an unsigned integer of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let start = if cfg!(target_endian = "little") { 0 } else { 8 - bytes.len() };
    word[start..start + bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(word)
}

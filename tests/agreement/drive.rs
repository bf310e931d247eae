//! Filters and records through the kernel: who passed which.

use std::collections::HashMap;

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::field::{Palette, Stimulus};
use super::model::{Decide, Memory, Model, Moment, Refused};
use super::random::Random;
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
    memory: Memory,
    serial: u32,
}

/// What became of a batch.
pub(crate) struct Fired {
    /// The record of each stimulus.
    pub(crate) records: Vec<Raw>,
    /// For each filter, for each stimulus: whether the record passed; or why that cannot be told.
    pub(crate) passed: Vec<Result<Vec<bool>, String>>,
}

impl<'a> Driver<'a> {
    /// Records the event.
    pub(crate) fn new(rig: &'a mut Rig, source: &'a dyn Source, memory: &Memory) -> Result<Self, Failed> {
        let format = rig.format(source.event())?;
        rig.enable(source.event())?;
        Ok(Driver { rig, source, format, memory: memory.clone(), serial: 0 })
    }

    /// Ends the recording.
    pub(crate) fn close(self) -> Result<(), Failed> {
        self.rig.disable(self.source.event())
    }

    /// Gives the instance of this number a filter, and asks the model for its opinion.
    pub(crate) fn filter(
        &self,
        number: usize,
        text: &[u8],
        model: &dyn Model,
    ) -> (Result<(), Refused>, Result<Decide, Refused>) {
        (self.rig.filter(number, self.source.event(), text), model.parse(&self.format, text))
    }

    /// Draws a batch of stimuli that differ, half of them for each of two CPUs.
    pub(crate) fn batch(&mut self, palette: &Palette, random: &mut Random) -> Vec<Stimulus> {
        let cpus = self.rig.cpus();
        let mut seen = std::collections::HashSet::new();
        let mut batch: Vec<Stimulus> = Vec::new();
        for index in 0..self.source.batch() {
            self.serial += 1;
            let chosen = self.source.fields().iter().filter(|field| field.slot.is_some());
            let stimulus = Stimulus {
                serial: self.serial,
                cpu: cpus[index * cpus.len().min(2) / self.source.batch()],
                task: palette.any_text(super::field::Kind::TaskName, random),
                values: chosen.map(|field| palette.value(field.kind, random)).collect(),
            };
            if seen.insert(self.source.key_of(&stimulus)) {
                batch.push(stimulus);
            }
        }
        batch
    }

    /// Fires a batch and reads what every instance has of it.
    pub(crate) fn fire(&mut self, batch: &[Stimulus]) -> Result<Fired, Failed> {
        self.memory.user.clear();
        self.memory.kept.clear();
        let mut cpu = None;
        for stimulus in batch {
            prepare(stimulus, &mut cpu)?;
            self.source.fire(self.rig, stimulus, &mut self.memory)?;
        }
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
        let passed = lists.map(|list| {
            let seen = self.count(&list);
            records.iter().map(|record| self.has_passed(record, &counts, &seen)).collect()
        });
        let passed = passed.collect();
        Ok(Fired { records, passed })
    }

    /// How many records there are that no filter can tell apart.
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
    ) -> Result<bool, String> {
        let identity = self.source.identity(&self.format, record).ok_or("a record without its fields")?;
        match (seen.get(&identity), all.get(&identity)) {
            (None, _) => Ok(false),
            (seen, all) if seen == all => Ok(true),
            (seen, all) => Err(format!("{seen:?} of {all:?} equal records passed one filter")),
        }
    }

    /// What a model says of a record that was fired last.
    pub(crate) fn ask(&self, decide: &Decide, stimulus: &Stimulus, record: &Raw) -> bool {
        let moment = Moment { cpu: record.cpu, task: &stimulus.task, memory: &self.memory };
        decide(&record.bytes, &moment)
    }

    /// One filter, one record: the kernel's answer, the model's, and the record. `None` if either refuses the filter.
    pub(crate) fn once(
        &mut self,
        text: &[u8],
        stimulus: &Stimulus,
        model: &dyn Model,
    ) -> Result<Option<(bool, bool, Raw)>, Failed> {
        let (Ok(()), Ok(decide)) = self.filter(0, text, model) else { return Ok(None) };
        let fired = self.fire(std::slice::from_ref(stimulus))?;
        let record = fired.records[0].clone();
        let passed = fired.passed[0].clone()?[0];
        Ok(Some((passed, self.ask(&decide, stimulus, &record), record)))
    }
}

//! The filter that asks the evaluator of conditions for each record.

use rustc_hash::FxHashMap;

use super::{PageFilter, Selected, Selection};
use crate::condition::context::RecordedOn;
use crate::condition::eval::Predicate;
use crate::page::{Entries, PageError};
use crate::record::Decoder;

/// The reference of page filters: each condition is evaluated for each record.
#[derive(Clone, Debug)]
pub struct Evaluator {
    decoder: Decoder,
    /// The conditions of each event, by its id.
    conditions: FxHashMap<u16, Vec<(u32, Predicate)>>,
    little_endian: bool,
    others: bool,
    rejected: bool,
}

impl Evaluator {
    /// Prepares the conditions of a selection.
    pub fn new(selection: &Selection) -> Evaluator {
        let formats = selection.events().iter().map(|event| event.format.clone()).collect();
        let conditions = selection.events().iter().map(|event| {
            let prepared = event
                .conditions
                .iter()
                .map(|numbered| (numbered.number, Predicate::new(&numbered.condition, &event.format)));
            (event.format.id, prepared.collect())
        });
        Evaluator {
            decoder: Decoder::for_layout(formats, selection.layout()),
            conditions: conditions.collect(),
            little_endian: selection.layout().little_endian,
            others: selection.others(),
            rejected: selection.rejected(),
        }
    }

    /// Gives each number by which a record is selected to `add`.
    fn decide(&self, data: &[u8], cpu: u32, mut add: impl FnMut(u32)) {
        let Ok(record) = self.decoder.record(data) else {
            if self.others {
                add(Selected::OTHER);
            }
            return;
        };
        let conditions = self.conditions.get(&record.format.id).map_or(&[][..], Vec::as_slice);
        let mut holds = false;
        for (number, condition) in conditions {
            if condition.holds(&record, &RecordedOn { cpu }) {
                holds = true;
                add(*number);
            }
        }
        if self.rejected && !holds {
            add(Selected::REJECTED);
        }
    }
}

impl PageFilter for Evaluator {
    fn select(
        &self,
        entries: &mut Entries<'_>,
        cpu: u32,
        selected: &mut Vec<Selected>,
    ) -> Result<u64, PageError> {
        if entries.is_little_endian() != self.little_endian {
            return Err(PageError::ByteOrder);
        }
        let mut records = 0;
        while let Some(entry) = entries.next() {
            let entry = entry?;
            records += 1;
            // The next entry follows the record at a multiple of four.
            let offset = (entries.offset() - entry.data.len().next_multiple_of(4)) as u32;
            let (timestamp, length) = (entry.timestamp, entry.data.len() as u32);
            self.decide(entry.data, cpu, |condition| {
                selected.push(Selected { timestamp, offset, length, condition });
            });
        }
        Ok(records)
    }
}

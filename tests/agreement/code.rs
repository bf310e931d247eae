//! Machine code of conditions, which decides the records that the kernel has decided.

use std::collections::BTreeSet;

use libtest_mimic::Failed;
use tracec_compiler::target::host::Code as Compiled;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::Spelling;
use tracec_kernel::condition::realisation::{Engine, constructs, obstacles};
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{PageHead, PageLayout};
use tracec_kernel::selection::{Numbered, PageFilter, SelectedEvent, Selection};

use super::rig::Raw;

/// The code of some conditions on one event.
pub(crate) struct Code(Compiled);

impl Code {
    /// Compiles the conditions that code can decide, each with its number; `None` if there are none.
    pub(crate) fn of<'c>(
        format: &EventFormat,
        spelling: &Spelling,
        conditions: impl Iterator<Item = (usize, &'c Condition)>,
    ) -> Result<Option<(Code, BTreeSet<usize>)>, Failed> {
        let taken = conditions.filter(|(_, condition)| {
            // A condition that no text of the language means has a filter all the same.
            condition.check().is_ok()
                && condition.check_fields(format).is_ok()
                && obstacles(&constructs(condition, spelling), Engine::Host, |_| true).next().is_none()
        });
        let conditions: Vec<Numbered> = taken
            .map(|(number, condition)| Numbered { number: number as u32, condition: condition.clone() })
            .collect();
        if conditions.is_empty() {
            return Ok(None);
        }
        let numbers = conditions.iter().map(|numbered| numbered.number as usize).collect();
        let event = SelectedEvent { format: format.clone(), conditions };
        let selection = Selection::new(PageLayout::default(), vec![event])?;
        Ok(Some((Code(Compiled::new(&selection)?), numbers)))
    }

    /// Returns the numbers of the conditions that hold for a record.
    pub(crate) fn hold_for(&self, record: &Raw) -> Result<BTreeSet<usize>, Failed> {
        // A page with one record, whose length follows its first word.
        let mut data = vec![0; 4];
        data.extend((record.bytes.len() as u32 + 4).to_ne_bytes());
        data.extend(&record.bytes);
        let mut header = [0; 16];
        header[8..].copy_from_slice(&(data.len() as u64).to_ne_bytes());
        let layout = PageLayout { size: 1 << 16, ..PageLayout::default() };
        let head = PageHead::new(&layout, &header, header.len() + data.len())?;
        let mut selected = Vec::new();
        self.0.select(&mut head.part(&data, 0), record.cpu, &mut selected)?;
        Ok(selected.iter().map(|one| one.condition as usize).collect())
    }
}

//! Sets of CPUs in records.

use crate::condition::ir::MaskTest;
use crate::condition::ranges::Ranges;
use crate::format::{Field, FieldKind};
use crate::record::Record;
use crate::value::Cpumask;

/// The place in a record of the location of its mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaskAt {
    word: u32,
    relative: bool,
}

impl MaskAt {
    /// Returns the location of a mask; `None` if the field is not a mask.
    pub(super) fn of(field: &Field) -> Option<MaskAt> {
        let mask = matches!(field.kind, FieldKind::DynCpumask | FieldKind::RelCpumask);
        mask.then(|| MaskAt { word: field.offset, relative: field.kind.is_relative() })
    }

    /// Returns the mask in a record; `None` if it lies outside the record.
    pub(super) fn read<'a>(self, record: &Record<'a>) -> Option<Cpumask<'a>> {
        Some(record.cpumask(record.located_at(self.word, self.relative)?))
    }
}

/// Returns whether a mask passes a test. CPUs that the mask has no bit for are not in it.
pub(super) fn holds(test: MaskTest, mask: Cpumask<'_>, cpus: &Ranges) -> bool {
    match test {
        MaskTest::Any => mask.cpus().any(|cpu| cpus.contains(cpu as i128)),
        MaskTest::Equal => equal(mask, cpus),
        MaskTest::Differ => !equal(mask, cpus),
    }
}

/// Returns whether the CPUs of the mask are those of the list.
fn equal(mask: Cpumask<'_>, cpus: &Ranges) -> bool {
    let size = |(first, last): (i128, i128)| last.saturating_sub(first).saturating_add(1);
    let mut listed = cpus.iter().map(size).fold(0, i128::saturating_add);
    for cpu in mask.cpus() {
        if !cpus.contains(cpu as i128) {
            return false;
        }
        listed -= 1;
    }
    listed == 0
}

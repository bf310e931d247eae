//! The table: sixty ways in which a first filter or trigger goes wrong, one file per kind.

mod dialects;
mod names;
mod numbers;
mod operators;
mod structure;
mod text;
mod triggers;

use std::collections::BTreeSet;

use libtest_mimic::Failed;

use crate::mistake::{Group, Mistake};

/// All mistakes, from those of beginners to those of users of another tool.
pub(crate) const GROUPS: [Group; 7] = [
    Group { title: "Text", mistakes: text::MISTAKES },
    Group { title: "Operators", mistakes: operators::MISTAKES },
    Group { title: "Connectors and parentheses", mistakes: structure::MISTAKES },
    Group { title: "Names", mistakes: names::MISTAKES },
    Group { title: "Numbers and units", mistakes: numbers::MISTAKES },
    Group { title: "Triggers", mistakes: triggers::MISTAKES },
    Group { title: "Other tools' words", mistakes: dialects::MISTAKES },
];

/// Returns every row in order.
pub(crate) fn all() -> impl Iterator<Item = &'static Mistake> {
    GROUPS.iter().flat_map(|group| group.mistakes)
}

/// Checks that there are sixty, as the book says, with different names, which are headings of a page.
pub(crate) fn sixty() -> Result<(), Failed> {
    let names: BTreeSet<&str> = all().map(|mistake| mistake.name).collect();
    let count = all().count();
    match (count, names.len()) {
        (60, 60) => Ok(()),
        (_, distinct) => Err(format!("{count} mistakes with {distinct} names").into()),
    }
}

//! The table: sixty ways in which a first filter or trigger goes wrong, one file per kind, and what users of other
//! tools write beside them.

mod commands;
mod conditions;
mod dialects;
mod files;
mod names;
mod numbers;
mod operators;
mod sessions;
mod structure;
mod text;
mod triggers;

use std::collections::BTreeSet;

use libtest_mimic::Failed;

use crate::mistake::{Further, Group, Mistake};

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

/// The mistakes of which tracec alone is asked, by the kind of text.
const FURTHER: [&[Further]; 3] = [sessions::FURTHER, commands::FURTHER, files::FURTHER];

/// Returns them in order.
pub(crate) fn further() -> impl Iterator<Item = &'static Further> {
    FURTHER.into_iter().flatten()
}

/// Conditions in the words of other languages, of which tracec alone is asked.
pub(crate) const CONDITIONS: &[Further] = conditions::REFUSED;

/// Conditions that tracec alone is asked about, and warns of.
pub(crate) const DOUBTED: &[Further] = conditions::DOUBTED;

/// Rows that tracec has learnt: they mean there what was meant.
pub(crate) const LEARNT: [&str; 1] = ["signal-by-its-name"];

/// Returns every row in order.
pub(crate) fn all() -> impl Iterator<Item = &'static Mistake> {
    GROUPS.iter().flat_map(|group| group.mistakes)
}

/// Checks that there are sixty, as the book says, with different names, which are headings of a page.
pub(crate) fn sixty() -> Result<(), Failed> {
    let others = || further().chain(CONDITIONS).chain(DOUBTED).map(|further| further.name);
    let names = || all().map(|mistake| mistake.name).chain(others());
    let distinct = names().collect::<BTreeSet<&str>>().len();
    let learnt = LEARNT.iter().all(|name| all().any(|mistake| mistake.name == *name));
    match (all().count(), others().count() + 60 == distinct && learnt) {
        (60, true) => Ok(()),
        (count, _) => Err(format!("{count} mistakes, {distinct} names").into()),
    }
}

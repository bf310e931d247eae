//! What headers do with names, derived from them.

use std::collections::BTreeSet;

use anyhow::Result;
use tracec_kernel::tables::trace_names::{Of, Space};
use tracec_kernel::tables::{c_macros, c_words};

use super::probe::{
    ARGUMENT, CLASS, EVENT, Event, FIELD, Field, HEADER, is_said_of, macros, preprocessed, refused, replaced,
};
use super::tokens::{Kind, Token, tokens};
use crate::vm::Kernel;

/// What the headers of kernels do with names: the content of the table, in its order.
#[derive(Debug, Default)]
pub(super) struct Derived {
    pub(super) made: BTreeSet<Pattern>,
    pub(super) declared: BTreeSet<String>,
    pub(super) declared_tags: BTreeSet<String>,
    pub(super) not_arguments: BTreeSet<String>,
    pub(super) not_fields: BTreeSet<String>,
    pub(super) behind_fields: BTreeSet<String>,
    /// The macros with capitals in their names.
    pub(super) capitals: BTreeSet<String>,
}

/// How a name becomes another one: a row of the table that owns its texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    of: Of,
    space: Space,
    before: String,
    after: String,
}

/// Derives the table from the headers of kernels: what one of them does is in it.
pub(super) fn derived(kernels: &[Kernel]) -> Result<Derived> {
    let mut derived = Derived::default();
    for kernel in kernels {
        eprintln!("reading the headers of {kernel}");
        one(*kernel, &mut derived)?;
    }
    Ok(derived)
}

fn one(kernel: Kernel, derived: &mut Derived) -> Result<()> {
    let events = [event("tracec_whole", ARGUMENT, Field::Integer(FIELD.to_owned()))];
    let text = preprocessed(kernel, &events)?;
    let all = tokens(&text, HEADER);
    derived
        .capitals
        .extend(replaced(kernel)?.into_iter().filter(|name| c_macros::has_style_of_constants(name)));
    let made = made(&all);
    derived.behind_fields.extend(behind_fields(&all));
    declared(kernel, &all, &made, derived)?;
    derived.made.extend(made);
    let used: BTreeSet<&str> =
        all.iter().filter(|token| token.is_own && is_open(token.name)).map(|token| token.name).collect();
    arguments(kernel, &used, derived)?;
    fields(kernel, &used, derived)
}

fn event(name: &str, argument: &str, field: Field) -> Event {
    Event { name: name.to_owned(), argument: argument.to_owned(), field }
}

/// Returns whether nothing else says that a name is not free: it is not a word of C and not a macro of the other tables, and
/// none of the header that is read.
fn is_open(name: &str) -> bool {
    !name.contains("tracec_") && c_words::find(name).is_none() && !c_macros::is_macro(name)
}

/// Returns what is made of the names of the event and of the class. The members of structs are not part of it, nor names
/// with a number of the compiler's.
fn made(all: &[Token<'_>]) -> BTreeSet<Pattern> {
    let mut found = BTreeSet::new();
    for token in all.iter().filter(|token| !token.name.contains("__UNIQUE_ID_")) {
        let space = match token.kind {
            Kind::Ordinary => Space::Ordinary,
            Kind::Tag => Space::Tag,
            Kind::Member => continue,
        };
        for (of, name) in [(Of::Event, EVENT), (Of::Class, CLASS)] {
            if let Some((before, after)) = token.name.split_once(name) {
                found.insert(Pattern { of, space, before: before.to_owned(), after: after.to_owned() });
            }
        }
    }
    found.retain(|pattern| !pattern.before.is_empty() || !pattern.after.is_empty());
    found
}

/// Returns what follows the name of a field of no fixed size in names of other members.
fn behind_fields(all: &[Token<'_>]) -> BTreeSet<String> {
    let dynamic = format!("{FIELD}_dynamic");
    let behind = all.iter().filter_map(|token| token.name.strip_prefix(&dynamic));
    behind.filter(|behind| !behind.is_empty()).map(str::to_owned).collect()
}

/// A name of the headers, and the name that an event would have which makes it.
type Candidate<'a> = (Space, &'a str, &'a str);

/// Finds the names of the headers that no event can make.
fn declared(
    kernel: Kernel,
    all: &[Token<'_>],
    made: &BTreeSet<Pattern>,
    derived: &mut Derived,
) -> Result<()> {
    let macros = macros(kernel)?;
    let names = all.iter().filter(|token| !token.is_own).filter_map(|token| match token.kind {
        Kind::Ordinary => Some((Space::Ordinary, token.name)),
        Kind::Tag => Some((Space::Tag, token.name)),
        Kind::Member => None,
    });
    let names = names.chain(macros.iter().map(|name| (Space::Ordinary, name.as_str())));
    let candidates: BTreeSet<Candidate<'_>> = names
        .flat_map(|(space, name)| {
            let patterns = made.iter().filter(move |pattern| pattern.space == space);
            patterns.filter_map(move |Pattern { before, after, .. }| {
                let event = name.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
                let is_name = event.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                (is_name && is_open(event)).then_some((space, name, event))
            })
        })
        .collect();
    // A macro is replaced where the name is declared, which leaves a text that hides where the next event begins.
    let (macros, names): (BTreeSet<Candidate<'_>>, BTreeSet<Candidate<'_>>) =
        candidates.into_iter().partition(|(_, name, _)| macros.contains(*name));
    derived.declared.extend(macros.iter().map(|(_, name, _)| (*name).to_owned()));
    let replaced: BTreeSet<&str> = macros.iter().map(|(_, _, event)| *event).collect();
    let events: BTreeSet<&str> =
        names.iter().map(|(_, _, event)| *event).filter(|event| !replaced.contains(event)).collect();
    let with = |name: &str, _: &str| vec![event(name, ARGUMENT, Field::Integer(FIELD.to_owned()))];
    let taken = refusals(kernel, &events, with)?;
    let alone = preprocessed(kernel, &[event(ALONE, ARGUMENT, Field::Integer(FIELD.to_owned()))])?;
    for (space, name, event) in names {
        // What gcc makes of a mistake can hide where the next event begins: each name is tried alone too.
        if taken.contains(event) && is_said_of(&alone.replace(ALONE, event), name)? {
            match space {
                Space::Ordinary => derived.declared.insert(name.to_owned()),
                Space::Tag => derived.declared_tags.insert(name.to_owned()),
            };
        }
    }
    Ok(())
}

/// The name of an event that another is put in the place of. No macro has the other name.
const ALONE: &str = "tracec_alone";

/// Finds what an argument cannot be called.
fn arguments(kernel: Kernel, used: &BTreeSet<&str>, derived: &mut Derived) -> Result<()> {
    let with = |name: &str, unique: &str| vec![event(unique, name, Field::Integer(FIELD.to_owned()))];
    derived.not_arguments.extend(refusals(kernel, used, with)?);
    Ok(())
}

/// Finds what a field cannot be called.
fn fields(kernel: Kernel, used: &BTreeSet<&str>, derived: &mut Derived) -> Result<()> {
    let with = |name: &str, unique: &str| {
        let fields =
            [Field::Integer(name.to_owned()), Field::Text(name.to_owned()), Field::Array(name.to_owned())];
        let number = |(index, field)| event(&format!("{unique}_{index}"), ARGUMENT, field);
        fields.into_iter().enumerate().map(number).collect()
    };
    derived.not_fields.extend(refusals(kernel, used, with)?);
    Ok(())
}

/// Returns the names with which gcc refuses an event. `with` makes the events of a name, given a name for an event that
/// no other has.
fn refusals(
    kernel: Kernel,
    names: &BTreeSet<&str>,
    with: impl Fn(&str, &str) -> Vec<Event>,
) -> Result<BTreeSet<String>> {
    let mut left: Vec<(&str, Event)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        left.extend(with(name, &format!("tracec_{index}")).into_iter().map(|event| (*name, event)));
    }
    let mut found = BTreeSet::new();
    loop {
        let events: Vec<Event> = left.iter().map(|(_, event)| event.clone()).collect();
        let lines = refused(kernel, &events)?;
        if lines.is_empty() {
            return Ok(found);
        }
        found.extend(lines.into_iter().filter_map(|line| left.get(line)).map(|(name, _)| (*name).to_owned()));
        left.retain(|(name, _)| !found.contains(*name));
    }
}

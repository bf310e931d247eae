//! The law of dumps: two dumps are equal exactly if the forms are.
//!
//! Forms are generated from a seed, over all of their structs. Each is compared with itself, and with a copy in which
//! one part is another: most of these differ by one field, however deep it lies. A new field does not compile in the
//! generator until it is generated.

mod condition;
mod definition;
mod form;
mod module;
mod place;
#[path = "../../../../kernel/tests/generate/random.rs"]
mod random;
mod syntax;

use std::fmt::Debug;

use form::Form;
use random::Random;

use crate::ir::definition::Definitions;
use crate::ir::{Module, Session};
use crate::load::Program;
use crate::place::Placement;
use crate::resolve::ResolvedText;

/// Compares the dumps of pairs of forms, and returns how many pairs differ. No dump contains a character that a
/// terminal obeys.
///
/// # Errors
/// The first pair for which the law does not hold.
fn compare<F: Form + Debug + PartialEq>(
    seed: u64,
    pairs: usize,
    dump: &dyn Fn(&F) -> String,
) -> Result<usize, String> {
    let mut random = Random::new(seed);
    let mut different = 0;
    for _ in 0..pairs {
        let from = random.bits();
        let (one, mut other) = (F::any(&mut Random::new(from)), F::any(&mut Random::new(from)));
        let before = dump(&one);
        if one != other || before != dump(&other) {
            return Err(format!("seed {from}: {one:?} differs from itself, or has two dumps"));
        }
        if before.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
            return Err(format!("seed {from}: {one:?} has control characters in its dump"));
        }
        other.vary(&mut random);
        different += usize::from(one != other);
        let after = dump(&other);
        if (one == other) != (before == after) {
            let (left, right) = (format!("{one:?}"), format!("{other:?}"));
            return Err(format!(
                "seed {from}:\n{left}\nand\n{right}\nhave the dumps\n{before}\nand\n{after}"
            ));
        }
    }
    Ok(different)
}

fn law<F: Form + Debug + PartialEq>(seed: u64, pairs: usize, dump: impl Fn(&F) -> String) {
    let different = compare(seed, pairs, &dump).unwrap_or_else(|broken| panic!("{broken}"));
    // A law about equal forms alone would say little.
    assert!(different * 2 > pairs, "only {different} of {pairs} pairs differ");
}

/// A module with one session and the events and conditions that its ids name.
#[derive(Debug, PartialEq)]
struct OfSession(Module);

impl Form for OfSession {
    fn any(random: &mut Random) -> Self {
        let sessions = vec![Session::any(random)];
        let (catalogue, conditions) = (module::events(), module::conditions());
        OfSession(Module { catalogue, conditions, sessions, ..Module::default() })
    }

    fn vary(&mut self, random: &mut Random) {
        self.0.sessions[0].vary(random);
    }
}

/// A module with definitions only.
#[derive(Debug, PartialEq)]
struct OfDefinitions(Module);

impl Form for OfDefinitions {
    fn any(random: &mut Random) -> Self {
        OfDefinitions(Module { definitions: vec![Definitions::any(random)], ..Module::default() })
    }

    fn vary(&mut self, random: &mut Random) {
        self.0.definitions[0].vary(random);
    }
}

#[test]
fn dumps_of_sessions_differ_exactly_if_the_sessions_do() {
    law::<OfSession>(1, 20_000, |form| super::module(&form.0));
}

#[test]
fn dumps_of_definitions_differ_exactly_if_the_definitions_do() {
    law::<OfDefinitions>(2, 3_000, |form| super::module(&form.0));
}

#[test]
fn dumps_of_modules_differ_exactly_if_the_modules_do() {
    law::<Module>(3, 2_000, super::module);
}

#[test]
fn dumps_of_placements_differ_exactly_if_the_placements_do() {
    let module = Module { conditions: module::conditions(), ..Module::default() };
    law::<Placement>(4, 10_000, |placement| super::placement(&module, placement));
}

#[test]
fn dumps_of_programs_differ_exactly_if_the_programs_do() {
    law::<Program>(5, 2_000, super::program);
}

#[test]
fn dumps_of_resolved_texts_differ_exactly_if_the_texts_do() {
    law::<ResolvedText<'static>>(6, 1_000, super::resolved);
}

/// The law finds that the span of a resolved session is missing.
#[test]
fn resolved_session_without_its_span_breaks_the_law() {
    let without = |form: &ResolvedText<'static>| {
        let dump = super::resolved(form);
        let name = |line: &str| match line.rsplit_once(" at ") {
            Some((name, _)) if line.starts_with("session ") => name.to_owned(),
            _ => line.to_owned(),
        };
        dump.lines().map(name).collect::<Vec<_>>().join("\n")
    };
    assert!(compare(8, 20_000, &without).is_err(), "nothing is missing without the span");
}

/// The law finds every line that a dump of a session does not have.
#[test]
fn dump_without_a_field_breaks_the_law() {
    for field in [
        "session",
        "complete",
        "record",
        "demands",
        "print_fmt",
        "left_out",
        "blanked",
        "trigger",
        "dropped",
        "defined",
        "buffer_kib",
        "subbuffer_kib",
        "queue",
        "rotate",
        "cmdlines",
        "clock",
        "recorder",
        "option",
        "scope",
        "children",
        "instance",
        "global",
        "discarding",
        "ring",
        "including_tracec",
        "start_paused",
        "waits_for",
        "keep",
        "dump",
        "marker",
        "stop",
        "output",
    ] {
        let without = |form: &OfSession| {
            let dump = super::module(&form.0);
            let is_other = |line: &&str| !line.trim_start().starts_with(field);
            dump.lines().filter(is_other).collect::<Vec<_>>().join("\n")
        };
        assert!(compare(7, 60_000, &without).is_err(), "nothing is missing without `{field}`");
    }
}

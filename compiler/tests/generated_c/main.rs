//! The C that definitions become computes what the language means: with 64 bits, each operand extended by its own sign.
//!
//! Conditions and values of many events are taken out of the header of a module, compiled by gcc and asked with random
//! arguments; the answers are compared with numbers that are large enough for anything. gcc must not warn of them either.
//! `TRACEC_C_EVENTS` sets the number of events, `TRACEC_C_SEED` the seed.

#[path = "../common/mod.rs"]
mod common;
mod expressions;
mod formats;
mod program;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use expressions::Random;
use program::{Char, Checked};

const EVENTS: usize = 300;
const SEED: u64 = 0x7472_6163_6563;

/// The number of times that each event is asked.
const ROUNDS: usize = 40;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// Returns a directory for the files of one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("generated_c-{name}"));
    fs::create_dir_all(&path).expect("a directory");
    path
}

#[test]
fn conditions_and_values_are_computed_as_the_language_means_them() {
    let seed = number("TRACEC_C_SEED").unwrap_or(SEED);
    let events = number("TRACEC_C_EVENTS").map_or(EVENTS, |events| events as usize);
    for char in [Char::Unsigned, Char::Signed] {
        let mut random = Random::new(seed);
        let mut sum = Checked::default();
        // A compiler takes longer than in proportion for many functions.
        for first in (0..events).step_by(500) {
            let count = (events - first).min(500);
            let checked = program::check(count, ROUNDS, char, &mut random);
            sum.add(&checked.unwrap_or_else(|wrong| panic!("seed {seed}, {char:?}: {wrong}")));
        }
        println!("{char:?} char, seed {seed}: {sum}");
        assert!(sum.events * 10 >= events * 8, "{sum}: too many events are refused");
        assert!(sum.holds * 5 >= sum.pairs && sum.holds * 5 <= sum.pairs * 4, "{sum}: one-sided");
    }
}

/// Changes of the C each of which the law has to find.
const PLANTED: &[(&str, &str, &str)] = &[
    ("no conversion to `s64`", "(s64)", ""),
    ("no conversion to `u64`", "(u64)", ""),
    ("the other sign", "(u64)", "(s64)"),
    ("the other comparison", " < ", " <= "),
    ("other bits", " & ", " | "),
    ("the other order", " - ", " + "),
    ("the other shift", " >> ", " << "),
    ("no opposite", "!", ""),
    ("the other connection", " && ", " || "),
    ("another type", "(s16)", "(u16)"),
];

#[test]
fn planted_errors_are_found() {
    let mut survivors = Vec::new();
    for (name, from, to) in PLANTED {
        let mut random = Random::new(SEED);
        if program::check_planted(200, ROUNDS, Char::Unsigned, &mut random, (from, to)).is_ok() {
            survivors.push(*name);
        }
    }
    assert_eq!(survivors, [""; 0], "these errors were not found");
}

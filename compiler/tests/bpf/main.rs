//! A BPF program of a condition decides as the evaluator does, for any condition that it takes and any record that a
//! kernel writes. It runs in an interpreter.
//!
//! The pairs of conditions and records are generated from a seed, which is printed with the statistics.
//! `TRACEC_BPF_PAIRS` sets their number, `TRACEC_BPF_SEED` the seed.

#[path = "../../../kernel/tests/common/bytes.rs"]
mod bytes;
#[path = "../decoders/cases.rs"]
mod cases;
#[path = "../decoders/cells.rs"]
mod cells;
#[path = "../../../oracle/tests/lowering/event.rs"]
#[expect(dead_code, reason = "the kernel that reads filters is for the tests of lowering")]
mod event;
#[path = "../../../kernel/tests/generate/mod.rs"]
#[expect(dead_code, reason = "errors of lowering, and smaller conditions, are for the tests of lowering")]
mod generate;
#[expect(unsafe_code, reason = "programs read and write at addresses")]
mod interpreter;
mod law;
#[expect(unsafe_code, reason = "helpers of the interpreter read and write at addresses")]
mod machine;
mod planted;
#[path = "../../../oracle/tests/lowering/records.rs"]
mod records;
mod written;

use std::env;

const PAIRS: usize = 100_000;
const SEED: u64 = 0x7472_6163_6563;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

fn seed() -> u64 {
    number("TRACEC_BPF_SEED").unwrap_or(SEED)
}

#[test]
fn program_decides_what_the_evaluator_decides() {
    let pairs = number("TRACEC_BPF_PAIRS").map_or(PAIRS, |pairs| pairs as usize);
    let seen = law::run(seed(), pairs, None).unwrap_or_else(|wrong| panic!("seed {}:\n{wrong}", seed()));
    println!("seed {}: {seen}", seed());
    assert!(seen.pairs >= pairs, "only {} pairs", seen.pairs);
    assert!(seen.holds * 5 >= seen.pairs, "less than 20 % are true");
    assert_eq!(seen.missing(), [""; 0], "never both true and false");
}

#[test]
fn planted_errors_are_found() {
    let mut survivors = Vec::new();
    for planted in planted::ERRORS {
        match law::run(seed(), PAIRS, Some(planted)) {
            Err(_) => println!("found: {}", planted.name),
            Ok(seen) => survivors.push(format!("{}: {seen}", planted.name)),
        }
    }
    assert_eq!(survivors, [""; 0], "these errors were not found");
}

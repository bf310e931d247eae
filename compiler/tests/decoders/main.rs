//! The functions that the targets `c` and `rust` make of conditions decide what the evaluator decides, for any condition
//! that they take and any bytes: many conditions are built as one decoder, which is compiled and reads many records.
//!
//! The pairs are generated from a seed, which is printed with the statistics. `TRACEC_DECODER_PAIRS` sets their number,
//! `TRACEC_DECODER_SEED` the seed. The compilers are those that build the project: rustc, and gcc as its linker.

#[path = "../../../kernel/tests/common/bytes.rs"]
mod bytes;
mod c;
mod cases;
mod cells;
#[path = "../../../oracle/tests/lowering/event.rs"]
#[allow(dead_code, reason = "the kernel that reads filters is for the tests of lowering")]
mod event;
mod fields;
#[path = "../../../kernel/tests/generate/mod.rs"]
#[allow(dead_code, reason = "errors of lowering, and smaller conditions, are for the tests of lowering")]
mod generate;
mod law;
mod program;
#[path = "../../../oracle/tests/lowering/records.rs"]
mod records;
mod rust;

use std::env;

use law::Effort;
use program::{Language, Planted};

const PAIRS: usize = 24_000;
const SEED: u64 = 0x7472_6163_6563;

/// The languages, each with the errors that the law has to find.
const LANGUAGES: &[(Language, &[Planted])] = &[(c::C, c::ERRORS), (rust::RUST, rust::ERRORS)];

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

fn seed() -> u64 {
    number("TRACEC_DECODER_SEED").unwrap_or(SEED)
}

#[test]
fn functions_decide_what_their_conditions_mean() {
    let pairs = number("TRACEC_DECODER_PAIRS").map_or(PAIRS, |pairs| pairs as usize);
    for (language, _) in LANGUAGES {
        // Compilers take longer for a condition than the evaluator for a hundred records.
        let effort = Effort { pairs, conditions: (pairs / 40).clamp(1_000, 2_000) };
        let seen = law::run(language, seed(), effort, None).unwrap_or_else(|wrong| {
            panic!("{}, seed {}:\n{wrong}", language.target, seed());
        });
        println!("{:4} seed {}: {seen}", language.target, seed());
        assert!(seen.pairs >= pairs, "only {} pairs", seen.pairs);
        assert!(seen.holds * 5 >= seen.pairs, "less than 20 % are true");
        assert_eq!(seen.missing(), [""; 0], "never both true and false");
    }
}

#[test]
fn fields_are_those_that_the_reader_of_records_returns() {
    for (language, _) in LANGUAGES {
        let records = law::compare_fields(language, seed(), 2_000);
        println!("{:4} seed {}: the fields of {records} records are the same", language.target, seed());
    }
}

/// How many samples are taken until a planted error is found.
const SAMPLES: u64 = 4;

#[test]
fn planted_errors_are_found() {
    let find = |language: &Language, errors: &[Planted]| {
        assert!(errors.len() >= 10, "{}: only {} errors", language.target, errors.len());
        let effort = Effort { pairs: 20_000, conditions: 400 };
        let mut survivors = Vec::new();
        for planted in errors {
            // What shows an error may be rare: a few samples are taken.
            let mut samples =
                (0..SAMPLES).map(|sample| law::run(language, seed() + sample, effort, Some(planted)));
            match samples.find_map(Result::err) {
                Some(wrong) => println!("{:4} {}: {}", language.target, planted.name, wrong.condition),
                None => survivors.push(format!("{} {}", language.target, planted.name)),
            }
        }
        survivors
    };
    // The compilers are what takes the time, and they are different programs.
    let survivors: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            LANGUAGES.iter().map(|(language, errors)| scope.spawn(move || find(language, errors))).collect();
        runs.into_iter().flat_map(|run| run.join().expect("a run ends")).collect()
    });
    assert_eq!(survivors, [""; 0], "these errors were not found");
}

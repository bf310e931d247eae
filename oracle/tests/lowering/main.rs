//! The text for a kernel has the meaning of the condition: `Filter::parse(lower(c)).matches(record) == eval(c,
//! record)`, for any condition that is lowered and any record that a kernel can write, by the models of kernels.
//!
//! The pairs are generated from a seed, which is printed with the statistics and the kernel's name.
//! `TRACEC_LOWERING_PAIRS` sets their number per kernel, `TRACEC_LOWERING_SEED` the seed. Pairs of conditions that are
//! lowered to a constant are not counted: no filter is asked about them.

#[path = "../../../kernel/tests/common/bytes.rs"]
mod bytes;
mod cells;
mod event;
#[path = "../../../kernel/tests/generate/mod.rs"]
mod generate;
mod law;
mod mutations;
mod records;
mod shrink;

use std::cell::Cell;
use std::env;

use law::{Effort, KERNELS, run};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{FilterTree, LowerError, Lowered, Spelling, lower};
use tracec_kernel::filter::Model;

const PAIRS: u64 = 240_000;
const SEED: u64 = 0x7472_6163_6563;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// Lowers a condition. If it is a conjunction, its parts are also lowered apart and joined, which has the same result.
fn lower_and_join(
    condition: &Condition,
    spelling: &Spelling,
    model: &Model,
    joined: &Cell<usize>,
) -> Result<Lowered, LowerError> {
    let whole = lower(condition, spelling, model);
    if let Condition::And(parts) = condition {
        joined.set(joined.get() + 1);
        let trees = parts.iter().map(|part| FilterTree::new(part, spelling, model));
        match trees.collect::<Result<Vec<_>, _>>() {
            Ok(trees) => assert_eq!(FilterTree::all(&trees), whole, "{condition}"),
            Err(_) => assert!(whole.is_err(), "{condition}"),
        }
    }
    whole
}

#[test]
fn texts_mean_what_their_conditions_mean() {
    let pairs = number("TRACEC_LOWERING_PAIRS").unwrap_or(PAIRS);
    let seed = number("TRACEC_LOWERING_SEED").unwrap_or(SEED);
    // Enough conditions for each kind of question to occur; beyond that, records.
    let effort = Effort { pairs, records_per_condition: (pairs / 40_000).clamp(6, 64) };
    for kernel in KERNELS {
        let joined = Cell::new(0);
        let lowering = |condition: &Condition, spelling: &Spelling, model: &Model| {
            lower_and_join(condition, spelling, model, &joined)
        };
        let seen = run(kernel, seed, effort, &lowering)
            .unwrap_or_else(|wrong| panic!("kernel {}, seed {seed}:\n{wrong}", kernel.name));
        println!("{:8} seed {seed}: {seen}", kernel.name);
        for (reason, times) in &seen.refused {
            println!("{:8} refused {times:7} {reason}", "");
        }
        assert!(joined.get() >= 2_000, "{}: only {} conjunctions", kernel.name, joined.get());
        assert!(seen.distinct.len() >= 20_000, "{}: too few conditions", kernel.name);
        assert!(seen.holds * 5 >= seen.pairs, "{}: less than 20 % are true", kernel.name);
        let missing: Vec<String> = cells::expected(&kernel.model)
            .iter()
            .filter(|cell| seen.cells.get(*cell).is_none_or(|truths| truths.contains(&0)))
            .map(|(subject, question)| format!("{subject} {question}"))
            .collect();
        assert_eq!(missing, [""; 0], "{}: never both true and false", kernel.name);
    }
}

/// A filter of fewer comparisons lets every record through that meets the condition: beside the whole filter it changes
/// nothing.
#[test]
fn fewer_comparisons_drop_no_record_that_is_meant() {
    let pairs = number("TRACEC_LOWERING_PAIRS").unwrap_or(PAIRS) / 10;
    let seed = number("TRACEC_LOWERING_SEED").unwrap_or(SEED);
    for kernel in KERNELS {
        let lowering = |condition: &Condition, spelling: &Spelling, model: &Model| {
            let whole = FilterTree::new(condition, spelling, model)?;
            // Conditions without such a filter are counted as refused.
            let fewer = whole.fewer().ok_or(LowerError::TooLong { length: 0 })?;
            assert!(fewer.comparisons() < whole.comparisons(), "{condition}");
            FilterTree::all([&fewer, &whole])
        };
        let seen = run(kernel, seed, Effort { pairs, records_per_condition: 20 }, &lowering)
            .unwrap_or_else(|wrong| panic!("kernel {}, seed {seed}:\n{wrong}", kernel.name));
        println!("{:8} seed {seed}: {seen}", kernel.name);
        assert!(seen.distinct.len() >= 500, "{}: too few conditions", kernel.name);
        assert!(seen.holds * 10 >= seen.pairs, "{}: less than 10 % are true", kernel.name);
    }
}

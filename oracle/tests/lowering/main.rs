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

use std::env;

use law::{Effort, KERNELS, run};
use tracec_kernel::condition::lower::lower;

const PAIRS: u64 = 240_000;
const SEED: u64 = 0x7472_6163_6563;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

#[test]
fn texts_mean_what_their_conditions_mean() {
    let pairs = number("TRACEC_LOWERING_PAIRS").unwrap_or(PAIRS);
    let seed = number("TRACEC_LOWERING_SEED").unwrap_or(SEED);
    // Enough conditions for each kind of question to occur; beyond that, records.
    let effort = Effort { pairs, records_per_condition: (pairs / 40_000).clamp(6, 64) };
    for kernel in KERNELS {
        let seen = run(kernel, seed, effort, &lower)
            .unwrap_or_else(|wrong| panic!("kernel {}, seed {seed}:\n{wrong}", kernel.name));
        println!("{:8} seed {seed}: {seen}", kernel.name);
        for (reason, times) in &seen.refused {
            println!("{:8} refused {times:7} {reason}", "");
        }
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

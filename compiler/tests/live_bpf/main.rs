//! BPF programs on the running kernel: its verifier accepts each that the compiler makes, and its processor decides as the
//! evaluator does.
//!
//! A condition is loaded as a program at a tracepoint for the verifier, and as one that a system call runs for its
//! decisions: `BPF_PROG_TEST_RUN` gives it any record. `TRACEC_BPF_LIVE_PAIRS` sets the number of pairs,
//! `TRACEC_BPF_SEED` the seed.

#[path = "../../../kernel/tests/common/bytes.rs"]
mod bytes;
#[path = "../decoders/cases.rs"]
mod cases;
#[path = "../decoders/cells.rs"]
#[expect(dead_code, reason = "what was seen is counted in the interpreter")]
mod cells;
#[path = "../../../oracle/tests/lowering/event.rs"]
#[expect(dead_code, reason = "the kernel that reads filters is for the tests of lowering")]
mod event;
#[path = "../../../kernel/tests/generate/mod.rs"]
#[expect(dead_code, reason = "errors of lowering, and smaller conditions, are for the tests of lowering")]
mod generate;
#[expect(unsafe_code, reason = "calls bpf(2), which no library of the tests has")]
mod kernel;
mod law;
#[path = "../../../oracle/tests/lowering/records.rs"]
mod records;
mod terms;
#[path = "../bpf/written.rs"]
mod written;

use std::env;

const PAIRS: usize = 5_000;
const SEED: u64 = 0x7472_6163_6563;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// Returns whether programs can be loaded here; says why not.
fn is_possible() -> bool {
    match kernel::is_possible() {
        Ok(()) => true,
        Err(reason) => {
            println!("SKIPPED: no BPF program can be loaded: {reason}");
            false
        }
    }
}

#[test]
fn kernel_decides_what_the_evaluator_decides() {
    if !is_possible() {
        return;
    }
    let seed = number("TRACEC_BPF_SEED").unwrap_or(SEED);
    let pairs = number("TRACEC_BPF_LIVE_PAIRS").map_or(PAIRS, |pairs| pairs as usize);
    let seen = law::run(seed, pairs).unwrap_or_else(|wrong| panic!("seed {seed}:\n{wrong}"));
    println!("seed {seed}: {seen}");
    assert!(seen.pairs >= pairs, "only {} pairs", seen.pairs);
    assert!(seen.holds * 5 >= seen.pairs, "less than 20 % are true");
}

#[test]
fn verifier_accepts_every_program() {
    if !is_possible() {
        return;
    }
    let (mut accepted, mut refused, mut most) = (0, 0, 0);
    for (name, condition) in terms::conditions() {
        match tracec_compiler::target::bpf::filter(&condition, &event::PLAIN.format) {
            Ok(filter) => {
                most = most.max(filter.bytes.len() / 8);
                let loaded = kernel::Loaded::new(&filter, kernel::Kind::Tracepoint);
                loaded.unwrap_or_else(|log| panic!("{name}: {condition}\n{log}\n{}", filter.text.join("\n")));
                accepted += 1;
            }
            Err(reason) => {
                println!("refused by the compiler: {name}: {reason}");
                refused += 1;
            }
        }
    }
    println!(
        "{accepted} conditions accepted by the verifier, the longest of {most} instructions; {refused} refused before"
    );
    assert!(accepted > 100);
}

//! Machine code selects what the evaluator selects, for any condition that it takes and any bytes, and reads
//! and writes nothing beside them.
//!
//! The pairs of conditions and records are generated from a seed, which is printed with the statistics.
//! `TRACEC_CODE_PAIRS` sets their number, `TRACEC_CODE_SEED` the seed,
//! `TRACEC_CODE_SECONDS` how long hostile pages are tried.

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
#[expect(unsafe_code, reason = "maps memory that must not be read")]
mod guarded;
mod hostile;
mod law;
mod limits;
mod listing;
#[expect(unsafe_code, reason = "compiles functions with errors")]
mod planted;
#[path = "../../../oracle/tests/lowering/records.rs"]
mod records;
mod sets;

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use law::Memory;
use tracec_compiler::target::host::Code;
use tracec_kernel::selection::Selection;

const PAIRS: usize = 100_000;
const SEED: u64 = 0x7472_6163_6563;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.replace('_', "").parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

fn seed() -> u64 {
    number("TRACEC_CODE_SEED").unwrap_or(SEED)
}

fn compiled(selection: &Selection) -> Code {
    Code::new(selection).expect("the conditions become code")
}

#[test]
fn code_selects_what_the_evaluator_selects() {
    let pairs = number("TRACEC_CODE_PAIRS").map_or(PAIRS, |pairs| pairs as usize);
    let seen = law::run(seed(), pairs, Memory::Both, &compiled)
        .unwrap_or_else(|wrong| panic!("seed {}:\n{wrong}", seed()));
    println!("seed {}: {seen}", seed());
    assert!(seen.pairs >= pairs, "only {} pairs", seen.pairs);
    assert!(seen.holds * 5 >= seen.pairs, "less than 20 % are true");
    assert_eq!(seen.missing(), [""; 0], "never both true and false");
    assert!(seen.resumed * 5000 > seen.pairs, "only {} pages with more than the first room", seen.resumed);
}

#[test]
fn planted_errors_are_found() {
    let mut survivors = Vec::new();
    for planted in planted::ERRORS {
        match law::run(seed(), PAIRS, Memory::Both, &|selection| planted.compile(selection)) {
            Err(_) => println!("found: {}", planted.name),
            Ok(seen) => survivors.push(format!("{}: {seen}", planted.name)),
        }
    }
    assert_eq!(survivors, [""; 0], "these errors were not found");
}

/// The error that a process of its own tries.
const PLANTED: &str = "TRACEC_CODE_PLANTED";

#[test]
fn dropped_checks_end_a_process_or_are_found() {
    if let Ok(index) = env::var(PLANTED) {
        let planted = &planted::DEADLY[index.parse::<usize>().expect("an index")];
        let compile = |selection: &Selection| planted.compile(selection);
        let is_found = law::run(seed(), PAIRS, Memory::Guarded, &compile).is_err()
            || hostile::run(Memory::Guarded, &compile).is_err();
        println!("{}", if is_found { "it is found" } else { "it is not found" });
        return;
    }
    for (index, planted) in planted::DEADLY.iter().enumerate() {
        let output = Command::new(env::current_exe().expect("this program"))
            .args(["--exact", "dropped_checks_end_a_process_or_are_found", "--nocapture"])
            .env(PLANTED, index.to_string())
            .output()
            .expect("this program runs again");
        let text = String::from_utf8_lossy(&output.stdout);
        let died = output.status.signal();
        assert!(
            died == Some(libc::SIGSEGV) || text.contains("it is found"),
            "{}: {died:?} {text}",
            planted.name
        );
        println!("{}: {}", planted.name, died.map_or("it is found", |_| "the process dies"));
    }
}

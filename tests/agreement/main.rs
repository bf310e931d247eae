//! A real kernel decides on generated records, and its decisions are compared with those of the model of its filter.
//!
//! `drive` gives each of many instances another filter on the same event and fires records of chosen values, so that
//! one firing is one decision of each filter; `agree` compares. A disagreement is made small by `shrink` and printed in
//! the form of `regressions.txt`. `meaning` does the same with filters that conditions were lowered to, and compares
//! the kernel with the meaning of the conditions and with machine code of them. `facts` are tests of single properties of the filter that the
//! compiler depends on.
//!
//! TRACEC_AGREEMENT_SEED sets the seed, which is printed. TRACEC_TEST_PAIRS names the module of `tests/modules/pairs.trc`:
//! conditions are asked at its event then, TRACEC_MODULE_PAIRS pairs of them and records. The other variables are those of
//! `tests/live.rs`.

mod agree;
#[expect(unsafe_code, reason = "opens counts of events, and puts programs there")]
mod attached;
// The base of the other live tests; this one starts no session.
#[path = "../harness/bench.rs"]
#[expect(dead_code)]
mod bench;
#[path = "../../compiler/tests/live_bpf/kernel.rs"]
#[expect(dead_code, unsafe_code, reason = "calls bpf(2), of which this test needs a part")]
mod bpf_kernel;
#[path = "../../kernel/tests/common/bytes.rs"]
#[expect(dead_code, reason = "one address is used")]
mod bytes;
#[path = "../../compiler/tests/decoders/c.rs"]
#[expect(dead_code, reason = "planted errors and fields are for the tests of decoders")]
mod c;
mod code;
mod drive;
mod facts;
mod field;
#[path = "../../compiler/tests/decoders/fields.rs"]
#[expect(dead_code, reason = "what a decoder prints is for the tests of decoders")]
mod fields;
// The tests of lowering ask models with the same conditions.
#[path = "../../kernel/tests/generate/mod.rs"]
mod generate;
mod kernel;
mod meaning;
mod model;
mod places;
mod planted;
#[path = "../../compiler/tests/decoders/program.rs"]
#[expect(dead_code, reason = "planted errors and fields are for the tests of decoders")]
mod program;
mod regressions;
#[expect(unsafe_code, reason = "the thread id is libc's")]
mod rig;
#[path = "../../compiler/tests/decoders/rust.rs"]
#[expect(dead_code, reason = "planted errors and fields are for the tests of decoders")]
mod rust;
mod shrink;
#[expect(unsafe_code, reason = "fires events by system calls with chosen arguments")]
mod source;
mod tally;
mod text;
mod trials;
mod wrong;

use libtest_mimic::Arguments;

fn main() {
    // Tests share one tracefs, so they run one after the other.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    // It keeps other tests away from this tracefs until the end.
    let bench = bench::Bench::find();
    let trials = match &bench {
        Ok(bench) => trials::trials(bench),
        Err(reason) => {
            println!("SKIPPED agreement: {reason}");
            Vec::new()
        }
    };
    libtest_mimic::run(&arguments, trials).exit();
}

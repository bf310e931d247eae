//! The mistakes of newcomers: sixty of them, each as a one-liner of tracec, a program of bpftrace and a call of
//! trace-cmd, and further ones of which tracec alone is asked. `book/src/mistakes.md` is generated from the three
//! tools' messages, and compared here with the one in the tree; `UPDATE_EXPECT=1 cargo test --test newcomer` writes it.
//!
//! tracec is run by this test. The output of the peers is recorded in `peers.jsonl`, because they need a kernel: `cargo
//! xtask test newcomer` runs them on Debian's own kernel in a virtual machine and compares, and with `UPDATE_EXPECT=1`
//! records again. There this binary runs with TRACEC_NEWCOMER_PEERS set, and has other tests.

mod common;
#[path = "../../compiler/tests/fixes/mod.rs"]
mod fixes;
mod law;
mod mistake;
mod page;
mod peers;
mod recorded;
mod table;
mod tracec;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = match std::env::var_os("TRACEC_NEWCOMER_PEERS") {
        Some(_) => peers::trials(),
        None => tests(),
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn tests() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("there are sixty mistakes, each with a name of its own", table::sixty),
        Trial::test("what is recorded is what the table asks for", recorded::fits_the_table),
        Trial::test("the page is as generated", page::is_as_generated),
    ];
    for mistake in table::all() {
        let learnt = table::LEARNT.contains(&mistake.name);
        let name = format!("tracec {} {}", if learnt { "takes" } else { "refuses" }, mistake.name);
        trials.push(Trial::test(name, move || match learnt {
            true => tracec::takes(mistake.tracec),
            false => tracec::refuses(mistake.tracec, false),
        }));
        let name = format!("what is offered for {} can be written", mistake.name);
        trials.push(Trial::test(name, || law::holds(mistake.tracec, false)));
    }
    let refused = table::further().chain(table::CONDITIONS).map(|row| (row, false));
    for (further, is_doubted) in refused.chain(table::DOUBTED.iter().map(|row| (row, true))) {
        let name = format!("tracec {} {}", if is_doubted { "warns of" } else { "refuses" }, further.name);
        trials.push(Trial::test(name, move || match is_doubted {
            true => tracec::warns(further.tracec, further.in_file),
            false => tracec::refuses(further.tracec, further.in_file),
        }));
        let name = format!("what is offered for {} can be written", further.name);
        trials.push(Trial::test(name, || law::holds(further.tracec, further.in_file)));
        let name = format!("what is offered for {} means the same", further.name);
        trials.push(Trial::test(name, || law::leads_to_the_right_session(further)));
    }
    trials
}

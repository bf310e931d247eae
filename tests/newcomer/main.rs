//! The mistakes of newcomers: sixty of them, each as a one-liner of tracec, a program of bpftrace and a call of
//! trace-cmd. `book/src/mistakes.md` is generated from the three tools' messages, and compared here with the one in the
//! tree; `UPDATE_EXPECT=1 cargo test --test newcomer` writes it.
//!
//! tracec is run by this test. The output of the peers is recorded in `peers.jsonl`, because they need a kernel: `cargo
//! xtask test newcomer` runs them on Debian's own kernel in a virtual machine and compares, and with `UPDATE_EXPECT=1`
//! records again. There this binary runs with TRACEC_NEWCOMER_PEERS set, and has other tests.

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
    trials.extend(table::all().map(|mistake| {
        let name = format!("tracec refuses {}", mistake.name);
        Trial::test(name, || tracec::refuses(mistake))
    }));
    trials
}

//! `cargo xtask soak [PART...]`: the proofs that `cargo xtask test` samples, each with its full count.
//!
//! They take hours, so `cargo xtask test` does not include them. A further one is one entry of [`PARTS`].

use std::env;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::payload::{AGREEMENT_SEED, END_POINTS, PROGRAM_CYCLES, TEXTS, TEXTS_HERE};
use super::rust::{LOWERING, counted_tests};
use super::tally::Tally;
use super::{MaySkip, Part, kernel_tree, live, live_tests, machine, modules, parts_main};
use crate::setup::Use;
use crate::vm::Kernel;

/// The variable that sets the first seed, so that another soak uses other values.
const FIRST_SEED: &str = "TRACEC_SOAK_SEED";

/// The number of seeds for each kernel.
const AGREEMENT_SEEDS: u64 = 8;

/// All parts in their order.
pub const PARTS: &[Part] = &[
    Part {
        name: "laws",
        proves: "property tests of conditions, records and syntax hold for 200,000 values each",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            seeds(1, |seed| {
                let environment = &[("PROPTEST_CASES", "200000"), ("PROPTEST_RNG_SEED", seed)];
                LAWS.iter().try_for_each(|tests| counted_tests(tests, environment, tally))
            })
        },
    },
    Part {
        name: "format",
        proves: "the layout of 1,000,000 made-up texts means the same as the texts",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            seeds(10, |seed| {
                let environment = &[("PROPTEST_CASES", "100000"), ("TRACEC_FORMAT_SEED", seed)];
                counted_tests(FORMAT_LAWS, environment, tally)
            })
        },
    },
    Part {
        name: "lowering",
        proves: "filters mean what their conditions mean, by the models of five kernels and forty million records for each",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            seeds(8, |seed| {
                let environment = &[("TRACEC_LOWERING_PAIRS", "5_000_000"), ("TRACEC_LOWERING_SEED", seed)];
                counted_tests(LOWERING, environment, tally)
            })
        },
    },
    Part {
        name: "decoders",
        proves: "functions in C and Rust decide what their conditions mean, for 300,000 pairs of a condition and a record each",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            seeds(3, |seed| {
                let environment = &[("TRACEC_DECODER_PAIRS", "100_000"), ("TRACEC_DECODER_SEED", seed)];
                counted_tests(DECODERS, environment, tally)
            })
        },
    },
    Part {
        name: "definitions",
        proves: "the C of 30,000 conditions and values of definitions computes what they mean, and gcc does not warn of it",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            seeds(3, |seed| {
                let environment = &[("TRACEC_C_EVENTS", "5_000"), ("TRACEC_C_SEED", seed)];
                counted_tests(GENERATED_C, environment, tally)
            })
        },
    },
    Part {
        name: "machine-code",
        proves: "machine code selects what the evaluator selects, of ten million records and for minutes of hostile pages",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            seeds(5, |seed| {
                let environment = &[
                    ("TRACEC_CODE_PAIRS", "2_000_000"),
                    ("TRACEC_CODE_SECONDS", "60"),
                    ("TRACEC_CODE_SEED", seed),
                ];
                counted_tests(MACHINE_CODE, environment, tally)
            })
        },
    },
    Part {
        name: "language-server",
        proves: "the language server's diagnostics are those of a fresh check after 10,000 edits, its memory stays, and what \
                 it completes at every byte of the examples checks",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: |tally| {
            counted_tests(
                COMPLETION,
                &[("TRACEC_COMPLETION_STEP", "1"), ("TRACEC_COMPLETION_ITEMS", "1000")],
                tally,
            )?;
            counted_tests(SERVER, &[("TRACEC_LSP_EDITS", "10000")], tally)?;
            seeds(3, |seed| {
                let environment = &[("TRACEC_LSP_EDITS", "10000"), ("TRACEC_LSP_SEED", seed)];
                counted_tests(EDITS, environment, tally)
            })
        },
    },
    Part {
        name: "programs",
        proves: "BPF programs decide three million pairs in an interpreter and 100,000 on the running kernel as the evaluator does, \
                 and 200 sessions leave none",
        uses: &[Use::Live],
        may_skip: MaySkip::AnyFeature,
        run: |tally| {
            seeds(3, |seed| {
                let environment = &[("TRACEC_BPF_PAIRS", "1_000_000"), ("TRACEC_BPF_SEED", seed)];
                counted_tests(PROGRAMS, environment, tally)
            })?;
            let environment = &[("TRACEC_BPF_LIVE_PAIRS", "100_000"), (PROGRAM_CYCLES, "200")];
            live::here(live_tests::PROGRAMS, environment, tally)
        },
    },
    Part {
        name: "texts",
        proves: "records of every event that the running kernel can be made to record print as its file `trace` has them",
        uses: &[Use::Live, Use::FileSystems],
        may_skip: MaySkip::Nothing,
        run: |tally| live::here(live_tests::TEXTS, &[(TEXTS, TEXTS_HERE)], tally),
    },
    Part {
        name: "agreement",
        proves: "the running kernel's filter decides as its model does, with the conditions of eight seeds",
        uses: &[Use::Live],
        may_skip: MaySkip::AnyFeature,
        run: |tally| {
            seeds(AGREEMENT_SEEDS, |seed| live::here(live_tests::AGREEMENT, &[(AGREEMENT_SEED, seed)], tally))
        },
    },
    Part {
        name: "scripts",
        proves: "a script that is ended at any line of it leaves nothing on the running kernel",
        uses: &[Use::Live, Use::Scripts],
        may_skip: MaySkip::AnyFeature,
        run: |tally| live::here(live_tests::SCRIPTS, &[(END_POINTS, "0/1")], tally),
    },
    Part {
        name: "signals",
        proves: "every signal that a program can catch, at twenty moments of a session, leaves nothing on the running kernel",
        uses: &[Use::Live],
        may_skip: MaySkip::AnyFeature,
        run: |tally| live::here(live_tests::SIGNALS, &[(END_POINTS, "0/1")], tally),
    },
    Part {
        name: "kills",
        proves: "300 sessions that SIGKILL ends at any moment, and 2,000 damaged journals, leave nothing that is not named",
        uses: &[Use::Live],
        may_skip: MaySkip::AnyFeature,
        run: |tally| live::here(live_tests::KILLS, &[(END_POINTS, "0/1")], tally),
    },
    Part {
        name: "kernel-tree",
        proves: "definitions apply to the source of Linux 6.12 as a patch, look like its headers, and build without a warning",
        uses: &[Use::KernelTree],
        may_skip: MaySkip::Nothing,
        run: kernel_tree::kernel_tree,
    },
    Part {
        name: "pairs-6.1",
        proves: "BPF programs at the event of a module decide 100,000 pairs as the filter of Debian's kernel 6.1 does",
        uses: &[Use::Live, Use::Modules, Use::Machine(Kernel::Debian6_1)],
        may_skip: MaySkip::Nothing,
        run: |tally| modules::pairs(Kernel::Debian6_1, tally),
    },
    Part {
        name: "pairs-6.12",
        proves: "the same with Debian's kernel 6.12",
        uses: &[Use::Live, Use::Modules, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::Nothing,
        run: |tally| modules::pairs(Kernel::Debian6_12, tally),
    },
    Part {
        name: "texts-6.1",
        proves: "records print as `trace` has them on Debian's kernel 6.1 in a virtual machine",
        uses: &[Use::Live, Use::FileSystems, Use::Machine(Kernel::Debian6_1)],
        may_skip: MaySkip::Nothing,
        run: |tally| machine::texts(Kernel::Debian6_1, tally),
    },
    Part {
        name: "texts-6.12",
        proves: "the same with Debian's kernel 6.12 in a virtual machine",
        uses: &[Use::Live, Use::FileSystems, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::Nothing,
        run: |tally| machine::texts(Kernel::Debian6_12, tally),
    },
    Part {
        name: "texts-full",
        proves: "the same with a kernel with every tracing feature in a virtual machine",
        uses: &[Use::Live, Use::FileSystems, Use::Machine(Kernel::Full)],
        may_skip: MaySkip::Nothing,
        run: |tally| machine::texts(Kernel::Full, tally),
    },
    Part {
        name: "agreement-6.1",
        proves: "the filter of Debian's kernel 6.1 in virtual machines decides as its model does, with eight seeds",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_1)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| agreement(Kernel::Debian6_1, tally),
    },
    Part {
        name: "agreement-6.12",
        proves: "the same with Debian's kernel 6.12 in virtual machines",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| agreement(Kernel::Debian6_12, tally),
    },
    Part {
        name: "agreement-full",
        proves: "the same with a kernel with every tracing feature in virtual machines",
        uses: &[Use::Live, Use::Machine(Kernel::Full)],
        may_skip: MaySkip::Nothing,
        run: |tally| agreement(Kernel::Full, tally),
    },
    Part {
        name: "scripts-6.1",
        proves: "a script that is ended at any line of it leaves nothing on Debian's kernel 6.1 in virtual machines",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_1)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| scripts(Kernel::Debian6_1, tally),
    },
    Part {
        name: "scripts-6.12",
        proves: "the same with Debian's kernel 6.12 in virtual machines",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| scripts(Kernel::Debian6_12, tally),
    },
    Part {
        name: "scripts-full",
        proves: "the same with a kernel with every tracing feature in virtual machines",
        uses: &[Use::Live, Use::Machine(Kernel::Full)],
        may_skip: MaySkip::Nothing,
        run: |tally| scripts(Kernel::Full, tally),
    },
];

/// The property tests, except those of whole profiles: one value of these takes as long as a thousand of the others.
const LAWS: [&[&str]; 3] = [
    &[
        "-p",
        "tracec-kernel",
        "--lib",
        "--test",
        "simplify",
        "--test",
        "page",
        "--test",
        "record",
        "--test",
        "print_garbage",
    ],
    &["-p", "tracec-oracle", "--test", "filter"],
    &["-p", "tracec-grammar", "--test", "properties"],
];
const DECODERS: &[&str] = &["-p", "tracec-compiler", "--test", "decoders"];
const PROGRAMS: &[&str] = &["-p", "tracec-compiler", "--test", "bpf"];
const GENERATED_C: &[&str] = &["-p", "tracec-compiler", "--test", "generated_c"];
const MACHINE_CODE: &[&str] =
    &["-p", "tracec-compiler", "--features", "host-test", "--test", "machine_code", "code_selects"];
const COMPLETION: &[&str] = &["--workspace", "--test", "completion"];
const EDITS: &[&str] = &["--workspace", "--test", "laws"];
const SERVER: &[&str] = &["--workspace", "--test", "server"];
const FORMAT_LAWS: &[&str] = &["-p", "tracec-grammar", "--test", "format_laws"];

/// Runs `cargo xtask soak [--list] [PART...]`.
///
/// # Errors
/// An argument that does not name a part, or an unknown option. Failed tests are not an error: the exit code is 1.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    parts_main("soak", PARTS, arguments)
}

/// Tests one kernel with the conditions of each seed. Each seed has a machine of its own, since a machine has a time
/// limit.
fn agreement(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    seeds(AGREEMENT_SEEDS, |seed| machine::agreement(kernel, &[(AGREEMENT_SEED, seed)], tally))
}

/// Ends scripts at every line on one kernel. Each eighth of the lines has a machine of its own, since a machine has a
/// time limit; the first one runs the other tests of scripts too.
fn scripts(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    (0..8).try_for_each(|first| {
        let tests = if first == 0 { live_tests::SCRIPTS } else { live_tests::SCRIPT_POINTS };
        machine::scripts(kernel, tests, &format!("{first}/8"), tally)
    })
}

/// Runs a function with so many seeds, one after the other.
fn seeds(count: u64, mut run: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let first = match env::var(FIRST_SEED) {
        Ok(text) => text.parse::<u64>().with_context(|| format!("{FIRST_SEED}={text}"))?,
        Err(_) => 1,
    };
    for seed in first..first.saturating_add(count) {
        println!("-- seed {seed}");
        run(&seed.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn seeds_follow_each_other_and_an_error_ends_them() {
        let mut seen = Vec::new();
        seeds(3, |seed| {
            seen.push(seed.to_owned());
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, ["1", "2", "3"]);
        assert!(seeds(3, |_| anyhow::bail!("broken")).is_err());
    }

    #[test]
    fn tests_of_laws_exist() {
        let others = [&FORMAT_LAWS, &LOWERING, &DECODERS, &GENERATED_C, &MACHINE_CODE, &COMPLETION, &EDITS];
        for arguments in LAWS.iter().chain(others) {
            let after = |word| move |pair: &&[&str]| pair[0] == word;
            let named = arguments.windows(2).find(after("-p")).map(|pair| pair[1].replace("tracec-", ""));
            let root = crate::workspace::root();
            let crates: Vec<PathBuf> = match named {
                Some(named) => vec![root.join(named)],
                None => fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect(),
            };
            for pair in arguments.windows(2).filter(after("--test")) {
                let names = [format!("tests/{}.rs", pair[1]), format!("tests/{}/main.rs", pair[1])];
                let mut files = crates.iter().flat_map(|path| names.iter().map(|name| path.join(name)));
                assert!(files.any(|file| file.exists()), "{pair:?}");
            }
        }
    }

    #[test]
    fn part_is_selected_by_its_name() {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        assert!(names.iter().enumerate().all(|(index, name)| !names[..index].contains(name)));
        assert!(main(&["lowerin".to_owned()]).is_err());
    }
}

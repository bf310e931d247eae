//! `cargo xtask test [PART...]`: every proof of the project, in order, with counts, times and the reason of each skip.

mod editors;
mod kernel_tree;
pub mod libtest;
pub mod live;
pub mod live_tests;
pub mod machine;
mod modules;
mod newcomer;
pub mod payload;
mod processes;
mod rust;
pub mod soak;
mod sources;
pub mod tally;

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::mount_point;
use crate::setup::{self, Use};
use crate::vm::Kernel;
use payload::{END_POINTS, POINTS_6_1, POINTS_6_12, POINTS_FULL, POINTS_HERE};
use tally::{Finished, Tally};

/// One kind of proof.
pub struct Part {
    /// The word that selects it.
    pub name: &'static str,
    /// The statement that holds if it has passed.
    pub proves: &'static str,
    /// The system packages it needs.
    pub uses: &'static [Use],
    /// Which single tests of it may be skipped even with CI=true.
    pub may_skip: MaySkip,
    /// Runs it and counts into the tally. An error is one more failure.
    pub run: fn(&mut Tally) -> Result<()>,
}

/// The single tests of a part that may be skipped even with CI=true, each with its printed reason. No part may be
/// skipped as a whole there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaySkip {
    /// None.
    Nothing,
    /// Every test of a feature: a kernel that was built or locked down without it cannot show it. The machine `full` has
    /// them all, or Debian's kernels do.
    AnyFeature,
    /// Those whose reason has this end: the one thing that the kernel lacks.
    Lacking(&'static str),
}

impl MaySkip {
    /// Returns whether a test may be skipped for this reason.
    fn allows(self, why: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::AnyFeature => true,
            Self::Lacking(what) => why.ends_with(what),
        }
    }
}

/// Full debug information would make the kernel's build several times as long. Debian's kernels have BTF.
const ALL_BUT_BTF: MaySkip = MaySkip::Lacking("this kernel has no btf");

/// A machine has no compilers. The running kernel is asked in all places.
const ALL_BUT_COMPILERS: MaySkip = MaySkip::Lacking("no compiler of c is here");

/// Recordings that are written here are also read by trace-cmd, where it is installed.
const ALL_BUT_TRACE_CMD: MaySkip = MaySkip::Lacking("trace-cmd is not installed");

/// All parts in their order: the fast ones and those that fail most often come first.
pub const PARTS: &[Part] = &[
    Part {
        name: "fmt",
        proves: "the sources are formatted as rustfmt.toml says",
        uses: &[Use::Lint],
        may_skip: MaySkip::Nothing,
        run: rust::fmt,
    },
    Part {
        name: "layering",
        proves: "no crate knows one it must not know, no target another, and ARCHITECTURE.md is true",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: sources::layering,
    },
    Part {
        name: "words",
        proves: "the tree has none of the wordings to avoid that xtask/src/words.rs lists",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: sources::words,
    },
    Part {
        name: "licences",
        proves: "every crate we build on has a licence on the allow list",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: sources::licences,
    },
    Part {
        name: "clippy",
        proves: "no warning of rustc or clippy in any target: I/O, printing, panics and unsafe code stay where lints let them",
        uses: &[Use::Lint],
        may_skip: MaySkip::Nothing,
        run: rust::clippy,
    },
    Part {
        name: "docs",
        proves: "the documentation builds without a warning: no dead link, nothing public undocumented",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: rust::docs,
    },
    Part {
        name: "unit",
        proves: "the crates and their documentation tests do what they say, without a kernel",
        uses: &[Use::Scripts],
        may_skip: ALL_BUT_TRACE_CMD,
        run: rust::unit,
    },
    Part {
        name: "editors",
        proves: "Neovim shows what the server says on its own screen, and the extension for VS Code works with it and packages",
        uses: &[Use::Editors],
        may_skip: MaySkip::Nothing,
        run: editors::editors,
    },
    Part {
        name: "lowering",
        proves: "filters mean what their conditions mean, by the models of five kernels and five million records for each",
        uses: &[],
        may_skip: MaySkip::Nothing,
        run: rust::lowering,
    },
    Part {
        name: "examples",
        proves: "every .trc file of the examples and the standard library passes `tracec check`",
        uses: &[Use::Live],
        may_skip: MaySkip::Nothing,
        run: sources::examples,
    },
    Part {
        name: "constants",
        proves: "every constant of the standard library has the value that gcc finds in the kernel's headers",
        uses: &[Use::Headers],
        may_skip: MaySkip::Nothing,
        run: sources::constants,
    },
    Part {
        name: "live",
        proves: "sessions work on the running kernel, and its tracing state is afterwards as before",
        uses: &[Use::Live],
        may_skip: MaySkip::AnyFeature,
        run: |tally| live::here(live_tests::LIVE, &[(END_POINTS, POINTS_HERE)], tally),
    },
    Part {
        name: "agreement",
        proves: "the running kernel's filter decides as its model does, and as lowered conditions mean, on chosen records",
        uses: &[Use::Live],
        may_skip: MaySkip::AnyFeature,
        run: |tally| live::here(live_tests::AGREEMENT, &[], tally),
    },
    Part {
        name: "live-6.1",
        proves: "sessions work on Debian's kernel 6.1 in a virtual machine, and its tracing state is afterwards as before",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_1)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| machine::live(Kernel::Debian6_1, POINTS_6_1, tally),
    },
    Part {
        name: "live-6.12",
        proves: "the same on Debian's kernel 6.12 in a virtual machine",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| machine::live(Kernel::Debian6_12, POINTS_6_12, tally),
    },
    Part {
        name: "live-full",
        proves: "the same on a kernel with every tracing feature in a virtual machine",
        uses: &[Use::Live, Use::Machine(Kernel::Full)],
        may_skip: ALL_BUT_BTF,
        run: |tally| machine::live(Kernel::Full, POINTS_FULL, tally),
    },
    Part {
        name: "modules-6.1",
        proves: "modules of definitions build without a warning for Debian's kernel 6.1, load there, record and print as their texts say",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_1), Use::Modules],
        may_skip: MaySkip::AnyFeature,
        run: |tally| modules::modules(Kernel::Debian6_1, tally),
    },
    Part {
        name: "modules-6.12",
        proves: "the same with Debian's kernel 6.12",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_12), Use::Modules],
        may_skip: MaySkip::AnyFeature,
        run: |tally| modules::modules(Kernel::Debian6_12, tally),
    },
    Part {
        name: "agreement-6.1",
        proves: "the filter of Debian's kernel 6.1 in a virtual machine decides as its model does",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_1)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| machine::agreement(Kernel::Debian6_1, &[], tally),
    },
    Part {
        name: "agreement-6.12",
        proves: "the same with Debian's kernel 6.12 in a virtual machine",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::AnyFeature,
        run: |tally| machine::agreement(Kernel::Debian6_12, &[], tally),
    },
    Part {
        name: "agreement-full",
        proves: "the same with a kernel with every tracing feature in a virtual machine",
        uses: &[Use::Live, Use::Machine(Kernel::Full)],
        may_skip: ALL_BUT_COMPILERS,
        run: |tally| machine::agreement(Kernel::Full, &[], tally),
    },
    Part {
        name: "locked-down",
        proves: "a kernel that is locked down is told from one without tracefs",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_12)],
        may_skip: MaySkip::Nothing,
        run: |tally| machine::locked_down(Kernel::Debian6_12, tally),
    },
    Part {
        name: "newcomer",
        proves: "bpftrace and trace-cmd still do with sixty mistakes what the book says they do",
        uses: &[Use::Live, Use::Machine(Kernel::Debian6_1), Use::Peers],
        may_skip: MaySkip::Nothing,
        run: newcomer::run,
    },
];

/// Runs `cargo xtask test [--list] [PART...]`.
///
/// # Errors
/// An argument that does not name a part, or an unknown option. Failed tests are not an error: the exit code is 1.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    parts_main("test", PARTS, arguments)
}

/// Runs the parts of the table of `cargo xtask COMMAND` that the arguments name, or lists all.
///
/// Parts on the running kernel run one after the other, since they share its tracefs. Those in virtual machines follow,
/// several at a time.
fn parts_main(command: &str, table: &'static [Part], arguments: &[String]) -> Result<ExitCode> {
    if arguments.iter().any(|word| word == "--list") {
        for part in table {
            println!("{:<14} {}", part.name, part.proves);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let [option, counts, name] = arguments
        && option == processes::COUNTS
    {
        for part in select(table, std::slice::from_ref(name))? {
            processes::write_counts(Path::new(counts), &tally(part))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let parts = select(table, arguments)?;
    if let Some(code) = mount_point::run_in_mount_point()? {
        return Ok(code);
    }
    let uses: Vec<Use> = parts.iter().flat_map(|part| part.uses).copied().collect();
    setup::ensure(&uses);
    let (machines, here): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.is_in_machine());
    let strict = env::var("CI").is_ok_and(|value| value == "true");
    let mut finished: Vec<Finished> = here.into_iter().map(|part| run(part, strict)).collect();
    match machines[..] {
        [part] => finished.push(run(part, strict)),
        _ => finished.extend(processes::run(command, &machines, strict)),
    }
    println!("\n{}", tally::summary(&finished));
    let failed = finished.iter().any(|part| !part.tally.failures.is_empty());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the named parts in the order of the table; all if none is named.
fn select(table: &'static [Part], names: &[String]) -> Result<Vec<&'static Part>> {
    if names.is_empty() {
        return Ok(table.iter().collect());
    }
    for name in names {
        if !table.iter().any(|part| part.name == name) {
            let known: Vec<&str> = table.iter().map(|part| part.name).collect();
            bail!("no part {name:?}; the parts are {}", known.join(", "));
        }
    }
    Ok(table.iter().filter(|part| names.iter().any(|name| name == part.name)).collect())
}

impl Part {
    /// Returns whether it runs in a virtual machine, beside others.
    fn is_in_machine(&self) -> bool {
        self.uses.iter().any(|used| matches!(used, Use::Machine(_)))
    }
}

/// Runs one part, and shows what it prints at once.
fn run(part: &Part, strict: bool) -> Finished {
    println!("\n== {}: {}", part.name, part.proves);
    let start = Instant::now();
    let tally = tally(part);
    end(part, tally, start.elapsed(), strict)
}

/// Runs one part to its end, even if it fails.
fn tally(part: &Part) -> Tally {
    let mut tally = Tally::default();
    if let Err(error) = (part.run)(&mut tally) {
        println!("{error:#}");
        tally.fail(format!("{error:#}"));
    }
    tally
}

/// Returns the counts of a part that has run; where it is strict, without the skips that it may not have.
fn judged(part: &Part, mut tally: Tally, strict: bool) -> Tally {
    if strict {
        tally.forbid_skips(part.may_skip);
    }
    tally
}

/// Judges the counts of a part that has run, and shows them.
fn end(part: &Part, tally: Tally, seconds: Duration, strict: bool) -> Finished {
    let tally = judged(part, tally, strict);
    for skip in tally.skips.iter().filter(|skip| skip.test.is_none()) {
        println!("{skip}");
    }
    println!("== {}: {} in {}", part.name, tally, in_seconds(seconds));
    Finished { name: part.name, tally, seconds }
}

fn in_seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        select(PARTS, &words).unwrap().into_iter().map(|part| part.name).collect()
    }

    #[test]
    fn kernels_end_scripts_at_points_of_their_own() {
        let of_kernels = [POINTS_HERE, POINTS_6_1, POINTS_6_12, POINTS_FULL];
        let points = of_kernels.map(|points| points.split_once('/').unwrap());
        for (index, (first, every)) in points.iter().enumerate() {
            assert_eq!(*every, points[0].1);
            assert!(points[..index].iter().all(|(other, _)| other != first));
        }
    }

    #[test]
    fn parts_run_in_the_order_of_the_table() {
        assert_eq!(names(&["unit", "fmt"]), ["fmt", "unit"]);
        assert_eq!(names(&[]).len(), PARTS.len());
        assert_eq!(names(&["words", "fmt"]), ["fmt", "words"]);
    }

    #[test]
    fn parts_in_machines_come_last() {
        for table in [PARTS, soak::PARTS] {
            assert!(table.is_sorted_by_key(|part| part.is_in_machine()));
        }
    }

    #[test]
    fn a_word_that_is_no_part_is_an_error() {
        assert!(select(PARTS, &["uni".to_owned()]).is_err());
        assert!(select(PARTS, &["--lsit".to_owned()]).is_err());
    }

    #[test]
    fn an_error_in_a_part_is_a_failure_of_it() {
        let part =
            Part { name: "x", proves: "", uses: &[], may_skip: MaySkip::Nothing, run: |_| bail!("broken") };
        assert_eq!(judged(&part, tally(&part), false).failures, ["broken"]);
    }

    #[test]
    fn where_skips_are_forbidden_they_fail() {
        let run_of = |tally: &mut Tally| {
            tally.skip("a", "no hist");
            Ok(())
        };
        let strict = Part { name: "x", proves: "", uses: &[], may_skip: MaySkip::Nothing, run: run_of };
        let lenient = Part { may_skip: MaySkip::AnyFeature, ..strict };
        let of = |part: &Part, strict| judged(part, tally(part), strict);
        assert_eq!(of(&strict, true).failures.len(), 1);
        assert_eq!(of(&lenient, true).skips.len(), 1);
        assert_eq!(of(&strict, false).skips.len(), 1);
        let lacking = |what| Part { may_skip: MaySkip::Lacking(what), ..strict };
        assert_eq!(of(&lacking("no hist"), true).skips.len(), 1);
        assert_eq!(of(&lacking("no btf"), true).failures.len(), 1);
    }
}

//! The law: on any record that a kernel writes, the kernel and the evaluator decide the same.

use std::fmt;
use std::time::{Duration, Instant};

use tracec_compiler::target::bpf::filter;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::{Atom, Condition, Text, TextStorage};
use tracec_kernel::condition::realisation::Engine;

use crate::cases::{Asked, cases};
use crate::generate::random::Random;
use crate::kernel::{self, Kind, Loaded, UserText};
use crate::written::is_written;

/// The conditions that are made at once.
const TOGETHER: usize = 20;

/// The records that a condition is asked about.
const RECORDS: usize = 50;

/// Statistics of a run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) pairs: usize,
    pub(crate) holds: usize,
    conditions: usize,
    loading: Duration,
    took: Duration,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pairs, {:.0} % true, of {} conditions; 0 disagreements; {:.1} s, {:.1} s of it to load",
            self.pairs,
            100.0 * self.holds as f64 / self.pairs as f64,
            self.conditions,
            self.took.as_secs_f64(),
            self.loading.as_secs_f64(),
        )
    }
}

/// A pair on which the kernel and the evaluator disagree.
#[derive(Debug)]
pub(crate) struct Disagreement {
    condition: Condition,
    asked: Asked,
    means: bool,
    says: u32,
    text: Vec<String>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "condition  {}", self.condition)?;
        writeln!(f, "it means   {}, the kernel says {}", self.means, self.says)?;
        writeln!(f, "record     {:?}", self.asked)?;
        write!(f, "{}", self.text.join("\n"))
    }
}

/// Compares the decisions of the kernel with those of the evaluator.
pub(crate) fn run(seed: u64, pairs: usize) -> Result<Seen, Box<Disagreement>> {
    let start = Instant::now();
    let mut random = Random::new(seed);
    let mut seen = Seen::default();
    let mut user = UserText::new();
    let here = kernel::Here::pinned();
    while seen.pairs < pairs {
        for case in cases(Engine::Bpf, TOGETHER, RECORDS, &mut random) {
            // The kernel's memory is not this test's to write.
            if reads_kernel_memory(&case.condition) {
                continue;
            }
            let program = filter(&case.condition, &case.event.format)
                .unwrap_or_else(|reason| panic!("{}: {reason}", case.condition));
            let loading = Instant::now();
            let loaded = Loaded::new(&program, Kind::Syscall)
                .unwrap_or_else(|log| panic!("{}\n{log}\n{}", case.condition, program.text.join("\n")));
            seen.loading += loading.elapsed();
            seen.conditions += 1;
            for mut asked in case.asked {
                if !is_written(&case.event.format, &asked.moment.bytes) {
                    continue;
                }
                // The moment is this test's own.
                asked.moment.cpu = here.cpu;
                asked.tgid = here.tgid;
                asked.moment.bytes[4..8].copy_from_slice(&here.pid.to_le_bytes());
                asked.moment.comm.truncate(15);
                kernel::set_comm(&asked.moment.comm);
                user.put(&asked.moment.user);
                let record = case.event.decoder.record(&asked.moment.bytes).expect("a header is there");
                let means = eval(&case.condition, &record, &asked);
                let says = loaded.run(&asked.moment.bytes);
                if says != u32::from(means) {
                    let (condition, text) = (case.condition.clone(), program.text.clone());
                    return Err(Box::new(Disagreement { condition, asked, means, says, text }));
                }
                seen.pairs += 1;
                seen.holds += usize::from(means);
            }
        }
    }
    seen.took = start.elapsed();
    Ok(seen)
}

fn reads_kernel_memory(condition: &Condition) -> bool {
    condition.atoms().iter().any(|atom| match atom {
        Atom::Text { of: of @ Text::Field(_), .. } => of.storage() == Some(TextStorage::Kernel),
        _ => false,
    })
}

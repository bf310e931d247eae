//! The law: on any record that a kernel writes, program and evaluator decide the same.

use std::fmt;
use std::time::{Duration, Instant};

use tracec_compiler::target::bpf::filter;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::realisation::Engine;

use crate::cases::{Asked, cases};
use crate::cells::Cells;
use crate::generate::random::Random;
use crate::machine::Machine;
use crate::planted::Planted;
use crate::written::is_written;

/// The conditions that are made at once.
const TOGETHER: usize = 50;

/// The records that a condition is asked about.
const RECORDS: usize = 50;

/// Statistics of a run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) pairs: usize,
    pub(crate) holds: usize,
    conditions: usize,
    instructions: usize,
    cells: Cells,
    compiled: Duration,
    took: Duration,
}

impl Seen {
    pub(crate) fn missing(&self) -> Vec<String> {
        self.cells.missing(Engine::Bpf)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pairs, {:.0} % true, of {} conditions in {} instructions; {} constructs; 0 disagreements; {:.1} s, \
             {:.2} s of it to compile",
            self.pairs,
            100.0 * self.holds as f64 / self.pairs as f64,
            self.conditions,
            self.instructions,
            self.cells.0.len(),
            self.took.as_secs_f64(),
            self.compiled.as_secs_f64(),
        )
    }
}

/// A pair on which program and evaluator disagree.
#[derive(Debug)]
pub(crate) struct Disagreement {
    condition: Condition,
    asked: Asked,
    means: bool,
    says: Result<u64, String>,
    text: Vec<String>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "condition  {}", self.condition)?;
        writeln!(f, "it means   {}, the program says {:?}", self.means, self.says)?;
        writeln!(f, "record     {:?}", self.asked)?;
        write!(f, "{}", self.text.join("\n"))
    }
}

/// Compares the decisions of programs, with an error or without, with those of the evaluator.
pub(crate) fn run(seed: u64, pairs: usize, planted: Option<&Planted>) -> Result<Seen, Box<Disagreement>> {
    let start = Instant::now();
    let mut random = Random::new(seed);
    let mut seen = Seen::default();
    while seen.pairs < pairs {
        for case in cases(Engine::Bpf, TOGETHER, RECORDS, &mut random) {
            let compiling = Instant::now();
            let program = filter(&case.condition, &case.event.format)
                .unwrap_or_else(|reason| panic!("{}: {reason}", case.condition));
            seen.compiled += compiling.elapsed();
            seen.conditions += 1;
            seen.instructions += program.bytes.len() / 8;
            let text = program.text.clone();
            let machine = Machine::new(program, planted);
            let written =
                case.asked.iter().filter(|asked| is_written(&case.event.format, &asked.moment.bytes));
            for asked in written {
                let record = case.event.decoder.record(&asked.moment.bytes).expect("a header is there");
                let means = eval(&case.condition, &record, asked);
                let says = machine.run(asked, record.common_pid());
                if says != Ok(u64::from(means)) {
                    let (condition, asked) = (case.condition.clone(), asked.clone());
                    return Err(Box::new(Disagreement { condition, asked, means, says, text }));
                }
                seen.pairs += 1;
                seen.holds += usize::from(means);
                seen.cells.count(&case, &record, asked);
            }
        }
    }
    seen.took = start.elapsed();
    Ok(seen)
}

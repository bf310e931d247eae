//! The law, checked pair by pair, with statistics.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::*;
use tracec_kernel::condition::lower::{LowerError, Lowered, Spelling};
use tracec_kernel::filter::Model;
use tracec_oracle::filter::Filter;

use crate::cells::{self, Cell};
use crate::event::{CPUS, Event, HIDING, KERNEL, Moment, PLAIN};
use crate::generate::hints::Hints;
use crate::generate::random::Random;
use crate::records;
use crate::shrink::shrink;

/// A kernel that texts are written for, and the kernels that have to read them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) model: Model,
    pub(crate) read_by: &'static [(&'static str, Model)],
}

/// Returns the model of a kernel on the machine of the records.
const fn here(model: Model) -> Model {
    Model { cpus: Some(CPUS), ..model }
}

/// The last kernel in which text was not bounded by its field.
pub(crate) const LINUX_6_18_35: Model = Model { bounded_text: false, ..Model::LINUX_6_18 };
/// The same with the other quirk of globs: no supported stable kernel is like this any more.
const OLD_6_1: Model = Model { bounded_text: false, ..Model::LINUX_6_1 };

pub(crate) const KERNELS: &[Kernel] = &[
    // A text written for 6.1 has the same meaning on later ones.
    Kernel {
        name: "6.1",
        model: Model::LINUX_6_1,
        read_by: &[("6.1", Model::LINUX_6_1), ("6.18", Model::LINUX_6_18)],
    },
    Kernel { name: "6.12", model: here(Model::LINUX_6_12), read_by: &[("6.12", Model::LINUX_6_12)] },
    Kernel { name: "6.18", model: here(Model::LINUX_6_18), read_by: &[("6.18", Model::LINUX_6_18)] },
    Kernel { name: "6.18.35", model: here(LINUX_6_18_35), read_by: &[("6.18.35", LINUX_6_18_35)] },
    Kernel {
        name: "least",
        model: Model::LEAST,
        read_by: &[
            ("6.1", Model::LINUX_6_1),
            ("6.18", Model::LINUX_6_18),
            ("6.18.35", LINUX_6_18_35),
            ("old 6.1", OLD_6_1),
        ],
    },
];

/// The function that lowers a condition for a kernel, possibly with a planted error.
pub(crate) type Lowering<'a> = &'a dyn Fn(&Condition, &Spelling, &Model) -> Result<Lowered, LowerError>;

/// The decision of the kernel that reads a text.
pub(crate) enum Verdict {
    Constant(bool),
    Filter(Box<Filter>),
    /// It does not accept the text.
    Refused(String),
}

impl Verdict {
    pub(crate) fn of(lowered: &Lowered, event: &Event, reader: &Model) -> Verdict {
        match lowered {
            Lowered::Everything => Verdict::Constant(true),
            Lowered::Nothing => Verdict::Constant(false),
            Lowered::Text(text) => match Filter::parse(text.as_bytes(), &event.format, reader, &KERNEL) {
                Ok(filter) => Verdict::Filter(Box::new(filter)),
                Err(refusal) => Verdict::Refused(format!("{refusal}")),
            },
        }
    }

    /// Returns the decision on a record; `None` where the text is refused.
    pub(crate) fn holds(&self, moment: &Moment) -> Option<bool> {
        match self {
            Verdict::Constant(value) => Some(*value),
            Verdict::Filter(filter) => Some(filter.matches(&moment.bytes, moment)),
            Verdict::Refused(_) => None,
        }
    }
}

/// Returns the meaning of the condition for a record.
pub(crate) fn means(condition: &Condition, moment: &Moment) -> bool {
    let record = moment.event.decoder.record(&moment.bytes).expect("a header is there");
    eval(condition, &record, moment)
}

/// A small condition and record on which meaning and kernel disagree.
#[derive(Debug)]
pub(crate) struct Disagreement {
    pub(crate) condition: Condition,
    pub(crate) text: String,
    reader: &'static str,
    moment: Moment,
    means: bool,
    /// The decision of the reader, or why it does not accept the text.
    says: Result<bool, String>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "condition  {}", self.condition)?;
        writeln!(f, "text       {}", self.text)?;
        match &self.says {
            Ok(says) => writeln!(f, "it means   {}, {} says {says}", self.means, self.reader)?,
            Err(refusal) => writeln!(f, "{} does not take the text: {refusal}", self.reader)?,
        }
        write!(f, "record     {:?}", self.moment)
    }
}

/// Statistics of a run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Pairs that were decided by a text.
    pub(crate) pairs: u64,
    /// Pairs of conditions that are always or never true, so that no kernel is asked.
    constant_pairs: u64,
    /// Conditions that were generated, and how many of them got a text.
    pub(crate) conditions: u64,
    pub(crate) texts: u64,
    /// Hashes of the lowered conditions.
    pub(crate) distinct: HashSet<u64>,
    /// The pairs that are true.
    pub(crate) holds: u64,
    /// Per kind of question: how often a text decided it as true, and as false.
    pub(crate) cells: BTreeMap<Cell, [u64; 2]>,
    /// The reasons why there was no text.
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) took: Duration,
}

/// The size of a run.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Pairs that are decided by a text.
    pub(crate) pairs: u64,
    pub(crate) records_per_condition: u64,
}

/// Returns the seed for a kernel: kernels that get the same texts are asked about different ones.
fn seed_of(kernel: &Kernel, seed: u64) -> u64 {
    // FNV-1a.
    kernel.name.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Tries conditions and records until there are enough pairs, or one that disagrees.
pub(crate) fn run(
    kernel: &Kernel,
    seed: u64,
    effort: Effort,
    lowering: Lowering<'_>,
) -> Result<Seen, Box<Disagreement>> {
    let start = Instant::now();
    let mut random = Random::new(seed_of(kernel, seed));
    let mut seen = Seen::default();
    while seen.pairs < effort.pairs {
        let event: &Event = if random.once_in(8) { &HIDING } else { &PLAIN };
        let condition = event.vocabulary.condition(&mut random);
        seen.conditions += 1;
        let lowered = match lowering(&condition, &event.spelling, &kernel.model) {
            Ok(lowered) => lowered,
            Err(error) => {
                *seen.refused.entry(cells::reason(&error)).or_default() += 1;
                continue;
            }
        };
        let mut hasher = DefaultHasher::new();
        condition.hash(&mut hasher);
        seen.distinct.insert(hasher.finish());
        let constant = !matches!(lowered, Lowered::Text(_));
        seen.texts += u64::from(!constant);
        let verdicts: Vec<(&str, Model, Verdict)> = kernel
            .read_by
            .iter()
            .map(|(name, reader)| (*name, *reader, Verdict::of(&lowered, event, reader)))
            .collect();
        let hints = Hints::of(&condition);
        let mut moment = records::moment(event, &hints, &mut random);
        let mut truths = [0; 2];
        for _ in 0..effort.records_per_condition {
            records::another(&hints, &mut moment, &mut random);
            let means = means(&condition, &moment);
            truths[usize::from(means)] += 1;
            for (name, reader, verdict) in &verdicts {
                if verdict.holds(&moment) != Some(means) {
                    let (condition, moment) = shrink(condition, moment, &kernel.model, reader, lowering);
                    return Err(disagreement(condition, moment, kernel, (name, reader), lowering));
                }
            }
        }
        if constant {
            seen.constant_pairs += effort.records_per_condition;
            continue;
        }
        seen.pairs += effort.records_per_condition;
        seen.holds += truths[1];
        if let Some((cell, negated)) = cells::of(&condition, event) {
            let known = seen.cells.entry(cell).or_default();
            known[0] += truths[usize::from(negated)];
            known[1] += truths[usize::from(!negated)];
        }
    }
    seen.took = start.elapsed();
    Ok(seen)
}

fn disagreement(
    condition: Condition,
    moment: Moment,
    kernel: &Kernel,
    (reader, model): (&'static str, &Model),
    lowering: Lowering<'_>,
) -> Box<Disagreement> {
    let lowered = lowering(&condition, &moment.event.spelling, &kernel.model);
    let (text, says) = match &lowered {
        Ok(lowered) => {
            let says = match Verdict::of(lowered, moment.event, model) {
                Verdict::Constant(value) => Ok(value),
                Verdict::Filter(filter) => Ok(filter.matches(&moment.bytes, &moment)),
                Verdict::Refused(refusal) => Err(refusal),
            };
            (format!("{lowered:?}"), says)
        }
        Err(error) => (String::new(), Err(error.to_string())),
    };
    Box::new(Disagreement { means: means(&condition, &moment), condition, text, reader, moment, says })
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: u64, all: u64| 100.0 * part as f64 / all as f64;
        let refused: u64 = self.refused.values().sum();
        write!(
            f,
            "{} pairs of texts, {:.0} % true, and {} of constants; {} conditions, {:.0} % of them lowered ({} \
             distinct, {} texts); {} kinds of questions; {:.1} s",
            self.pairs,
            share(self.holds, self.pairs),
            self.constant_pairs,
            self.conditions,
            share(self.conditions - refused, self.conditions),
            self.distinct.len(),
            self.texts,
            self.cells.len(),
            self.took.as_secs_f64(),
        )
    }
}

//! Comparison of kernel and meaning: conditions lowered for the kernel, with generated records.
//!
//! The law is that of `oracle/tests/lowering`, with the kernel in the place of its model: the kernel's decision by
//! `lower(condition)` is `eval(condition, record)`, on the record as an instance without that filter has it.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use tracec_kernel::condition::eval::eval;
use tracec_kernel::condition::ir::{Condition, Text};
use tracec_kernel::condition::lower::{LowerError, Lowered, Spelling};
use tracec_kernel::filter::Model as FilterModel;
use tracec_kernel::format::{EventFormat, Field as RecordField, FieldKind};
use tracec_kernel::record::Decoder;

use super::code::Code;
use super::drive::{Driver, Fired};
use super::field::{Field, Kind, MOMENT, Stimulus, Value, cut};
use super::generate::conditions::Vocabulary;
use super::generate::hints::Hints;
use super::generate::random::Random;
use super::generate::smaller::smaller;
use super::kernel::Kernel;
use super::regressions::{self, Case};
use super::rig::Raw;
use super::shrink::{hex, smaller_records};

/// The function that lowers a condition for a kernel, possibly with a planted error.
pub(crate) type Lowering<'a> = &'a dyn Fn(&Condition, &Spelling, &FilterModel) -> Result<Lowered, LowerError>;

/// The number of smaller conditions and records that are tried.
const TRIES: usize = 250;

/// How often a record is tried again whose decision is not known.
const AGAIN: usize = 4;

/// The least results of a run.
const PAIRS: u64 = 300_000;
const BY_CODE: u64 = 100_000;
const PERCENT_TRUE: u64 = 20;

/// The questions about one event.
pub(crate) struct Law<'a> {
    lowering: Lowering<'a>,
    kernel: &'a Kernel,
    spelling: Spelling,
    format: EventFormat,
    vocabulary: Vocabulary,
    decoder: Decoder,
    /// The number of disagreements after which the run ends.
    enough: usize,
}

/// The kernel's decision by one condition on one record.
enum Answer {
    Agrees,
    /// The difference, in words.
    Differs(String),
    /// There is no filter to ask it with.
    Refused(LowerError),
    /// It is not known from the records.
    Untold,
}

impl Answer {
    fn disagreement(self) -> Option<String> {
        if let Answer::Differs(reported) = self { Some(reported) } else { None }
    }
}

/// A condition whose filter an instance has.
struct Asked {
    number: usize,
    condition: Condition,
}

/// The conditions of a round, each with the number of its instance, and the records that it is asked about.
pub(crate) type Round = (Vec<(usize, Condition)>, Vec<Stimulus>);

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// All conditions that were drawn.
    pub(crate) conditions: u64,
    /// The different filters that conditions were lowered to.
    texts: HashSet<String>,
    /// Those that hold always, or never, so that there is no filter.
    constants: u64,
    /// The others, by the reason.
    refused: BTreeMap<String, u64>,
    pairs: u64,
    trues: u64,
    /// The pairs that machine code has decided too.
    by_code: u64,
    took: Duration,
    /// Where kernel and meaning differ.
    pub(crate) disagreements: Vec<String>,
    /// Pairs whose decision is not known.
    unreported: u64,
    /// Disagreements about the header's state of the moment that did not occur again.
    fleeting: Vec<String>,
}

impl<'a> Law<'a> {
    /// Returns the law for the event of a driver.
    pub(crate) fn new(
        driver: &Driver<'_>,
        kernel: &'a Kernel,
        lowering: Lowering<'a>,
        enough: usize,
    ) -> Self {
        Law {
            lowering,
            kernel,
            spelling: Spelling::at(&driver.format),
            format: driver.format.clone(),
            vocabulary: vocabulary(&driver.format, kernel),
            decoder: Decoder::new(vec![driver.format.clone()]),
            enough,
        }
    }

    /// Tries conditions: each round gives every instance the filter of one.
    pub(crate) fn run(
        &self,
        driver: &mut Driver<'_>,
        rounds: usize,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Result<(), Failed> {
        let start = Instant::now();
        for _ in 0..rounds {
            let (mut asked, mut constants) = (Vec::new(), Vec::new());
            while asked.len() < driver.rig.filters() {
                let condition = self.vocabulary.condition(random);
                self.give(driver, condition, tally, &mut asked, &mut constants);
                if tally.disagreements.len() >= self.enough {
                    return Ok(());
                }
            }
            let batch = self.batch(driver, &asked, random);
            self.compare(driver, &asked, &constants, &batch, tally)?;
        }
        tally.took += start.elapsed();
        Ok(())
    }

    /// Gives every instance the filter of a condition that `takes` takes. Returns the conditions with the numbers of their
    /// instances, and a batch of records for which they make a difference.
    pub(crate) fn round(
        &self,
        driver: &mut Driver<'_>,
        random: &mut Random,
        tally: &mut Tally,
        takes: &dyn Fn(&Condition) -> bool,
    ) -> Result<Round, Failed> {
        let (mut asked, mut constants) = (Vec::new(), Vec::new());
        while asked.len() < driver.rig.filters() && tally.disagreements.is_empty() {
            let condition = self.vocabulary.condition(random);
            if takes(&condition) {
                self.give(driver, condition, tally, &mut asked, &mut constants);
            }
        }
        let batch = self.batch(driver, &asked, random);
        Ok((asked.into_iter().map(|asked| (asked.number, asked.condition)).collect(), batch))
    }

    /// Returns how the kernel names what filters of the event compare.
    pub(crate) fn spelling(&self) -> &Spelling {
        &self.spelling
    }

    /// Returns the layout of the event.
    pub(crate) fn format(&self) -> &EventFormat {
        &self.format
    }

    /// Draws records for which conditions make a difference.
    fn batch(&self, driver: &mut Driver<'_>, asked: &[Asked], random: &mut Random) -> Vec<Stimulus> {
        let hints: Vec<Hints> = asked.iter().map(|asked| Hints::of(&asked.condition)).collect();
        driver.batch_of(random, |fields, random| {
            let hints = &hints[random.below(hints.len())];
            // Any name will do where the condition does not ask for it.
            let name = if hints.beyond_integers() { hints.text(random) } else { Vec::new() };
            let task = cut(name, Kind::TaskName);
            (task, fields.iter().map(|field| self.value(field, hints, random)).collect())
        })
    }

    /// Gives the next instance the filter of a condition, if it has one that is new.
    fn give(
        &self,
        driver: &Driver<'_>,
        condition: Condition,
        tally: &mut Tally,
        asked: &mut Vec<Asked>,
        constants: &mut Vec<(Condition, bool)>,
    ) {
        tally.conditions += 1;
        let text = match (self.lowering)(&condition, &self.spelling, &self.kernel.model) {
            Ok(Lowered::Text(text)) => text,
            Ok(constant) => {
                tally.constants += 1;
                return constants.push((condition, constant == Lowered::Everything));
            }
            Err(error) => return *tally.refused.entry(reason(&error)).or_default() += 1,
        };
        if !tally.texts.insert(text.clone()) {
            return;
        }
        match driver.rig.filter(asked.len(), driver.source.event(), text.as_bytes()) {
            Ok(()) => asked.push(Asked { number: asked.len(), condition }),
            Err(refused) => tally.disagreements.push(format!(
                "{}: the kernel does not take the text: {refused}\n  {condition}\n  {text}",
                driver.source.event()
            )),
        }
    }

    /// Draws a value for a field, among those for which the condition makes a difference.
    fn value(&self, field: &Field, hints: &Hints, random: &mut Random) -> Value {
        let function = self.kernel.function().filter(|_| hints.functions && random.once_in(2));
        match (field.kind, function) {
            (kind, _) if kind.is_text() => Value::Text(cut(hints.text(random), kind)),
            // Any bits: the record may hold those of CPUs that are not possible.
            (Kind::Cpumask, _) => Value::Bits(hints.mask(64, random)[0]),
            (Kind::Int { bits: 64, .. }, Some(function)) => {
                let edges = [function.start - 1, function.start, function.end - 1, function.end];
                Value::Bits(random.pick(&edges))
            }
            _ => Value::Bits(hints.integer(random)),
        }
    }

    /// Fires the batch and compares every decision.
    fn compare(
        &self,
        driver: &mut Driver<'_>,
        asked: &[Asked],
        constants: &[(Condition, bool)],
        batch: &[Stimulus],
        tally: &mut Tally,
    ) -> Result<(), Failed> {
        let fired = driver.fire(batch)?;
        self.compare_code(driver, asked, batch, &fired, tally)?;
        let mut doubtful = Vec::new();
        for Asked { number, condition } in asked {
            let mut first = None;
            for ((stimulus, record), passed) in batch.iter().zip(&fired.records).zip(&fired.passed[*number]) {
                let Some(passed) = *passed else {
                    tally.unreported += 1;
                    continue;
                };
                tally.pairs += 1;
                tally.trues += u64::from(passed);
                if first.is_none() && self.means(driver, condition, stimulus, record)? != passed {
                    first = Some(stimulus);
                }
            }
            doubtful.extend(first.map(|stimulus| (condition, stimulus)));
        }
        for (condition, always) in constants {
            for (stimulus, record) in batch.iter().zip(&fired.records) {
                if self.means(driver, condition, stimulus, record)? != *always {
                    doubtful.push((condition, stimulus));
                    break;
                }
            }
        }
        for (condition, stimulus) in doubtful {
            match self.shrink(driver, condition, stimulus)? {
                Some(reported) => tally.disagreements.push(reported),
                None if names_the_moment(condition) => tally.fleeting.push(condition.to_string()),
                None => {
                    let line = regressions::condition_line(driver.source, condition, stimulus)?;
                    tally.disagreements.push(format!("it did not show again: {condition}\n  {line}"));
                }
            }
            if tally.disagreements.len() >= self.enough {
                break;
            }
        }
        Ok(())
    }

    /// Compares the decisions of machine code with those of the kernel, where that decides as the condition means. A record
    /// differs between two instances only where the meaning differs too.
    fn compare_code(
        &self,
        driver: &Driver<'_>,
        asked: &[Asked],
        batch: &[Stimulus],
        fired: &Fired,
        tally: &mut Tally,
    ) -> Result<(), Failed> {
        let conditions = asked.iter().map(|asked| (asked.number, &asked.condition));
        let Some((code, numbers)) = Code::of(&driver.format, &self.spelling, conditions)? else {
            return Ok(());
        };
        for (index, (stimulus, record)) in batch.iter().zip(&fired.records).enumerate() {
            let hold = code.hold_for(record)?;
            for Asked { number, condition } in asked.iter().filter(|asked| numbers.contains(&asked.number)) {
                let Some(passed) = fired.passed[*number][index] else { continue };
                if self.means(driver, condition, stimulus, record)? != passed {
                    continue;
                }
                tally.by_code += 1;
                if hold.contains(number) != passed {
                    let line = regressions::condition_line(driver.source, condition, stimulus)?;
                    tally.disagreements.push(format!("kernel {passed}, code {}: {line}", !passed));
                }
            }
        }
        Ok(())
    }

    /// Returns the meaning of the condition for a record.
    pub(crate) fn means(
        &self,
        driver: &Driver<'_>,
        condition: &Condition,
        stimulus: &Stimulus,
        record: &Raw,
    ) -> Result<bool, Failed> {
        Ok(eval(condition, &self.decoder.record(&record.bytes)?, &driver.moment(stimulus, record)))
    }

    /// Reports the smallest condition and record on which kernel and meaning still disagree; `None` if it does not
    /// occur again.
    fn shrink(
        &self,
        driver: &mut Driver<'_>,
        condition: &Condition,
        stimulus: &Stimulus,
    ) -> Result<Option<String>, Failed> {
        let mut best = (condition.clone(), stimulus.clone());
        let Some(mut reported) = self.answer(driver, &best.0, &best.1)?.disagreement() else {
            return Ok(None);
        };
        let mut tries = 0;
        'smaller: while tries < TRIES {
            let conditions = smaller(&best.0).into_iter().map(|condition| (condition, best.1.clone()));
            let records = smaller_records(&best.1).into_iter().map(|record| (best.0.clone(), record));
            for candidate in conditions.chain(records) {
                tries += 1;
                if let Some(less) = self.answer(driver, &candidate.0, &candidate.1)?.disagreement() {
                    (best, reported) = (candidate, less);
                    continue 'smaller;
                }
            }
            break;
        }
        let line = regressions::condition_line(driver.source, &best.0, &best.1)?;
        Ok(Some(format!("{reported}\n  {line}")))
    }

    /// Asks the kernel to decide one record by one condition.
    fn answer(
        &self,
        driver: &mut Driver<'_>,
        condition: &Condition,
        stimulus: &Stimulus,
    ) -> Result<Answer, Failed> {
        let lowered = match (self.lowering)(condition, &self.spelling, &self.kernel.model) {
            Ok(lowered) => lowered,
            Err(error) => return Ok(Answer::Refused(error)),
        };
        let event = driver.source.event();
        if let Lowered::Text(text) = &lowered
            && let Err(refused) = driver.rig.filter(0, event, text.as_bytes())
        {
            return Ok(Answer::Differs(format!("{event}: {refused}\n  {condition}\n  {text}")));
        }
        let fired = driver.fire(std::slice::from_ref(stimulus))?;
        let record = &fired.records[0];
        let passed = match &lowered {
            Lowered::Text(_) => fired.passed[0][0],
            constant => Some(*constant == Lowered::Everything),
        };
        let Some(passed) = passed else { return Ok(Answer::Untold) };
        let means = self.means(driver, condition, stimulus, record)?;
        if means == passed {
            return Ok(Answer::Agrees);
        }
        let record = hex(&record.bytes);
        Ok(Answer::Differs(format!(
            "{event}: kernel {passed}, meaning {means}\n  {condition}\n  {lowered:?}\n  record {record}"
        )))
    }

    /// Asks the stored cases of the event: conditions on which the two once disagreed. Each has to be decided, unless
    /// the kernel lacks a feature that it uses.
    pub(crate) fn regressions(
        &self,
        driver: &mut Driver<'_>,
        cases: &[Case],
        tally: &mut Tally,
    ) -> Result<usize, Failed> {
        let mut asked = 0;
        for case in cases.iter().filter(|case| case.event == regressions::event(driver.source)) {
            let (condition, stimulus) = (case.condition(&driver.format)?, case.stimulus(driver.source)?);
            let event = driver.source.event();
            let mut answer = self.answer(driver, &condition, &stimulus)?;
            // Another task may have written the same record at this moment.
            for _ in 0..AGAIN {
                if !matches!(answer, Answer::Untold) {
                    break;
                }
                answer = self.answer(driver, &condition, &stimulus)?;
            }
            match answer {
                Answer::Agrees => {}
                Answer::Differs(reported) => tally.disagreements.push(reported),
                Answer::Refused(LowerError::Feature { feature, .. }) if !self.kernel.has(feature) => {
                    println!("{event}: the kernel has no {feature} for a stored condition\n  {condition}");
                }
                Answer::Refused(error) => tally
                    .disagreements
                    .push(format!("{event}: a stored condition is refused: {error}\n  {condition}")),
                Answer::Untold => tally
                    .disagreements
                    .push(format!("{event}: the answer to a stored condition is not known\n  {condition}")),
            }
            asked += 1;
        }
        Ok(asked)
    }
}

/// Returns the vocabulary of conditions: all fields of the event, and the generic ones.
fn vocabulary(event: &EventFormat, kernel: &Kernel) -> Vocabulary {
    let all = |keep: &dyn Fn(&RecordField) -> bool| -> Vec<RecordField> {
        event.fields.iter().filter(|field| keep(field)).cloned().collect()
    };
    let is_text = |field: &RecordField| Text::Field(field.clone()).storage().is_some();
    let texts = all(&is_text).into_iter().map(Text::Field);
    let pointers = all(&|field| field.kind == FieldKind::CharPtr).into_iter().map(Text::User);
    // A name that no kernel has for a function, and a text that is not a name.
    let functions = ["vfs read", "1"];
    Vocabulary {
        integers: all(&|field| field.integer().is_some()),
        no_integers: all(&|field| field.integer().is_none()),
        texts: texts.chain(pointers).chain([Text::Comm]).collect(),
        no_texts: all(&|field| !is_text(field)).into_iter().map(Text::Field).collect(),
        masks: all(&|field| matches!(field.kind, FieldKind::DynCpumask | FieldKind::RelCpumask)),
        addresses: all(&|field| matches!(field.kind, FieldKind::Int | FieldKind::CharPtr)),
        functions: kernel
            .function()
            .map_or(Vec::new(), |_| [&[super::kernel::FUNCTION; 6][..], &functions].concat()),
        cpus: kernel.nr_cpu_ids,
    }
}

/// Returns whether a condition depends on a field that may differ between the records of two instances.
fn names_the_moment(condition: &Condition) -> bool {
    Hints::of(condition).fields.iter().any(|field| MOMENT.contains(&&*field.name))
}

/// Returns the kind of an error.
fn reason(error: &LowerError) -> String {
    let all = format!("{error:?}");
    let kind = all.split([' ', '{']).next().unwrap_or_default();
    match error {
        LowerError::Feature { feature, .. } => format!("{kind} {feature}"),
        _ => kind.to_owned(),
    }
}

impl Tally {
    /// Returns everything in which the run falls short.
    pub(crate) fn shortcomings(&self) -> Vec<String> {
        let mut found = self.disagreements.clone();
        if self.pairs < PAIRS {
            found.push(format!("only {} pairs, {PAIRS} are asked for", self.pairs));
        }
        if self.by_code < BY_CODE {
            found.push(format!("only {} pairs by machine code, {BY_CODE} are asked for", self.by_code));
        }
        if 100 * self.trues < PERCENT_TRUE * self.pairs {
            found.push(format!("only {} of {} pairs are true", self.trues, self.pairs));
        }
        // A few are permitted: each instance writes a record of its own, and a tick between two of them changes the
        // flags.
        if self.fleeting.len() as u64 + self.unreported > self.pairs / 20_000 {
            found.push(format!(
                "{} answers are not known, and too much did not occur again:\n{}",
                self.unreported,
                self.fleeting.join("\n")
            ));
        }
        found
    }

    /// Returns why conditions had no filter, a line each.
    pub(crate) fn refusals(&self) -> String {
        self.refused.iter().map(|(reason, times)| format!("  refused {times:6} {reason}\n")).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} conditions, {} lowered ({} distinct filters, {} constants); {} pairs, {} % true, {} of them by machine code \
             too, {} disagreements, {} fleeting; {:.1} s",
            self.conditions,
            self.conditions - self.refused.values().sum::<u64>(),
            self.texts.len(),
            self.constants,
            self.pairs,
            100 * self.trues / self.pairs.max(1),
            self.by_code,
            self.disagreements.len(),
            self.fleeting.len(),
            self.took.as_secs_f64(),
        )
    }
}

//! One condition in every place that decides it: the kernel's filter, the evaluator, machine code, a BPF program, C and
//! Rust. Each gets the records that were fired, as the kernel has written them.

use std::fmt;

use libtest_mimic::Failed;
use tracec_compiler::target::{DECODER_TARGETS, DecoderTarget, bpf};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::realisation::{Engine, constructs, obstacles};

use super::bpf_kernel::{Kind, Loaded};
use super::c::C;
use super::code::Code;
use super::drive::Driver;
use super::field::Stimulus;
use super::generate::random::Random;
use super::meaning::{Law, Tally as Asking};
use super::program::{Language, Question, compile, decisions, decoder, directory};
use super::rust::RUST;
use super::source::prepare;

/// The languages of decoders.
const LANGUAGES: [&Language; 2] = [&C, &RUST];

/// The places besides the kernel's filter, in the order of [`Answers`].
const PLACES: [&str; 5] = ["evaluator", "machine code", "program", "C", "Rust"];

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    conditions: usize,
    pairs: u64,
    trues: u64,
    disagreements: Vec<String>,
}

/// Returns why decoders cannot be compiled here; `None` if they can.
pub(crate) fn lacks_compilers() -> Option<String> {
    let missing = LANGUAGES.into_iter().find(|language| {
        let version = (language.compiler)(false).arg("--version").output();
        !version.is_ok_and(|output| output.status.success())
    })?;
    Some(format!("no compiler of {} is here", missing.target))
}

/// The condition of an instance, with its program.
struct Asked {
    number: usize,
    condition: Condition,
    program: Loaded,
}

/// Asks each place about conditions on the event of a driver, as many as there are instances in each round.
pub(crate) fn run(
    law: &Law<'_>,
    driver: &mut Driver<'_>,
    rounds: usize,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), Failed> {
    let mut asking = Asking::default();
    for _ in 0..rounds {
        let everywhere = |condition: &Condition| is_decided_everywhere(law, condition);
        let (asked, batch) = law.round(driver, random, &mut asking, &everywhere)?;
        let asked = asked.into_iter().map(|(number, condition)| {
            let filter =
                bpf::filter(&condition, &driver.format).map_err(|reason| format!("{condition}: {reason}"))?;
            let program = Loaded::new(&filter, Kind::Syscall).map_err(|log| format!("{condition}: {log}"))?;
            Ok(Asked { number, condition, program })
        });
        let asked = asked.collect::<Result<Vec<Asked>, Failed>>()?;
        compare(law, driver, &asked, &batch, tally)?;
    }
    tally.disagreements.extend(asking.disagreements);
    Ok(())
}

/// Returns whether the other places decide a condition that the kernel's filter can say.
fn is_decided_everywhere(law: &Law<'_>, condition: &Condition) -> bool {
    let parts = constructs(condition, law.spelling());
    let engines = DECODER_TARGETS.iter().map(|target| target.engine).chain([Engine::Host, Engine::Bpf]);
    let mut obstacles = engines.flat_map(|engine| obstacles(&parts, engine, |_| true));
    // A condition that no text of the language means has a filter all the same.
    condition.check().is_ok() && condition.check_fields(law.format()).is_ok() && obstacles.next().is_none()
}

/// Fires a batch and compares the decisions on each of its records.
fn compare(
    law: &Law<'_>,
    driver: &mut Driver<'_>,
    asked: &[Asked],
    batch: &[Stimulus],
    tally: &mut Tally,
) -> Result<(), Failed> {
    let fired = driver.fire(batch)?;
    let conditions = asked.iter().map(|asked| (asked.number, &asked.condition));
    let (code, _) = Code::of(&driver.format, law.spelling(), conditions)?.ok_or("no code")?;
    let mut questions = Vec::new();
    for (session, _) in asked.iter().enumerate() {
        for (stimulus, record) in batch.iter().zip(&fired.records) {
            let (cpu, comm) = (record.cpu, stimulus.task.as_slice());
            questions.extend(Question { session, cpu, tgid: 0, comm, record: &record.bytes }.bytes());
        }
    }
    let mut by_language = Vec::new();
    for language in LANGUAGES {
        let target = DecoderTarget::find(language.target).ok_or("no such target")?;
        let sessions = asked.iter().map(|asked| (0, &asked.condition));
        let text = decoder(target, &[&driver.format], sessions);
        let directory = directory(&format!("places-{}", language.target));
        let program = compile(language, &directory, &text, &(language.main)(&text, asked.len()), false);
        by_language.push(decisions(&program, &questions).into_bytes());
    }
    let by_code: Vec<_> =
        fired.records.iter().map(|record| code.hold_for(record)).collect::<Result<_, _>>()?;
    let mut cpu = None;
    for (index, (stimulus, record)) in batch.iter().zip(&fired.records).enumerate() {
        // A program knows the task and the CPU that run it.
        prepare(stimulus, &mut cpu)?;
        for (session, Asked { number, condition, program }) in asked.iter().enumerate() {
            let Some(passed) = fired.passed[*number][index] else { continue };
            let at = session * batch.len() + index;
            let answers = [
                law.means(driver, condition, stimulus, record)?,
                by_code[index].contains(number),
                program.run(&record.bytes) != 0,
                by_language[0].get(at) == Some(&b'1'),
                by_language[1].get(at) == Some(&b'1'),
            ];
            tally.pairs += 1;
            tally.trues += u64::from(passed);
            for (place, _) in PLACES.iter().zip(answers).filter(|(_, answer)| *answer != passed) {
                tally.disagreements.push(format!("the filter says {passed}, {place} does not: {condition}"));
            }
        }
    }
    // The names that the task was given for programs are not among the answers.
    driver.rig.drain()?;
    tally.conditions += asked.len();
    Ok(())
}

impl Tally {
    /// Returns everything in which the run falls short. `least` is the number of pairs that there have to be.
    pub(crate) fn shortcomings(&self, least: u64) -> Vec<String> {
        let mut found: Vec<String> = self.disagreements.iter().take(8).cloned().collect();
        if self.pairs < least {
            found.push(format!("only {} pairs, {least} are asked for", self.pairs));
        }
        if self.trues * 5 < self.pairs {
            found.push(format!("only {} of {} pairs are true", self.trues, self.pairs));
        }
        found
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { conditions, pairs, trues, disagreements } = self;
        write!(
            f,
            "{conditions} conditions, {pairs} pairs, {} % true, in {} places; {} disagreements",
            100 * trues / (*pairs).max(1),
            1 + PLACES.len(),
            disagreements.len()
        )
    }
}

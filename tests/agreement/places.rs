//! One condition in every place that decides it: the kernel's filter, the evaluator, machine code, a BPF program, C and
//! Rust. Each gets the records that were fired, as the kernel has written them. A program gets them a second time where it
//! can be at the event itself, when the same is fired again.

use std::fmt;

use libtest_mimic::Failed;
use tracec_compiler::target::{DECODER_TARGETS, DecoderTarget, bpf};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::realisation::{Engine, constructs, obstacles};

use super::attached;
use super::bpf_kernel::{Kind, Loaded};
use super::c::C;
use super::code::Code;
use super::drive::{Driver, Fired};
use super::field::Stimulus;
use super::generate::random::Random;
use super::meaning::{Law, Tally as Asking};
use super::program::{Language, Question, compile, decisions, decoder, directory};
use super::rust::RUST;
use super::source::prepare;

/// The languages of decoders.
const LANGUAGES: [&Language; 2] = [&C, &RUST];

/// Where programs and decoders can be asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Whether a program can be at the event: it is a tracepoint.
    pub(crate) attached: bool,
    /// Whether there are compilers for decoders.
    pub(crate) decoders: bool,
}

/// The decisions of a place, condition by condition and record by record.
type Decided = (&'static str, Vec<Vec<bool>>);

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    conditions: usize,
    pairs: u64,
    trues: u64,
    /// How many of the pairs a program at the event has decided too.
    attached: u64,
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
    /// The program, as a system call runs it.
    program: Loaded,
    /// The same at the event.
    attached: Option<Loaded>,
}

/// Asks each place about conditions on the event of a driver, as many as there are instances in each round.
pub(crate) fn run(
    law: &Law<'_>,
    driver: &mut Driver<'_>,
    (reach, rounds): (Reach, usize),
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
            let load = |kind| Loaded::new(&filter, kind).map_err(|log| format!("{condition}: {log}"));
            let attached = reach.attached.then(|| load(Kind::Tracepoint)).transpose()?;
            let program = load(Kind::Syscall)?;
            Ok(Asked { number, condition, program, attached })
        });
        let asked = asked.collect::<Result<Vec<Asked>, Failed>>()?;
        compare(law, driver, (reach, &asked), &batch, tally)?;
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
    (reach, asked): (Reach, &[Asked]),
    batch: &[Stimulus],
    tally: &mut Tally,
) -> Result<(), Failed> {
    let fired = driver.fire(batch)?;
    let conditions = asked.iter().map(|asked| (asked.number, &asked.condition));
    let (code, _) = Code::of(&driver.format, law.spelling(), conditions)?.ok_or("no code")?;
    let mut places: Vec<Decided> = ["the evaluator", "machine code", "a program"]
        .map(|name| (name, vec![Vec::new(); asked.len()]))
        .into();
    let mut cpu = None;
    for (stimulus, record) in batch.iter().zip(&fired.records) {
        // A program knows the task and the CPU that run it.
        prepare(stimulus, &mut cpu)?;
        let by_code = code.hold_for(record)?;
        for (session, Asked { number, condition, program, .. }) in asked.iter().enumerate() {
            let answers = [
                law.means(driver, condition, stimulus, record)?,
                by_code.contains(number),
                program.run(&record.bytes) != 0,
            ];
            places.iter_mut().zip(answers).for_each(|((_, decided), answer)| decided[session].push(answer));
        }
    }
    if reach.decoders {
        for language in LANGUAGES {
            places.push((language.target, by_decoder(language, driver, asked, batch, &fired)?));
        }
    }
    if reach.attached {
        let at_event = asked.iter().filter_map(|asked| asked.attached.as_ref());
        let decided = at_event.map(|program| attached::decisions(driver, program, batch));
        places.push(("a program at the event", decided.collect::<Result<_, _>>()?));
    }
    for (session, Asked { number, condition, .. }) in asked.iter().enumerate() {
        for (index, passed) in fired.passed[*number].iter().enumerate() {
            let Some(passed) = *passed else { continue };
            tally.pairs += 1;
            tally.trues += u64::from(passed);
            tally.attached += u64::from(reach.attached);
            for (place, _) in places.iter().filter(|(_, by)| by[session].get(index) != Some(&passed)) {
                let values = &batch[index];
                tally
                    .disagreements
                    .push(format!("the filter says {passed}, {place} does not: {condition}\n  {values:?}"));
            }
        }
    }
    // The names that the task was given for programs are not among the answers.
    driver.rig.drain()?;
    tally.conditions += asked.len();
    Ok(())
}

/// Compiles a decoder with the conditions, and asks it about each record.
fn by_decoder(
    language: &Language,
    driver: &Driver<'_>,
    asked: &[Asked],
    batch: &[Stimulus],
    fired: &Fired,
) -> Result<Vec<Vec<bool>>, Failed> {
    let target = DecoderTarget::find(language.target).ok_or("no such target")?;
    let sessions = asked.iter().map(|asked| (0, &asked.condition));
    let text = decoder(target, &[&driver.format], sessions);
    let directory = directory(&format!("places-{}", language.target));
    let program = compile(language, &directory, &text, &(language.main)(&text, asked.len()), false);
    let mut questions = Vec::new();
    for session in 0..asked.len() {
        for (stimulus, record) in batch.iter().zip(&fired.records) {
            let (cpu, comm) = (record.cpu, stimulus.task.as_slice());
            questions.extend(Question { session, cpu, tgid: 0, comm, record: &record.bytes }.bytes());
        }
    }
    let answers: Vec<bool> = decisions(&program, &questions).bytes().map(|answer| answer == b'1').collect();
    Ok(answers.chunks(batch.len()).map(<[bool]>::to_vec).collect())
}

impl Tally {
    /// Returns whether there are fewer pairs, and no reason to end before.
    pub(crate) fn is_less_than(&self, pairs: u64) -> bool {
        self.pairs < pairs && self.disagreements.is_empty()
    }

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
        let Tally { conditions, pairs, trues, attached, disagreements } = self;
        write!(
            f,
            "{conditions} conditions, {pairs} pairs, {} % true, {attached} at the event too; {} disagreements",
            100 * trues / (*pairs).max(1),
            disagreements.len()
        )
    }
}

//! The tests, and the events that each kernel can be asked with.

use std::time::Instant;

use libtest_mimic::{Failed, Trial};

use super::agree::{self, Plan};
use super::bench::Bench;
use super::drive::Driver;
use super::facts;
use super::field::World;
use super::kernel::{FUNCTION, Kernel};
use super::model::{Memory, Model};
use super::planted::{FAULTS, Planted};
use super::random::Random;
use super::regressions;
use super::rig::Rig;
use super::source::Source;
use super::source::inject::Inject;
use super::source::probe::Probe;
use super::source::rename::Rename;
use super::source::syscall::{self, Syscall};
use super::tally::Tally;
use super::text::Language;

/// Instances with a filter: one firing is as many decisions.
const FILTERS: usize = 32;

/// The seed where the environment sets none.
const SEED: u64 = 20_261_121;

/// All tests.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = vec![
        bench.trial("kernel and model agree", agreement),
        bench.trial("a fault in the model is found", faults),
    ];
    trials.extend(facts::trials(bench));
    trials
}

/// An event with the number of rounds that it gets.
struct Part<'a> {
    source: &'a dyn Source,
    rounds: usize,
    /// After so many disagreements no more is asked.
    enough: usize,
}

/// Where the kernel is asked.
struct Bed {
    kernel: Kernel,
    memory: Memory,
    banner: Result<Vec<u8>, String>,
    seed: u64,
}

impl Bed {
    fn new(bench: &Bench) -> Result<Self, Failed> {
        let seed = match std::env::var("TRACEC_AGREEMENT_SEED") {
            Ok(text) => text.parse().map_err(|error| format!("TRACEC_AGREEMENT_SEED: {error}"))?,
            Err(_) => SEED,
        };
        let mut memory = Memory::default();
        let banner = syscall::banner().map(|(address, text)| {
            memory.kernel.insert(address, text.clone());
            text
        });
        // The name of the test stands in this line already.
        println!("\nseed {seed}");
        Ok(Bed { kernel: Kernel::running(bench)?, memory, banner, seed })
    }

    fn language(&self) -> Language {
        let function = self.kernel.function().filter(|_| self.kernel.has("filter-function"));
        Language {
            cpus: self.kernel.has("filter-cpus"),
            function: function.map(|_| FUNCTION),
            stacktrace: self.kernel.has("filter-stacktrace"),
        }
    }
}

fn agreement(bench: &Bench) -> Result<(), Failed> {
    let start = Instant::now();
    let bed = Bed::new(bench)?;
    let probe = Probe::new(&bench.tracefs)?;
    let mut rig = Rig::new(&bench.tracefs, FILTERS)?;
    let syscall = Syscall::new(&bed.memory);
    let inject = Inject::new(&rig);
    let mut parts = vec![
        Part { source: &probe, rounds: 56, enough: 8 },
        Part { source: &Rename, rounds: 20, enough: 8 },
        Part { source: &syscall, rounds: 24, enough: 8 },
    ];
    match &inject {
        Ok(inject) => parts.push(Part { source: inject, rounds: 3, enough: 8 }),
        Err(reason) => println!("not reachable on this kernel: cpumask: {reason}"),
    }
    println!("not asked: text at a relative offset, which nothing here fires");
    let cases = regressions::read(&bench.data.join("agreement/regressions.txt"))?;
    let (mut tally, mut asked) = (Tally::default(), 0);
    for (number, part) in parts.iter().enumerate() {
        let mut random = Random::new(bed.seed.wrapping_add(number as u64));
        asked += ask(&bed, &mut rig, part, &bed.kernel, &cases, &mut random, &mut tally)?;
        println!("{}: {:.1} s, {}", part.source.event(), start.elapsed().as_secs_f64(), tally.summary());
    }
    if asked < cases.len() && inject.is_ok() {
        return Err(format!("{} of the stored cases name no event", cases.len() - asked).into());
    }
    println!("{}", tally.times());
    print!("true/false of each kind of field and form of comparison:\n{}", tally.table());
    println!("NOTE: agreement on {}: {}", bed.kernel.release(), tally.summary());
    match tally.shortcomings() {
        none if none.is_empty() => Ok(()),
        found => Err(format!("seed {}:\n{}", bed.seed, found.join("\n")).into()),
    }
}

/// Asks with one event.
fn ask(
    bed: &Bed,
    rig: &mut Rig,
    part: &Part<'_>,
    model: &dyn Model,
    cases: &[regressions::Case],
    random: &mut Random,
    tally: &mut Tally,
) -> Result<usize, Failed> {
    let (fields, not) = agree::reachable(part.source.fields(), bed.language(), &bed.banner);
    for reason in not {
        println!("not reachable on this kernel: {reason}");
    }
    let plan = Plan {
        rounds: part.rounds,
        enough: tally.disagreements.len() + part.enough,
        refusals: tally.refusals() + 130,
        language: bed.language(),
        fields,
        world: World { banner: bed.banner.clone().ok(), function: bed.kernel.function() },
    };
    let mut driver = Driver::new(rig, part.source, &bed.memory)?;
    let asked = agree::regressions(&mut driver, &plan, cases, model, tally)?;
    agree::run(&mut driver, &plan, model, random, tally)?;
    driver.close()?;
    Ok(asked)
}

/// The harness itself: each fault that is put into the model is found, and made as small as its cause.
fn faults(bench: &Bench) -> Result<(), Failed> {
    let bed = Bed::new(bench)?;
    let probe = Probe::new(&bench.tracefs)?;
    let mut rig = Rig::new(&bench.tracefs, 8)?;
    for fault in FAULTS {
        let model = Planted { model: &bed.kernel, fault };
        let mut tally = Tally::default();
        let part = Part { source: &probe, rounds: 6, enough: 2 };
        ask(&bed, &mut rig, &part, &model, &[], &mut Random::new(bed.seed), &mut tally)?;
        let small = |told: &String| told.lines().any(|line| (fault.is_small)(line));
        match tally.disagreements.iter().find(|told| small(told)) {
            Some(told) => println!("{}: found\n  {told}", fault.name),
            None => return Err(format!("{}: not found: {:?}", fault.name, tally.disagreements).into()),
        }
    }
    Ok(())
}

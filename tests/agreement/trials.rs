//! The tests, and the events with which each kernel can be tested.

use std::path::{Path, PathBuf};
use std::time::Instant;

use libtest_mimic::{Failed, Trial};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, Text, TextTest};
use tracec_kernel::condition::lower::{LowerError, Spelling, lower};
use tracec_kernel::filter::Model as FilterModel;

use super::agree::{self, Plan};
use super::bench::Bench;
use super::bpf_kernel;
use super::drive::Driver;
use super::facts;
use super::field::World;
use super::generate::planted::ERRORS;
use super::generate::random::Random;
use super::kernel::{FUNCTION, Kernel};
use super::meaning::{self, Law};
use super::model::{Memory, Model};
use super::places::{self, Reach};
use super::planted::{FAULTS, Planted};
use super::regressions;
use super::rig::Rig;
use super::source::Source;
use super::source::inject::Inject;
use super::source::module::Module;
use super::source::probe::{FIRED, HIDING, HIDING_ALL, Probe};
use super::source::rename::Rename;
use super::source::signal::Signal;
use super::source::syscall::{self, Syscall};
use super::source::user::User;
use super::tally::Tally;
use super::text::Language;

/// The number of instances with a filter: one firing is as many decisions.
const FILTERS: usize = 32;

/// How many pairs of a condition and a record are asked for at the event of a module, if TRACEC_MODULE_PAIRS does not say.
const MODULE_PAIRS: u64 = 12_000;

/// The seed where the environment sets none.
const SEED: u64 = 20_261_121;

/// Returns all tests; where a module is named, the one at its event.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    if let Some(file) = std::env::var_os("TRACEC_TEST_PAIRS").map(PathBuf::from) {
        let asked = move |bench: &Bench| at_module(bench, &file);
        return vec![bench.trial("module: a condition means the same at its event", asked)];
    }
    let mut trials = vec![
        bench.trial("kernel and model agree", agreement),
        bench.trial("a fault in the model is found", faults),
        bench.trial("kernel and meaning agree", meanings),
        bench.trial("an error in lowering is found", errors),
        bench.trial("what fields of the event hide is left out of filters", hidden),
    ];
    let six_places = bench.trial(SIX_PLACES, six_places);
    trials.push(match bpf_kernel::is_possible().err().or_else(places::lacks_compilers) {
        Some(reason) => {
            println!("SKIPPED {SIX_PLACES}: {reason}");
            six_places.with_ignored_flag(true)
        }
        None => six_places,
    });
    trials.extend(facts::trials(bench));
    trials
}

const SIX_PLACES: &str = "a condition means the same in six places";

/// An event with its rounds.
struct Part<'a> {
    source: &'a dyn Source,
    /// Rounds of filters, for the comparison of kernel and model.
    filters: usize,
    /// Rounds of conditions, for the comparison of kernel and meaning.
    conditions: usize,
    /// The number of disagreements after which the run ends.
    enough: usize,
}

/// The environment in which the kernel is tested.
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
        // The harness has printed the name of the test in this line.
        println!("\nseed {seed}");
        let kernel = Kernel::running(bench)?;
        memory.functions.extend(kernel.function().map(|range| (FUNCTION.to_owned(), range)));
        Ok(Bed { kernel, memory, banner, seed })
    }

    fn language(&self) -> Language {
        let function = self.kernel.function().filter(|_| self.kernel.has("filter-function"));
        Language {
            cpus: self.kernel.has("filter-cpus"),
            function: function.map(|_| FUNCTION),
            stacktrace: self.kernel.has("filter-stacktrace"),
        }
    }

    fn random(&self, number: usize) -> Random {
        Random::new(self.seed.wrapping_add(number as u64))
    }
}

/// The events of a kernel. They are declared first and dropped last, when no instance uses them.
struct Events {
    probe: Probe,
    hiding: Probe,
    syscall: Syscall,
    user: Result<User, String>,
}

impl Events {
    fn new(bench: &Bench, bed: &Bed) -> Result<Self, Failed> {
        Ok(Events {
            probe: Probe::new(&bench.tracefs, &FIRED)?,
            hiding: Probe::new(&bench.tracefs, &HIDING)?,
            syscall: Syscall::new(&bed.memory),
            user: User::new(&bench.tracefs),
        })
    }

    /// Returns each event with its rounds. Events that the kernel lacks are printed.
    fn parts<'a>(&'a self, inject: &'a Result<Inject, String>) -> Vec<Part<'a>> {
        let part =
            |source: &'a dyn Source, filters, conditions| Part { source, filters, conditions, enough: 8 };
        let mut parts = vec![
            part(&self.probe, 56, 24),
            part(&Rename, 20, 10),
            part(&self.syscall, 24, 18),
            part(&Signal, 24, 12),
        ];
        match inject {
            Ok(inject) => parts.push(part(inject, 3, 6)),
            Err(reason) => println!("not reachable on this kernel: records written by hand: {reason}"),
        }
        match &self.user {
            Ok(user) => parts.push(part(user, 24, 24)),
            Err(reason) => {
                println!(
                    "not reachable on this kernel: relative text, struct, unsigned char[6], cpumask: {reason}"
                );
            }
        }
        // This is the last, so that the others keep their seeds. Its fields are those of the first probe except for the
        // names.
        parts.push(part(&self.hiding, 6, 5));
        parts
    }
}

fn agreement(bench: &Bench) -> Result<(), Failed> {
    let start = Instant::now();
    let bed = Bed::new(bench)?;
    let events = Events::new(bench, &bed)?;
    let mut rig = Rig::new(&bench.tracefs, FILTERS)?;
    let inject = Inject::new(&rig);
    let parts = events.parts(&inject);
    let cases = regressions::read(&bench.data.join("agreement/regressions.txt"))?;
    let (mut tally, mut asked) = (Tally::default(), 0);
    for (number, part) in parts.iter().enumerate() {
        asked += ask(&bed, &mut rig, part, &bed.kernel, &cases, &mut bed.random(number), &mut tally)?;
        println!("{}: {:.1} s, {}", part.source.event(), start.elapsed().as_secs_f64(), tally.summary());
    }
    if inject.is_ok() {
        all_asked(asked, &cases)?;
    }
    println!("{}", tally.times());
    print!("true/false of each kind of field and form of comparison:\n{}", tally.table());
    println!("NOTE: agreement on {}: {}", bed.kernel.release(), tally.summary());
    match tally.shortcomings() {
        none if none.is_empty() => Ok(()),
        found => Err(format!("seed {}:\n{}", bed.seed, found.join("\n")).into()),
    }
}

/// Checks that all stored cases were tried: they are of events that this kernel has, or that all kernels have.
fn all_asked(asked: usize, cases: &[regressions::Case]) -> Result<(), Failed> {
    match cases.len() - asked {
        0 => Ok(()),
        left => Err(format!("{left} of the stored cases name no event").into()),
    }
}

/// Compares kernel and model on one event.
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
        rounds: part.filters,
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

/// Tests the harness itself: each fault that is planted in the model is found, and made as small as its cause.
fn faults(bench: &Bench) -> Result<(), Failed> {
    let bed = Bed::new(bench)?;
    let probe = Probe::new(&bench.tracefs, &FIRED)?;
    let mut rig = Rig::new(&bench.tracefs, 8)?;
    for fault in FAULTS {
        let model = Planted { model: &bed.kernel, fault };
        let mut tally = Tally::default();
        let part = Part { source: &probe, filters: 6, conditions: 0, enough: 2 };
        ask(&bed, &mut rig, &part, &model, &[], &mut bed.random(0), &mut tally)?;
        let small = |reported: &String| reported.lines().any(|line| (fault.is_small)(line));
        match tally.disagreements.iter().find(|reported| small(reported)) {
            Some(reported) => println!("{}: found\n  {reported}", fault.name),
            None => return Err(format!("{}: not found: {:?}", fault.name, tally.disagreements).into()),
        }
    }
    Ok(())
}

fn meanings(bench: &Bench) -> Result<(), Failed> {
    let start = Instant::now();
    let bed = Bed::new(bench)?;
    let events = Events::new(bench, &bed)?;
    let mut rig = Rig::new(&bench.tracefs, FILTERS)?;
    let inject = Inject::new(&rig);
    let cases = regressions::read(&bench.data.join("agreement/conditions.txt"))?;
    let (mut tally, mut asked) = (meaning::Tally::default(), 0);
    for (number, part) in events.parts(&inject).iter().enumerate() {
        let mut driver = Driver::new(&mut rig, part.source, &bed.memory)?;
        let law = Law::new(&driver, &bed.kernel, &lower, tally.disagreements.len() + part.enough);
        asked += law.regressions(&mut driver, &cases, &mut tally)?;
        law.run(&mut driver, part.conditions, &mut bed.random(number), &mut tally)?;
        driver.close()?;
        println!("{}: {:.1} s, {tally}", part.source.event(), start.elapsed().as_secs_f64());
    }
    all_asked(asked, &cases)?;
    print!("{}", tally.refusals());
    println!("NOTE: meaning on {}: {tally}", bed.kernel.release());
    match tally.shortcomings() {
        none if none.is_empty() => Ok(()),
        found => Err(format!("seed {}:\n{}", bed.seed, found.join("\n")).into()),
    }
}

/// Compares the kernel's filter with the evaluator, machine code, BPF programs, C and Rust.
fn six_places(bench: &Bench) -> Result<(), Failed> {
    let bed = Bed::new(bench)?;
    let events = Events::new(bench, &bed)?;
    let mut rig = Rig::new(&bench.tracefs, FILTERS)?;
    let mut tally = places::Tally::default();
    // A uprobe has no tracepoint.
    let sources: [(&dyn Source, bool, usize); 4] =
        [(&events.probe, false, 3), (&Rename, true, 2), (&events.syscall, true, 2), (&Signal, true, 2)];
    for (number, (source, attached, rounds)) in sources.into_iter().enumerate() {
        let mut driver = Driver::new(&mut rig, source, &bed.memory)?;
        let law = Law::new(&driver, &bed.kernel, &lower, 1);
        let reach = Reach { attached, decoders: true };
        places::run(&law, &mut driver, (reach, rounds), &mut bed.random(number), &mut tally)?;
        driver.close()?;
        println!("{}: {tally}", source.event());
    }
    println!("NOTE: six places on {}: {tally}", bed.kernel.release());
    match tally.shortcomings(10_000) {
        none if none.is_empty() => Ok(()),
        found => Err(format!("seed {}:\n{}", bed.seed, found.join("\n")).into()),
    }
}

/// Compares the kernel's filter with the evaluator, machine code, and programs that are at the event itself.
fn at_module(bench: &Bench, file: &Path) -> Result<(), Failed> {
    let bed = Bed::new(bench)?;
    let module = Module::load(file)?;
    let mut rig = Rig::new(&bench.tracefs, FILTERS)?;
    let mut tally = places::Tally::default();
    let mut driver = Driver::new(&mut rig, &module, &bed.memory)?;
    let law = Law::new(&driver, &bed.kernel, &lower, 1);
    let (reach, mut random) = (Reach { attached: true, decoders: false }, bed.random(0));
    let start = Instant::now();
    let wanted = match std::env::var("TRACEC_MODULE_PAIRS") {
        Ok(text) => text.parse().map_err(|error| format!("TRACEC_MODULE_PAIRS: {error}"))?,
        Err(_) => MODULE_PAIRS,
    };
    while tally.is_less_than(wanted) {
        places::run(&law, &mut driver, (reach, 1), &mut random, &mut tally)?;
    }
    driver.close()?;
    println!("NOTE: a module on {}: {tally}; {:.1} s", bed.kernel.release(), start.elapsed().as_secs_f64());
    drop(rig);
    drop(module);
    match tally.shortcomings(wanted) {
        none if none.is_empty() => Ok(()),
        found => Err(format!("seed {}:\n{}", bed.seed, found.join("\n")).into()),
    }
}

/// Tests the harness itself: errors that are planted in lowering are found through the kernel.
fn errors(bench: &Bench) -> Result<(), Failed> {
    let bed = Bed::new(bench)?;
    let events = Events::new(bench, &bed)?;
    let mut rig = Rig::new(&bench.tracefs, FILTERS)?;
    for (name, source) in PLANTED {
        let error = ERRORS.iter().find(|(_, known, _)| known == name);
        let (_, _, planted) = error.ok_or_else(|| format!("no error is called {name:?}"))?;
        let lowering = |condition: &Condition, event: &Spelling, model: &FilterModel| {
            planted.lower(condition, event, model)
        };
        let source: &dyn Source = match source {
            On::Probe => &events.probe,
            On::Rename => &Rename,
            On::Syscall => &events.syscall,
        };
        let mut tally = meaning::Tally::default();
        let mut driver = Driver::new(&mut rig, source, &bed.memory)?;
        let law = Law::new(&driver, &bed.kernel, &lowering, 1);
        // Some show in few conditions.
        law.run(&mut driver, 160, &mut bed.random(0), &mut tally)?;
        driver.close()?;
        match tally.disagreements.first() {
            Some(reported) => println!("{name}: found after {} conditions\n  {reported}", tally.conditions),
            None => return Err(format!("{name}: not found: {tally}").into()),
        }
    }
    Ok(())
}

/// Checks that, where fields of the event have all names of the CPU and of the task's name, filters with these names
/// compare the fields, and no condition about the CPU or the task becomes a filter.
fn hidden(bench: &Bench) -> Result<(), Failed> {
    let bed = Bed::new(bench)?;
    let probe = Probe::new(&bench.tracefs, &HIDING_ALL)?;
    let mut rig = Rig::new(&bench.tracefs, 8)?;
    let part = Part { source: &probe, filters: 4, conditions: 4, enough: 2 };
    let mut of_filters = Tally::default();
    ask(&bed, &mut rig, &part, &bed.kernel, &[], &mut bed.random(0), &mut of_filters)?;
    println!("{}: {}", probe.event(), of_filters.summary());
    let mut driver = Driver::new(&mut rig, &probe, &bed.memory)?;
    let law = Law::new(&driver, &bed.kernel, &lower, part.enough);
    let mut of_conditions = meaning::Tally::default();
    law.run(&mut driver, part.conditions, &mut bed.random(0), &mut of_conditions)?;
    let spelling = Spelling::at(&driver.format);
    driver.close()?;
    print!("{}: {of_conditions}\n{}", probe.event(), of_conditions.refusals());
    let mut found = [of_filters.disagreements, of_conditions.disagreements].concat();
    let is_x = Atom::Text { of: Text::Comm, test: TextTest::Eq("x".to_owned()) };
    for about in [Condition::compare(Number::Cpu, CompareOp::Eq, 7), Condition::Atom(is_x)] {
        match lower(&about, &spelling, &bed.kernel.model) {
            Err(LowerError::Hidden { .. }) => {}
            other => found.push(format!("{about} is not refused as hidden: {other:?}")),
        }
    }
    if found.is_empty() { Ok(()) } else { Err(format!("seed {}:\n{}", bed.seed, found.join("\n")).into()) }
}

/// An event that all kernels have.
enum On {
    Probe,
    Rename,
    Syscall,
}

/// The errors planted in lowering that show on every kernel, each with the event that shows it.
const PLANTED: &[(&str, On)] = &[
    ("`<=` for `<`", On::Probe),
    ("a `!` is lost", On::Probe),
    ("any bit of a mask for all of them", On::Probe),
    ("a sum does not wrap", On::Probe),
    ("De Morgan that keeps `&&`", On::Probe),
    ("a suffix is left to the kernel's suffix", On::Rename),
    ("a digit at the front is not marked", On::Rename),
    ("De Morgan on an atom that may fail", On::Syscall),
    ("an `int` argument is the whole register", On::Syscall),
    ("an `unsigned int` argument is the whole register", On::Syscall),
];

//! Properties of the kernel's filter that the compiler depends on, each tested on the real kernel.
//!
//! [`TRAPS`] walks the table of traps (`oracle/src/traps/facts.rs`) and says of each whether it concerns filters, and
//! by which facts kernels show it.

use std::fs;

use libtest_mimic::{Failed, Trial};
use tracec_kernel::format::{EventFormat, FieldKind};
use tracec_kernel::tables::errno::{EINVAL, ENOENT, EPERM, ESRCH};
use tracec_oracle::traps::{Answer, FACTS};

use super::bench::Bench;
use super::drive::Driver;
use super::field::{Stimulus, Value};
use super::model::{Memory, Refused};
use super::rig::Rig;
use super::source::Source;
use super::source::probe::{FIRED, Probe};
use super::source::rename::Rename;
use super::source::syscall::Syscall;

/// A fact: the property, the requirements of its test, and the test.
struct Fact {
    holds: &'static str,
    kernels: &'static str,
    needs: &'static [Need],
    test: fn(&Bench) -> Result<(), Failed>,
}

/// A requirement of a test. On a kernel or machine without it the test is ignored, with a printed reason.
#[derive(Clone, Copy)]
enum Need {
    /// Uprobes.
    Uprobes,
    /// The event of a source.
    Event(fn() -> Box<dyn Source>),
    /// A filter of the probe that some kernels refuse with this error.
    Filter(&'static str, &'static str),
    /// A filter of the event of a source that some kernels refuse with this error.
    FilterOf(fn() -> Box<dyn Source>, &'static str, &'static str),
    /// More than one CPU.
    Cpus,
}
use Need::{Cpus, Event, Filter, FilterOf, Uprobes};

impl Need {
    /// Returns what is missing; `None` if nothing is.
    fn missing(self, bench: &Bench) -> Result<Option<String>, Failed> {
        match self {
            Uprobes => Ok(fired(bench).err().map(|reason| format!("no uprobe: {reason}"))),
            Event(source) => {
                let source = source();
                let there = bench.has(&format!("events/{}/format", source.event()));
                Ok((!there).then(|| format!("the kernel has no event {}", source.event())))
            }
            Filter(text, error) => match fired(bench) {
                Ok(probe) => refused(bench, &probe, text, error),
                Err(reason) => Ok(Some(format!("no uprobe: {reason}"))),
            },
            FilterOf(source, text, error) => match Event(source).missing(bench)? {
                None => refused(bench, &*source(), text, error),
                missing => Ok(missing),
            },
            Cpus => {
                let count = Rig::new(&bench.tracefs, 1)?.cpus().len();
                Ok((count < 2).then(|| "the machine has one CPU".to_owned()))
            }
        }
    }
}

/// Returns, as a sentence, that a filter is refused with this error; any other error is a failure.
fn refused(bench: &Bench, source: &dyn Source, text: &str, error: &str) -> Result<Option<String>, Failed> {
    match Rig::new(&bench.tracefs, 1)?.filter(0, source.event(), text.as_bytes()) {
        Ok(()) => Ok(None),
        Err(refused) if refused.error.as_deref() == Some(error) => {
            Ok(Some(format!("the kernel refuses {text}: {error}")))
        }
        Err(refused) => Err(format!("{text}: {refused}").into()),
    }
}

/// Returns the probe with arguments of all kinds; `Err` is the reason why the kernel has none.
fn fired(bench: &Bench) -> Result<Probe, String> {
    Probe::new(&bench.tracefs, &FIRED)
}

fn rename() -> Box<dyn Source> {
    Box::new(Rename)
}

fn syscall() -> Box<dyn Source> {
    Box::new(Syscall::new(&Memory::default()))
}

/// Returns a fact that all kernels show.
const fn fact(holds: &'static str, needs: &'static [Need], test: fn(&Bench) -> Result<(), Failed>) -> Fact {
    Fact { holds, kernels: "all kernels", needs, test }
}

/// Returns a fact about a feature that 6.1 lacks.
const fn newer(holds: &'static str, needs: &'static [Need], test: fn(&Bench) -> Result<(), Failed>) -> Fact {
    Fact { holds, kernels: "6.12 and later", needs, test }
}

/// The relation of a trap to filters.
enum Concern {
    /// It is shown by these facts about filters.
    Filters(&'static [Fact]),
    /// It concerns something else.
    Other(&'static str),
}
use Concern::{Filters, Other};

/// The traps by their numbers and names.
const TRAPS: &[(u8, &str, Concern)] = &[
    (
        1,
        "failed filter",
        Filters(&[fact("a filter that is refused takes the old one away", &[Uprobes], destructive)]),
    ),
    (
        2,
        "subsystem filter",
        Filters(&[fact("a filter of a subsystem is never refused", &[Event(rename)], subsystem)]),
    ),
    (
        3,
        "error numbers",
        Filters(&[fact("the error of a refused filter is a number of its parser", &[Uprobes], numbers)]),
    ),
    (4, "values", Filters(&[fact("a value is a number or a string and nothing else", &[Uprobes], values)])),
    (5, "truncation", Filters(&[fact("numbers are cut to the size of the field", &[Uprobes], truncation)])),
    (
        6,
        "arguments of system calls",
        Filters(&[
            fact("unsigned fields take no negative number", &[Uprobes], negative),
            fact("arguments of system calls are unsigned", &[Event(syscall)], arguments),
        ]),
    ),
    (
        7,
        "fields that never match",
        Filters(&[
            fact("`CPU & N` is never true", &[Uprobes], cpu_bits),
            newer(
                "`CPU == CPUS{..}` of several is never true",
                &[Cpus, Filter("CPU == CPUS{0}", "Invalid value (did you forget quotes)?")],
                cpu_lists,
            ),
            newer("`stacktrace` is never true", &[Filter("stacktrace == 1", "Field not found")], stacktrace),
        ]),
    ),
    (
        8,
        "suffix patterns",
        Filters(&[
            fact("a suffix does not match fixed text that ends early", &[Event(rename)], suffix),
            fact("a suffix does not match the name of a task", &[Uprobes], suffix_of_comm),
            fact(
                "a suffix matches text in user memory",
                &[FilterOf(syscall, USER_SUFFIX, "Invalid operator")],
                suffix_in_user_memory,
            ),
        ]),
    ),
    (
        9,
        "patterns with a digit first",
        Filters(&[fact("a pattern that begins with a digit is not a pattern", &[Uprobes], digit)]),
    ),
    (
        10,
        "dangling connector",
        Filters(&[fact("a connector at the end is passed over or refused", &[Uprobes], dangling)]),
    ),
    (11, "truncating a trigger file", Other("triggers")),
    (12, "reading triggers back", Other("triggers")),
    (13, "removing a trigger", Other("triggers")),
    (14, "trigger slots", Other("triggers")),
    (15, "clock and size", Other("the buffer")),
    (16, "one word a write", Other("`set_event`")),
    (17, "edits at close", Other("lists of functions")),
    (18, "no patterns in set_event", Other("`set_event`")),
    (
        19,
        "numbers in control files",
        Filters(&[fact("numbers of filters may have any base", &[Uprobes], bases)]),
    ),
    (20, "options that act on all instances", Other("options")),
    (21, "hist sets the clock", Other("triggers")),
    (22, "macros that changed", Other("the kernel's source")),
    (23, "context of BPF programs", Other("BPF")),
    (24, "probes from Rust", Other("the kernel's source")),
    (
        25,
        "alignment",
        Filters(&[fact("fields of probes are packed, those of other events aligned", &[Uprobes], packed)]),
    ),
];

/// Returns one trial for each fact, and one for the table.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let facts = TRAPS.iter().flat_map(|(_, _, concern)| match concern {
        Filters(facts) => *facts,
        Other(_) => &[],
    });
    let trials = facts.map(|fact| trial(bench, fact));
    let mut trials: Vec<Trial> = trials.collect();
    trials.push(Trial::test("every trap of filters is shown by a fact", complete));
    if matches!(Uprobes.missing(bench), Ok(None)) {
        trials.push(bench.trial("what a kernel cannot be asked is found out before", asked));
    }
    trials
}

/// Returns the trial of a fact; it is ignored, with a printed reason, where a requirement is missing.
fn trial(bench: &Bench, fact: &'static Fact) -> Trial {
    let name = format!("{} ({})", fact.holds, fact.kernels);
    let missing = missing(bench, fact);
    let bench = bench.clone();
    match missing {
        Ok(None) => Trial::test(name, move || (fact.test)(&bench)),
        Ok(Some(missing)) => {
            println!("SKIPPED {name}: {missing}");
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        }
        Err(failed) => Trial::test(name, move || Err(failed)),
    }
}

/// Returns the first requirement of a fact that is missing.
fn missing(bench: &Bench, fact: &Fact) -> Result<Option<String>, Failed> {
    for need in fact.needs {
        if let Some(missing) = need.missing(bench)? {
            return Ok(Some(missing));
        }
    }
    Ok(None)
}

/// Checks that a requirement that every kernel refuses is missing, and one that none refuses is not.
fn asked(bench: &Bench) -> Result<(), Failed> {
    for (text, expected) in [("no_such_field == 1", false), ("a_u8 == 1", true)] {
        let missing = Filter(text, "Field not found").missing(bench)?;
        if missing.is_none() != expected {
            return Err(format!("{text}: {missing:?}").into());
        }
    }
    Ok(())
}

/// Checks that the table has all traps of the compiler's, and that every trap that the compiler answers with a filter
/// is one of filters.
fn complete() -> Result<(), Failed> {
    let known: Vec<(Option<u8>, &str)> = FACTS.iter().map(|trap| (trap.id, trap.name)).collect();
    let here: Vec<(Option<u8>, &str)> = TRAPS.iter().map(|(id, name, _)| (Some(*id), *name)).collect();
    if known != here {
        return Err(format!("the compiler's traps are {known:?}, these {here:?}").into());
    }
    for (trap, (_, name, concern)) in FACTS.iter().zip(TRAPS) {
        let lowered =
            trap.answers.iter().any(|answer| matches!(answer, Answer::Lowered { file: "filter", .. }));
        match concern {
            Filters([]) => return Err(format!("{name}: no fact shows it").into()),
            Other(what) if lowered => {
                return Err(format!("{name} is said to be of {what}, and answered with a filter").into());
            }
            Filters(_) | Other(_) => {}
        }
    }
    Ok(())
}

/// One filter on an event, and single records.
struct Bed<'a>(Driver<'a>);

impl Bed<'_> {
    fn filter(&self, text: &str) -> Result<(), Refused> {
        self.0.rig.filter(0, self.0.source.event(), text.as_bytes())
    }

    fn take(&self, text: &str) -> Result<(), Failed> {
        self.filter(text).map_err(|refused| format!("{text}: {refused}").into())
    }

    fn refuse(&self, text: &str, error: &str) -> Result<(), Failed> {
        match self.filter(text) {
            Err(refused) if refused.error.as_deref() == Some(error) => Ok(()),
            other => Err(format!("{text}: {other:?} instead of {error:?}").into()),
        }
    }

    /// Returns whether a record passes in which these fields have these values and all others 0.
    fn passes(&mut self, cpu: u32, values: &[(&str, Value)]) -> Result<bool, Failed> {
        let empty = |kind: super::field::Kind| match kind.is_text() {
            true => Value::Text(Vec::new()),
            false => Value::Bits(0),
        };
        let fields: Vec<_> = self.0.source.fields().iter().filter(|field| field.slot.is_some()).collect();
        let mut stimulus = Stimulus {
            serial: 1,
            cpu,
            task: b"agreement".to_vec(),
            values: fields.iter().map(|field| empty(field.kind)).collect(),
        };
        for (name, value) in values {
            let place = fields.iter().position(|field| field.name == *name).ok_or("no such field")?;
            stimulus.values[place] = value.clone();
        }
        self.0.fire(&[stimulus])?.passed[0][0].ok_or_else(|| "two records of one stimulus".into())
    }

    /// Fails unless the filter's decision on the record is the expected one.
    fn expect(&mut self, text: &str, field: &str, value: Value, expected: bool) -> Result<(), Failed> {
        self.take(text)?;
        match self.passes(0, &[(field, value.clone())])? == expected {
            true => Ok(()),
            false => Err(format!("{text} with {field} = {value:?} is not {expected}").into()),
        }
    }
}

fn bits(value: u64) -> Value {
    Value::Bits(value)
}

fn text(value: &str) -> Value {
    Value::Text(value.as_bytes().to_vec())
}

/// Runs a test with the event of a source, which [`Need`] has found.
fn with(
    bench: &Bench,
    source: &dyn Source,
    test: impl FnOnce(&mut Bed<'_>) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let mut rig = Rig::new(&bench.tracefs, 1)?;
    test(&mut Bed(Driver::new(&mut rig, source, &Memory::default())?))
}

/// Runs a test with the probe; the instance is removed before it.
fn with_probe(bench: &Bench, test: impl FnOnce(&mut Bed<'_>) -> Result<(), Failed>) -> Result<(), Failed> {
    with(bench, &fired(bench)?, test)
}

fn destructive(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        bed.expect("a_s32 == 10", "a_s32", bits(5), false)?;
        bed.refuse("a_s32 == 10x", "Illegal integer value")?;
        let shown = bed.0.rig.filter_file(0, bed.0.source.event())?;
        if !shown.starts_with("a_s32 == 10x\n") {
            return Err(format!("the filter file does not hold the refused text: {shown}").into());
        }
        if !bed.passes(0, &[("a_s32", bits(5))])? {
            return Err("the old filter is still there".into());
        }
        bed.expect("a_s32 == 10", "a_s32", bits(5), false)
    })
}

fn subsystem(bench: &Bench) -> Result<(), Failed> {
    with(bench, &Rename, |bed| {
        bed.expect("newcomm == \"x\"", "newcomm", text("y"), false)?;
        bed.0.rig.write_file(0, "events/task/filter", b"no_such_field == 1")?;
        let shown = bed.0.rig.filter_file(0, bed.0.source.event())?;
        let error = "Couldn't find or set field in one of a subsystem's events";
        if !shown.starts_with("no_such_field == 1\n") || !shown.contains(error) {
            return Err(format!("the event's filter file shows {shown}").into());
        }
        // The name fills the array: without a filter the bytes after a NUL are not known.
        match bed.passes(0, &[("newcomm", text("fifteen_letters"))])? {
            true => Ok(()),
            false => Err("the event has its old filter".into()),
        }
    })
}

fn numbers(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        let refused = [
            ("(a_s32 == 1", ENOENT),
            ("a_s32 == 1)", EPERM),
            ("a_s32 == 1 a_u8 == 1", EPERM),
            ("text == \"x", ESRCH),
            ("text == 1", EINVAL),
            ("no_such_field == 1", EINVAL),
        ];
        for (text, errno) in refused {
            match bed.filter(text) {
                Err(refused) if refused.errno == errno => {}
                other => return Err(format!("{text}: {other:?} instead of errno {errno}").into()),
            }
        }
        Ok(())
    })
}

fn bases(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        for text in ["a_s32 == 10", "a_s32 == 0xa", "a_s32 == 0XA", "a_s32 == 012"] {
            bed.expect(text, "a_s32", bits(10), true)?;
            bed.expect(text, "a_s32", bits(12), false)?;
        }
        for text in ["a_s32 == 08", "a_s32 == 5u", "a_s32 == 0b1"] {
            bed.refuse(text, "Illegal integer value")?;
        }
        bed.refuse("a_s32 == +5", "Invalid value (did you forget quotes)?")
    })
}

fn values(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        let no_value = "Invalid value (did you forget quotes)?";
        for value in ["SIGUSR1", "a_u32", "(1)", "true", "~1"] {
            bed.refuse(&format!("a_s32 == {value}"), no_value)?;
        }
        bed.refuse("a_s32 == 'a'", "Expecting numeric field")?;
        bed.refuse("text == 5", "Expecting string field")?;
        bed.refuse("1 == a_s32", "Field not found")
    })
}

fn truncation(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        bed.expect("a_s32 == 4294967306", "a_s32", bits(10), true)?;
        bed.expect("a_u8 == 256", "a_u8", bits(0), true)?;
        bed.expect("a_s16 < 65546", "a_s16", bits(9), true)?;
        bed.expect("a_s16 < 65546", "a_s16", bits(10), false)
    })
}

fn negative(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        for field in ["a_u8", "a_u16", "a_u32", "a_u64"] {
            bed.refuse(&format!("{field} == -1"), "Illegal integer value")?;
        }
        bed.expect("a_s32 == -1", "a_s32", bits(0xffff_ffff), true)
    })
}

fn arguments(bench: &Bench) -> Result<(), Failed> {
    with(bench, &Syscall::new(&Memory::default()), |bed| {
        bed.refuse("dfd == -100", "Illegal integer value")?;
        bed.expect("dfd == 0xffffff9c", "dfd", bits(0xffff_ff9c), true)?;
        // The register as it is, not the `int` that its type says.
        bed.expect("dfd == 0xffffff9c", "dfd", bits(0xffff_ffff_ffff_ff9c), false)
    })
}

fn cpu_bits(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        bed.take("CPU & 1")?;
        for cpu in bed.0.rig.cpus() {
            if bed.passes(cpu, &[])? {
                return Err(format!("`CPU & 1` is true on CPU {cpu}").into());
            }
        }
        Ok(())
    })
}

fn cpu_lists(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        for cpu in bed.0.rig.cpus() {
            let answers =
                [("CPU == CPUS{0-1}", false), ("CPU != CPUS{0-1}", true), ("CPU == CPUS{0}", cpu == 0)];
            for (text, expected) in answers {
                bed.take(text)?;
                if bed.passes(cpu, &[])? != expected {
                    return Err(format!("{text} is not {expected} on CPU {cpu}").into());
                }
            }
        }
        Ok(())
    })
}

fn stacktrace(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        for text in ["stacktrace == 1", "stacktrace == 0", "stacktrace != 0"] {
            bed.expect(text, "a_u8", bits(0), false)?;
        }
        bed.expect("!stacktrace == 0", "a_u8", bits(0), true)
    })
}

fn suffix(bench: &Bench) -> Result<(), Failed> {
    with(bench, &Rename, |bed| {
        bed.expect("newcomm ~ \"*abc\"", "newcomm", text("zabc"), false)?;
        bed.expect("newcomm ~ \"*abc\"", "newcomm", text("fifteen_long_abc"[1..].into()), true)?;
        bed.expect("newcomm ~ \"*abc*\"", "newcomm", text("zabc"), true)?;
        bed.expect("newcomm ~ \"?*abc\"", "newcomm", text("zabc"), true)
    })
}

fn suffix_of_comm(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        bed.expect("text ~ \"*abc\"", "text", text("zabc"), true)?;
        // The name of the task is `agreement`.
        bed.expect("COMM ~ \"*ment\"", "a_u8", bits(0), false)?;
        bed.expect("COMM ~ \"*ment*\"", "a_u8", bits(0), true)
    })
}

const USER_SUFFIX: &str = "filename.ustring ~ \"*abc\"";

fn suffix_in_user_memory(bench: &Bench) -> Result<(), Failed> {
    with(bench, &Syscall::new(&Memory::default()), |bed| {
        bed.expect(USER_SUFFIX, "filename", text("zabc"), true)
    })
}

fn digit(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        bed.expect("text ~ \"1*\"", "text", text("1abc"), false)?;
        bed.expect("text ~ \"1*\"", "text", text("1*"), true)?;
        bed.expect("text ~ \"[1]*\"", "text", text("1abc"), true)
    })
}

fn dangling(bench: &Bench) -> Result<(), Failed> {
    with_probe(bench, |bed| {
        let texts = ["a_s32 == 10 &&", "a_s32 == 10 ||"];
        if bed.filter(texts[0]).is_err() {
            return texts.iter().try_for_each(|text| bed.refuse(text, "Meaningless filter expression"));
        }
        for text in texts {
            bed.expect(text, "a_s32", bits(10), true)?;
            bed.expect(text, "a_s32", bits(11), false)?;
        }
        Ok(())
    })
}

fn packed(bench: &Bench) -> Result<(), Failed> {
    let aligned = |format: &EventFormat| {
        let integers = format.own_fields().iter().filter(|field| field.kind == FieldKind::Int);
        integers.filter(|field| !field.offset.is_multiple_of(field.size)).count() == 0
    };
    for event in
        ["sched/sched_switch", "sched/sched_process_exec", "task/task_rename", "signal/signal_generate"]
    {
        let (system, _) = event.split_once('/').unwrap_or_default();
        let file = bench.tracefs.join("events").join(event).join("format");
        if !aligned(&EventFormat::parse(system, &fs::read_to_string(file)?)?) {
            return Err(format!("{event} is not aligned").into());
        }
    }
    with_probe(bench, |bed| match aligned(&bed.0.format) {
        true => Err("the fields of the probe are aligned".into()),
        false => Ok(()),
    })
}

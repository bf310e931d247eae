//! Properties of the kernel's filter that the compiler rests on, each on the real kernel.
//!
//! That the numbers of errors are those of the parser is tested in kernel/tests/live_filter.rs.

use std::fs;

use libtest_mimic::{Failed, Trial};
use tracec_kernel::format::{EventFormat, FieldKind};

use super::bench::Bench;
use super::drive::Driver;
use super::field::{Stimulus, Value};
use super::model::{Memory, Refused};
use super::rig::Rig;
use super::source::Source;
use super::source::probe::Probe;
use super::source::rename::Rename;
use super::source::syscall::Syscall;

/// A fact: what holds, on which kernels, and the test.
struct Fact {
    holds: &'static str,
    kernels: &'static str,
    test: fn(&Bench) -> Result<(), Failed>,
}

const FACTS: &[Fact] = &[
    Fact { holds: "a filter that is refused takes the old one away", kernels: ALL, test: destructive },
    Fact { holds: "a filter of a subsystem is never refused", kernels: ALL, test: subsystem },
    Fact { holds: "a value is a number or a string and nothing else", kernels: ALL, test: values },
    Fact { holds: "numbers are cut to the size of the field", kernels: ALL, test: truncation },
    Fact { holds: "unsigned fields take no negative number", kernels: ALL, test: negative },
    Fact { holds: "arguments of system calls are unsigned", kernels: ALL, test: arguments },
    Fact { holds: "`CPU & N` is never true", kernels: ALL, test: cpu_bits },
    Fact { holds: "`CPU == CPUS{..}` of several is never true", kernels: "6.12 and later", test: cpu_lists },
    Fact { holds: "`stacktrace` is never true", kernels: "6.12 and later", test: stacktrace },
    Fact { holds: "a suffix does not match fixed text that ends early", kernels: ALL, test: suffix },
    Fact { holds: "a pattern that begins with a digit is no pattern", kernels: ALL, test: digit },
    Fact { holds: "a connector at the end is passed over or refused", kernels: ALL, test: dangling },
    Fact { holds: "fields of probes are packed, those of other events aligned", kernels: ALL, test: packed },
];

const ALL: &str = "all kernels";

/// One trial each.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let trial = |fact: &'static Fact| {
        let bench = bench.clone();
        Trial::test(format!("{} ({})", fact.holds, fact.kernels), move || (fact.test)(&bench))
    };
    FACTS.iter().map(trial).collect()
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

    /// Whether a record passes in which these fields have these values and all others 0.
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

    /// Fails unless the filter takes the record, or does not, as is expected.
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

/// Runs a test with the event of a source.
fn with(
    bench: &Bench,
    source: &dyn Source,
    test: impl FnOnce(&mut Bed<'_>) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let mut rig = Rig::new(&bench.tracefs, 1)?;
    if !rig.has(source.event()) {
        println!("SKIPPED: the kernel has no event {}", source.event());
        return Ok(());
    }
    test(&mut Bed(Driver::new(&mut rig, source, &Memory::default())?))
}

/// Runs a test with the probe; the instance goes before it.
fn with_probe(bench: &Bench, test: impl FnOnce(&mut Bed<'_>) -> Result<(), Failed>) -> Result<(), Failed> {
    match Probe::new(&bench.tracefs) {
        Ok(probe) => with(bench, &probe, test),
        Err(reason) => {
            println!("SKIPPED: no uprobe: {reason}");
            Ok(())
        }
    }
}

/// Whether the kernel knows what a filter names; a kernel that does not refuses it with this error.
fn knows(bed: &Bed<'_>, text: &str, error: &str) -> Result<bool, Failed> {
    match bed.filter(text) {
        Ok(()) => Ok(true),
        Err(refused) if refused.error.as_deref() == Some(error) => {
            println!("SKIPPED: the kernel refuses {text}: {error}");
            Ok(false)
        }
        Err(refused) => Err(format!("{text}: {refused}").into()),
    }
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
        // It fills the array: without a filter nothing is known of what stands behind a NUL.
        match bed.passes(0, &[("newcomm", text("fifteen_letters"))])? {
            true => Ok(()),
            false => Err("the event has its old filter".into()),
        }
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
        // The register as it is, not the `int` that it is called.
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
        if !knows(bed, "CPU == CPUS{0}", "Invalid value (did you forget quotes)?")? {
            return Ok(());
        }
        let cpus = bed.0.rig.cpus();
        if cpus.len() < 2 {
            println!("SKIPPED: the machine has one CPU");
            return Ok(());
        }
        for cpu in cpus {
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
        if !knows(bed, "stacktrace == 1", "Field not found")? {
            return Ok(());
        }
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
    })?;
    with_probe(bench, |bed| bed.expect("text ~ \"*abc\"", "text", text("zabc"), true))
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

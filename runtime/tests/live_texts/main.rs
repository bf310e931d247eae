//! Texts of records of the running kernel, beside the lines that its file `trace` has for the same records: every event
//! that a load can make it record.
//!
//! Each round enables some events in an instance of its own, runs loads, reads `trace`, then takes the same records out of
//! the rings and prints them in the layout `kernel`. Without a variable of the environment few loads run:
//!
//! | variable | what it asks for |
//! |---|---|
//! | `TRACEC_TEXTS` | all loads, with rings of so many KiB |
//! | `TRACEC_TEXTS_LEAST` | another number of events outside of `syscalls` that have to be recorded then |
//! | `TRACEC_TEXTS_MODULES` | a directory with kernel modules, of which `dummy` is loaded again |
//! | `TRACEC_TEXTS_MISSING` | a file for the names of the events that did not occur |

mod compare;
mod exceptions;
mod inject;
mod instance;
mod lines;
#[expect(unsafe_code, reason = "makes every system call, and processes in namespaces of their own")]
mod load;
mod recording;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, Trial};
use tracec_runtime::record::report;

use compare::Tally;
use instance::{Instance, read};
use lines::{Kernels, Line, Ours};
use load::Load;
use recording::Events;

/// The size of the rings where few loads run, KiB.
const SMALL_RING: &str = "1408";

fn main() -> ExitCode {
    if let Some(code) = load::run_if_asked() {
        return code;
    }
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = match tracefs() {
        Ok(tracefs) => vec![Trial::test("texts are those of the kernel", move || texts(&tracefs))],
        Err(reason) => {
            println!("SKIPPED: no tracefs for live tests: {reason}");
            Vec::new()
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns a tracefs in which instances can be made: `TRACEC_TEST_TRACEFS`, or the first that is mounted.
fn tracefs() -> Result<PathBuf, String> {
    let mounted = || {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        mounts.lines().find_map(|line| {
            let mut words = line.split(' ');
            let (path, kind) = (words.nth(1)?, words.next()?);
            (kind == "tracefs").then(|| PathBuf::from(path))
        })
    };
    let path = std::env::var_os("TRACEC_TEST_TRACEFS").map(PathBuf::from).or_else(mounted);
    let path = path.ok_or("none is mounted and TRACEC_TEST_TRACEFS is not set")?;
    match std::fs::OpenOptions::new().append(true).open(path.join("trace_marker")) {
        Ok(_) => Ok(path),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// A group of events that are recorded together, and what makes them.
struct Round {
    name: &'static str,
    /// Returns whether a system is recorded.
    records: fn(&str) -> bool,
    loads: &'static [Load],
}

/// Systems whose events are so frequent that they would fill the rings before others occur.
const FREQUENT: &[&str] = &["irq_vectors", "kmem", "raw_syscalls", "rcu", "sched", "timer"];

/// Systems whose events are so frequent that they fill the rings at once.
const FLOODS: &[&str] = &["lock", "page_ref", "preemptirq"];

/// What runs in any case: one round for the calls, and one for the rest.
const FEW: &[Round] = &[
    Round { name: "calls", records: |system| system == "syscalls", loads: &[load::CALLS_ONCE] },
    Round {
        name: "others",
        records: |system| system != "syscalls" && !FLOODS.contains(&system),
        loads: &[load::SHELL],
    },
];

/// What runs where all is asked for.
const ALL: &[Round] = &[
    Round { name: "calls", records: |system| system == "syscalls", loads: &[load::CALLS, load::SHELL] },
    Round { name: "rare", records: is_rare, loads: &[load::SHELL, load::TASKS, load::URING] },
    Round { name: "ext", records: is_of_files, loads: &[load::EXT] },
    Round { name: "xfs", records: is_of_files, loads: &[load::XFS] },
    Round { name: "btrfs", records: is_of_files, loads: &[load::BTRFS] },
    Round { name: "sockets", records: is_rare, loads: &[load::SOCKETS, load::CALLS] },
    Round {
        name: "frequent",
        records: |system| FREQUENT.contains(&system),
        loads: &[load::TASKS, load::SHELL],
    },
    Round { name: "floods", records: |system| FLOODS.contains(&system), loads: &[load::SHELL] },
];

/// Systems of file systems, whose loads would fill the rings with events of others.
const FILES: &[&str] = &[
    "block",
    "btrfs",
    "erofs",
    "ext4",
    "filelock",
    "fs_dax",
    "iomap",
    "jbd2",
    "printk",
    "wbt",
    "writeback",
    "xfs",
];

/// Returns whether the events of a system are those of files.
fn is_of_files(system: &str) -> bool {
    FILES.contains(&system)
}

/// Returns whether the events of a system do not fill the rings.
fn is_rare(system: &str) -> bool {
    system != "syscalls" && !FREQUENT.contains(&system) && !FLOODS.contains(&system)
}

/// The option that hashes addresses.
const HASHED: &str = "options/hash-ptr";

/// The first kernel that prints strings also without that option.
const WHOLE: (u32, u32) = (6, 12);

/// Returns the release of the kernel.
fn release() -> Result<(u32, u32), Failed> {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok());
    numbers.next().zip(numbers.next()).ok_or_else(|| format!("the release {text:?}").into())
}

fn texts(tracefs: &Path) -> Result<(), Failed> {
    // The live tests of the command compare all of tracefs, and take the same lock.
    let alone = File::open(tracefs)?;
    alone.lock()?;
    let events = Events::read(tracefs)?;
    let instance = Instance::new(tracefs)?;
    let asked = variable("TRACEC_TEXTS");
    let rounds = if asked.is_some() { ALL } else { FEW };
    instance.write("buffer_size_kb", asked.as_deref().unwrap_or(SMALL_RING))?;
    let mut tally = Tally::new(release()?);
    for round in rounds {
        record(&instance, &events, round)?;
        compare(tracefs, &instance, &events, &mut tally, false)?;
    }
    if asked.is_some() && inject::is_possible(&instance) {
        instance.write("trace", "")?;
        instance.write("tracing_on", "1")?;
        let injected = inject::every_event(&instance, &events)?;
        instance.write("tracing_on", "0")?;
        println!("-- injected: {} events", injected.len());
        compare(tracefs, &instance, &events, &mut tally, true)?;
        if let Some(lost) = injected.iter().find(|event| !tally.has(event)) {
            return Err(format!("{lost} was injected and is not there").into());
        }
    }
    drop(instance);
    if let Some(file) = variable("TRACEC_TEXTS_MISSING") {
        let all = events
            .systems
            .iter()
            .flat_map(|(system, events)| events.iter().map(move |(event, _)| format!("{system}:{event}\n")));
        let missing: String = all.filter(|event| !tally.has(event.trim_end())).collect();
        std::fs::write(file, missing)?;
    }
    let (outside, calls) = tally.finish()?;
    let least = match (asked, variable("TRACEC_TEXTS_LEAST")) {
        (None, _) => FEW_LEAST,
        (Some(_), Some(outside)) => (outside.parse()?, ALL_LEAST.1),
        (Some(_), None) => ALL_LEAST,
    };
    if outside < least.0 || calls < least.1 {
        let why = format!("{outside} events and {calls} of system calls, and {least:?} were expected");
        return Err(why.into());
    }
    Ok(())
}

/// The least numbers of events outside of `syscalls` and of those in it, whose lines have to be the kernel's: where few
/// loads run, and where all run.
const FEW_LEAST: (usize, usize) = (70, 500);
const ALL_LEAST: (usize, usize) = (250, 500);

/// Returns the value of a variable of the environment.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Records the events of a round into the rings of the instance.
fn record(instance: &Instance, events: &Events, round: &Round) -> Result<(), Failed> {
    let begin = Instant::now();
    instance.write("trace", "")?;
    let mut enabled = 0;
    for (system, _) in events.systems.iter().filter(|(system, _)| (round.records)(system)) {
        // The records of tracers cannot be enabled, and some events refuse: those of perf, and of probes that others own.
        if system != "ftrace" {
            match instance.try_write(&format!("events/{system}/enable"), "1") {
                Ok(()) => enabled += events.count(system),
                Err(error) => println!("{system}: {error}"),
            }
        }
    }
    instance.write("tracing_on", "1")?;
    let result = round.loads.iter().try_for_each(|load| load.run());
    instance.write("tracing_on", "0")?;
    instance.write("events/enable", "0")?;
    println!("-- {}: {enabled} events enabled, {:.1} s", round.name, begin.elapsed().as_secs_f64());
    result
}

/// Compares the kernel's lines with ours, and consumes the records.
fn compare(
    tracefs: &Path,
    instance: &Instance,
    events: &Events,
    tally: &mut Tally,
    injected: bool,
) -> Result<(), Failed> {
    let begin = Instant::now();
    let is_broken = release()? < WHOLE;
    let mut kernels = Vec::new();
    for cpu in instance.cpus()? {
        let trace = instance.file(&format!("per_cpu/cpu{cpu}/trace"));
        instance.write(HASHED, "0")?;
        let unhashed = read(&trace)?;
        kernels.push((
            cpu,
            if is_broken {
                instance.write(HASHED, "1")?;
                Kernels::of_both(&read(&trace)?, &unhashed, cpu)
            } else {
                Kernels::of(&unhashed, cpu)
            },
        ));
    }
    let mut recording = recording::take(tracefs, instance, events)?;
    let mut ours = Ours::new();
    let counts = report(&mut recording, &mut ours)?;
    if counts.unknown > 0 {
        return Err(format!("{} records have no layout", counts.unknown).into());
    }
    for (event, reason) in &ours.without_text {
        println!("{event} has no text: {reason}");
    }
    for (cpu, kernels) in kernels {
        let of_cpu: Vec<&Line> = ours.lines.iter().filter(|line| line.cpu == cpu).collect();
        tally.compare((cpu, injected), &of_cpu, &kernels)?;
    }
    println!("   {} records compared, {:.1} s", counts.records, begin.elapsed().as_secs_f64());
    Ok(())
}

//! Definitions as kernel code: the size of events as one class and each on its own, and the time of `tracec build`.
//!
//!     cargo bench --bench definitions
//!
//! The modules are built with Debian's headers of 6.12, which are downloaded once. `size` of binutils says how large
//! they are. The exit status is 1 where the goal for the time is missed.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use xtask::kbuild;
use xtask::vm::Kernel;

/// The numbers of events whose sizes are compared.
const SIZES: [usize; 2] = [10, 100];

/// The events of the timed build, and the goal.
const EVENTS: usize = 1000;
const GOAL: Duration = Duration::from_millis(100);
const RUNS: usize = 11;

/// The record of an event, which is that of the kernel's sched_wakeup.
const BODY: &str = "proto (p: *struct task_struct, cpu: int)
    entry {
        comm: char[TASK_COMM_LEN] = p->comm;
        pid:  pid_t = p->pid;
        prio: int = p->prio;
        target_cpu: int = cpu;
    }
    print \"comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:03}\"";

const HEAD: &str = "subsystem bench;\ninclude <linux/sched.h>;\n";

/// Returns definitions of events that are members of one class.
fn of_a_class(count: usize) -> String {
    let mut text = format!("{HEAD}class wakeup {{ {BODY} }}\n");
    for index in 0..count {
        let _ = writeln!(text, "event wakeup_{index}: wakeup;");
    }
    text
}

/// Returns definitions of events that each have a class of their own.
fn each_alone(count: usize) -> String {
    let mut text = HEAD.to_owned();
    for index in 0..count {
        let _ = writeln!(text, "event wakeup_{index} {{ {BODY} }}");
    }
    text
}

fn main() -> ExitCode {
    match measured() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measured() -> anyhow::Result<ExitCode> {
    let scratch = tempfile::tempdir()?;
    println!("{:>7}  {:>22}  {:>22}  saved", "events", "alone (text, data)", "class (text, data)");
    for count in SIZES {
        let [alone, class] = [("alone", each_alone(count)), ("class", of_a_class(count))]
            .map(|(name, text)| size(scratch.path(), name, &text));
        let (alone, class) = (alone?, class?);
        let saved = |before: u64, after: u64| 100.0 * (1.0 - after as f64 / before as f64);
        let columns = |size: (u64, u64)| format!("{} {}", size.0, size.1);
        println!(
            "{count:>7}  {:>22}  {:>22}  text {:.0} %, data {:.0} %",
            columns(alone),
            columns(class),
            saved(alone.0, class.0),
            saved(alone.1, class.1)
        );
    }
    let text = scratch.path().join("many.trc");
    std::fs::write(&text, each_alone(EVENTS))?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        build(&text, &scratch.path().join("many"))?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    println!("tracec build of {EVENTS} events: {median:.1?} (median of {RUNS}; goal: under {GOAL:?})");
    Ok(if median < GOAL { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(text: &Path, out: &Path) -> anyhow::Result<()> {
    let tracec = std::env::var_os("TRACEC_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_tracec").into());
    let mut command = Command::new(tracec);
    command.arg("build").arg(text).args(["--target", "module", "--kernel", "6.12", "-o"]).arg(out);
    let status = command.status()?;
    anyhow::ensure!(status.success(), "tracec build: {status}");
    Ok(())
}

/// Returns the bytes of code and constants, and those of data, of the module of a text.
fn size(scratch: &Path, name: &str, text: &str) -> anyhow::Result<(u64, u64)> {
    let (file, out) = (scratch.join(format!("{name}.trc")), scratch.join(name));
    std::fs::write(&file, text)?;
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    build(&file, &out)?;
    let built = kbuild::build(Kernel::Debian6_12, &out)?;
    let output = Command::new("size").arg(&built.module).output()?;
    let line = String::from_utf8_lossy(&output.stdout).lines().nth(1).unwrap_or_default().to_owned();
    let mut columns = line.split_whitespace().map(str::parse::<u64>);
    match (columns.next(), columns.next()) {
        (Some(Ok(text)), Some(Ok(data))) => Ok((text, data)),
        _ => anyhow::bail!("size says: {line}"),
    }
}

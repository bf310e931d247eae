//! The first session against its peer and the bare system calls, in one run: each line is a ratio with its two medians.
//!
//! - `check` of a small session, whole process, against `bpftrace -d` on its equivalent: wall time, CPU time, memory.
//! - Applying one filtered event against the bare writes that a short program would issue.
//! - From start to exit around `true` against those writes, their removal and `true` alone.
//!
//!     cargo bench --bench first_light
//!
//! Needs root and a mounted tracefs; without bpftrace its part is skipped with a printed reason. The exit status is 1
//! where a ratio misses its goal.

mod measure;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use measure::{Sample, median, process, report};
use tracec::{Input, LiveKernel, Options, SourceText};
use tracec_kernel::plan::{InstanceName, Plan};
use tracec_runtime::session;
use tracec_runtime::tracefs::Tracefs;

const SESSION: &str = "sched:sched_switch if prev_prio < 100 && next_comm == \"bash\"";
const BPFTRACE: &str = "tracepoint:sched:sched_switch /args->prev_prio < 100 && str(args->next_comm) == \"bash\"/ \
                        { printf(\"%d\\n\", args->prev_pid); }";
const RUNS: usize = 21;

/// The goals, as ratios and MiB.
const CHECK_FASTER: f64 = 30.0;
const CHECK_PEAK_MIB: f64 = 15.0;
const APPLY_COSTS: f64 = 2.0;

fn main() -> ExitCode {
    let tracec = PathBuf::from(env!("CARGO_BIN_EXE_tracec"));
    let tracefs = match Tracefs::find() {
        Ok(tracefs) => tracefs,
        Err(error) => {
            println!("left out: {error}");
            return ExitCode::FAILURE;
        }
    };
    let check = check_against_bpftrace(&tracec);
    let apply = apply_against_bare_writes(&tracefs) <= APPLY_COSTS;
    whole_run_against_bare_writes(&tracec, &tracefs);
    if check && apply { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns whether both goals are reached; without bpftrace only the memory is compared.
fn check_against_bpftrace(tracec: &Path) -> bool {
    let mut check = Command::new(tracec);
    check.args(["check", "-e", SESSION]);
    let mut peer = Command::new("bpftrace");
    peer.args(["-d", "-e", BPFTRACE]);
    if Command::new("bpftrace").arg("--version").output().is_err() {
        println!("left out: check against bpftrace, which is not installed");
        return process(&mut check).peak_kib as f64 / 1024.0 < CHECK_PEAK_MIB;
    }
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        own.push(process(&mut check));
        other.push(process(&mut peer));
    }
    let wall = |samples: &[Sample]| median(samples.iter().map(|s| s.wall).collect());
    let cpu = |samples: &[Sample]| median(samples.iter().map(|s| s.cpu).collect());
    let peak = |samples: &[Sample]| samples.iter().map(|s| s.peak_kib).max().unwrap_or(0) as f64 / 1024.0;
    let faster = report("check, wall time: bpftrace -d / tracec", wall(&other), wall(&own));
    report("check, CPU time:  bpftrace -d / tracec", cpu(&other), cpu(&own));
    println!("check, peak memory: tracec {:.1} MiB, bpftrace {:.1} MiB", peak(&own), peak(&other));
    faster >= CHECK_FASTER && peak(&own) < CHECK_PEAK_MIB
}

fn apply_against_bare_writes(tracefs: &Tracefs) -> f64 {
    let runtime_dir = std::env::temp_dir().join(format!("tracec-bench-{}", std::process::id()));
    let plan = plan(tracefs);
    let (mut own, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let start = Instant::now();
        let applied = session::apply(tracefs, &plan.transaction, &runtime_dir).expect("the plan is accepted");
        own.push(start.elapsed());
        applied.undo().expect("nobody holds the instance");

        let start = Instant::now();
        let instance = bare_apply(tracefs.path());
        bare.push(start.elapsed());
        std::fs::remove_dir(instance).expect("nobody holds the instance");
    }
    report("apply one filtered event: tracec / bare writes", median(own), median(bare))
}

fn whole_run_against_bare_writes(tracec: &Path, tracefs: &Tracefs) {
    let (mut own, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        own.push(process(Command::new(tracec).args(["run", "-e", SESSION, "--", "true"])).wall);
        let start = Instant::now();
        let instance = bare_apply(tracefs.path());
        process(&mut Command::new("true"));
        std::fs::remove_dir(instance).expect("nobody holds the instance");
        bare.push(start.elapsed());
    }
    report("start to exit around `true`: tracec / bare writes", median(own), median(bare));
}

/// Does what a program without a plan, a journal or an undo would do. It leaves itself out too: the kernel waits for
/// its readers (RCU) once more when an instance with such a list is removed.
fn bare_apply(tracefs: &Path) -> PathBuf {
    let instance = tracefs.join(format!("instances/bare-{}", std::process::id()));
    let event = instance.join("events/sched/sched_switch");
    std::fs::create_dir(&instance).expect("a new instance");
    let write = |path: PathBuf, text: &str| {
        let mut file = std::fs::OpenOptions::new().write(true).open(path).expect("the event is there");
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("the kernel takes it");
    };
    write(instance.join("set_event_notrace_pid"), &std::process::id().to_string());
    write(event.join("filter"), "prev_prio < 100 && next_comm == \"bash\"");
    write(event.join("enable"), "1");
    instance
}

fn plan(tracefs: &Tracefs) -> Plan {
    let text = SourceText { name: "-e".to_owned(), text: SESSION.to_owned(), one_liner: true };
    let instance = InstanceName::new(&format!("bench-{}", std::process::id())).expect("a valid name");
    let kernel = LiveKernel(Tracefs::open(tracefs.path()).expect("it was opened before"));
    let compilation = tracec_compiler::compile(Input::new(&text, &kernel), &Options::new(None, instance));
    compilation.plan.expect("the session has no mistakes")
}

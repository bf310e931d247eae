//! The cost of checking, in one run: its growth with the session, and its ratio to bpftrace.
//!
//! - The time per clause for sessions of 100, 200, 400 and 800 clauses, in this process and as a process of its own:
//!   linear means that the largest is no more than 15 % above the smallest.
//! - The time per atom for conditions of 500, 1,000, 2,000 and 4,000 atoms, in this process, in shapes that make work
//!   for passes that compare atoms: at the largest size it is no more than twice that at the cheapest, since sorting is
//!   not linear; a pass that looks at all atoms for each reaches eight times.
//! - 400 clauses against `bpftrace -d` on the equivalent program.
//! - A session of one event against a whole saved kernel: time and memory. `TRACEC_BENCH_KERNEL` names the saved
//!   kernel, a file or a directory; without it the running kernel is saved, with its types and functions, and a profile
//!   that is shipped with tracec is measured as well.
//! - 5,000 lines against a profile that is loaded: one session of them, and 1,250 sessions.
//! - A condition over every event of that profile against the same condition at one event.
//!
//!     cargo bench --bench check
//!
//! Times are CPU times, and the sizes take turns, so that other load on the machine affects all of them. The third and
//! half of the fourth part need root and a tracefs; a part that cannot be measured is skipped with a printed reason.
//! The exit status is 1 where a goal is missed, and with `-- --all` also where a part was skipped.

mod generate;
mod group;
mod measure;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use measure::{Sample, median, process, report};
use rustix::time::{ClockId, clock_gettime};
use tracec::{Input, KernelDirectory, ProfileKernel, SourceText};
use tracec_compiler::Severity;
use tracec_runtime::tracefs::Tracefs;

const SIZES: [usize; 4] = [100, 200, 400, 800];

/// Rounds of all sizes, in this process and as processes.
const ROUNDS: usize = 41;

/// Atoms of a condition, and rounds of all these sizes for each shape.
const ATOMS: [usize; 4] = [500, 1000, 2000, 4000];
const SHAPE_ROUNDS: usize = 9;

/// The goals.
const SPREAD: f64 = 0.15;
const GROWTH: f64 = 2.0;
const FASTER_THAN_BPFTRACE: f64 = 40.0;
const ONE_EVENT_MS: f64 = 20.0;
const ONE_EVENT_MIB: f64 = 30.0;
const LINES_MS: f64 = 12.0;

/// Where bpftrace looks for tracefs.
const STANDARD_TRACEFS: &str = "/sys/kernel/tracing";

fn main() -> ExitCode {
    let scratch = tempfile::tempdir().expect("a directory for files");
    let scratch = scratch.path();
    // The smallest first: the peak memory of this process counts towards that of the processes it starts, since
    // execve(2) keeps the high-water mark (exec_mmap in fs/exec.c).
    let parts = [
        ("one event, shipped kernel", one_event(scratch, &shipped())),
        (
            "one event, saved kernel",
            saved(scratch).and_then(|kernel| match kernel {
                Ok(kernel) => one_event(scratch, &kernel),
                Err(why) => Ok(Verdict::LeftOut(why)),
            }),
        ),
        ("group", group::against_one(scratch, &shipped())),
        ("5,000 lines", five_thousand_lines()),
        ("bpftrace", against_bpftrace(scratch)),
        ("linear", linear(scratch)),
        ("long conditions", long_conditions()),
    ];
    let all = std::env::args().any(|argument| argument == "--all");
    let mut code = ExitCode::SUCCESS;
    for (part, result) in parts {
        match result {
            Ok(Verdict::Reached) => {}
            Ok(Verdict::LeftOut(why)) => {
                println!("left out: {part}: {why}");
                if all {
                    code = ExitCode::FAILURE;
                }
            }
            Ok(Verdict::Missed(what)) => {
                println!("MISSED: {part}: {what}");
                code = ExitCode::FAILURE;
            }
            Err(error) => {
                println!("FAILED: {part}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// The result of a goal.
enum Verdict {
    Reached,
    Missed(String),
    LeftOut(String),
}

impl Verdict {
    /// Returns the verdict; the goal is reached if nothing was missed.
    fn of(missed: Vec<String>) -> Verdict {
        if missed.is_empty() { Verdict::Reached } else { Verdict::Missed(missed.join("; ")) }
    }
}

fn tracec() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tracec"))
}

/// A session of `size` clauses, ready to be checked both ways.
struct Case {
    size: usize,
    source: SourceText,
    file: PathBuf,
}

impl Case {
    fn new(size: usize, scratch: &Path) -> io::Result<Case> {
        assert!(size == 1 || size.is_multiple_of(generate::MIX), "each size has whole mixes of clauses");
        let text = generate::session(size);
        let file = scratch.join(format!("{size}.trc"));
        std::fs::write(&file, &text)?;
        let source = SourceText { name: format!("{size}.trc"), text, one_liner: false };
        Ok(Case { size, source, file })
    }
}

/// Returns a copy of a tracefs, from which the generated ones are made.
fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernel")
}

/// Returns the indices of sizes, forwards and backwards in turn, so that no size always follows the same one.
fn turns(sizes: usize, rounds: usize) -> impl Iterator<Item = usize> {
    (0..rounds).flat_map(move |round| {
        (0..sizes).map(move |turn| if round % 2 == 0 { turn } else { sizes - 1 - turn })
    })
}

fn linear(scratch: &Path) -> io::Result<Verdict> {
    let kernel = scratch.join("kernel");
    generate::kernel(&tree(), &kernel, SIZES[SIZES.len() - 1])?;
    let cases = SIZES.iter().map(|size| Case::new(*size, scratch)).collect::<io::Result<Vec<_>>>()?;
    // The cost of a process before its first clause.
    let start = Case::new(1, scratch)?;
    let copy = KernelDirectory(kernel.clone());
    let (mut inside, mut outside) = (vec![Vec::new(); SIZES.len()], vec![Vec::new(); SIZES.len()]);
    let mut starts = Vec::new();
    // One after the other: a process in between would leave cold caches, which cost the same for each size.
    for index in turns(SIZES.len(), ROUNDS) {
        let case = &cases[index];
        let before = cpu_time();
        let diagnostics = tracec::analyse(Input::new(&case.source, &copy), tracec::Choice::All).diagnostics;
        inside[index].push(cpu_time() - before);
        if let Some(mistake) = diagnostics.first() {
            return Err(io::Error::other(format!("the session has a mistake: {}", mistake.message)));
        }
    }
    for index in turns(SIZES.len(), ROUNDS) {
        if index == 0 {
            starts.push(checked(&start.file, &kernel)?.cpu);
        }
        outside[index].push(checked(&cases[index].file, &kernel)?.cpu);
    }
    let start = median(starts);
    let inside: Vec<f64> = per_clause(&cases, inside, Duration::ZERO);
    let outside: Vec<f64> = per_clause(&cases, outside, start);
    println!("check of one clause as a process: {:.2} ms, taken off below", start.as_secs_f64() * 1e3);
    let missed = [("in one process", inside), ("as processes", outside)]
        .into_iter()
        .filter_map(|(how, times)| {
            let spread = spread(how, &times);
            (spread > SPREAD)
                .then(|| format!("{how}, the time per clause differs by {:.0} %", spread * 100.0))
        })
        .collect();
    Ok(Verdict::of(missed))
}

fn five_thousand_lines() -> io::Result<Verdict> {
    let kernel = ProfileKernel::open(&shipped()).map_err(|error| io::Error::other(error.to_string()))?;
    let mut missed = Vec::new();
    for (what, text) in
        [("one session", generate::one_session(5000)), ("1,250 sessions", generate::sessions(1250))]
    {
        let source = SourceText { name: "lines.trc".to_owned(), text, one_liner: false };
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let before = cpu_time();
            let analysis = tracec::analyse(Input::new(&source, &kernel), tracec::Choice::All);
            times.push(cpu_time() - before);
            if let Some(mistake) = analysis.diagnostics.first() {
                return Err(io::Error::other(format!("{what}: {}", mistake.message)));
            }
        }
        let (first, time) = (times[0].as_secs_f64() * 1e3, median(times).as_secs_f64() * 1e3);
        println!(
            "check of 5,000 lines with a loaded profile, CPU time, {what}: {time:.2} ms (below {LINES_MS}), \
             {first:.2} ms the first time"
        );
        if time >= LINES_MS {
            missed.push(format!("{what}: {time:.1} ms"));
        }
    }
    Ok(Verdict::of(missed))
}

fn long_conditions() -> io::Result<Verdict> {
    let copy = KernelDirectory(tree());
    let mut missed = Vec::new();
    for (shape, condition) in generate::conditions::SHAPES {
        let sources = ATOMS.map(|atoms| SourceText {
            name: format!("{atoms}.trc"),
            text: format!("session long {{ trace sched:sched_switch if {}; }}", condition(atoms)),
            one_liner: false,
        });
        let mut times = [const { Vec::new() }; ATOMS.len()];
        for index in turns(ATOMS.len(), SHAPE_ROUNDS) {
            let before = cpu_time();
            let diagnostics =
                tracec::analyse(Input::new(&sources[index], &copy), tracec::Choice::All).diagnostics;
            times[index].push(cpu_time() - before);
            // Some shapes exist to raise lints; an error would keep the later passes from running.
            if let Some(mistake) = diagnostics.iter().find(|said| said.severity == Severity::Error) {
                return Err(io::Error::other(format!("{shape}: {}", mistake.message)));
            }
        }
        let growth = growth(shape, times);
        if growth > GROWTH {
            missed.push(format!(
                "{shape}, an atom among {} costs {growth:.1} times as much",
                ATOMS[ATOMS.len() - 1]
            ));
        }
    }
    Ok(Verdict::of(missed))
}

/// Prints the times per atom, and returns the ratio of the largest size to the cheapest.
fn growth(shape: &str, times: [Vec<Duration>; ATOMS.len()]) -> f64 {
    let each: Vec<f64> = times
        .into_iter()
        .zip(ATOMS)
        .map(|(times, atoms)| median(times).as_secs_f64() * 1e6 / atoms as f64)
        .collect();
    // The fixed cost of a condition makes the smallest sizes expensive per atom, which would hide growth.
    let growth = each[ATOMS.len() - 1] / each.iter().copied().fold(f64::MAX, f64::min);
    let shown: Vec<String> =
        ATOMS.iter().zip(&each).map(|(atoms, time)| format!("{atoms}: {time:.2}")).collect();
    println!(
        "check, microseconds per atom, {shape}: {}; {growth:.2} times as much (at most {GROWTH})",
        shown.join(", ")
    );
    growth
}

/// Runs `tracec check`, which has to succeed.
fn checked(file: &Path, kernel: &Path) -> io::Result<Sample> {
    let sample = process(tracec().arg("check").arg("--kernel").arg(kernel).arg(file));
    if sample.success {
        Ok(sample)
    } else {
        Err(io::Error::other(format!("{} has mistakes", file.display())))
    }
}

/// Returns microseconds per clause, from the medians.
fn per_clause(cases: &[Case], times: Vec<Vec<Duration>>, start: Duration) -> Vec<f64> {
    let medians = times.into_iter().map(median);
    medians
        .zip(cases)
        .map(|(time, case)| {
            let clauses = if start.is_zero() { case.size } else { case.size - 1 };
            time.saturating_sub(start).as_secs_f64() * 1e6 / clauses as f64
        })
        .collect()
}

/// Prints the times per clause, and returns by how much the largest exceeds the smallest.
fn spread(how: &str, times: &[f64]) -> f64 {
    let (least, most) = times.iter().fold((f64::MAX, 0.0_f64), |(l, m), t| (l.min(*t), m.max(*t)));
    let spread = most / least - 1.0;
    let shown: Vec<String> =
        SIZES.iter().zip(times).map(|(size, time)| format!("{size}: {time:.2}")).collect();
    println!(
        "check, microseconds per clause {how}: {}; spread {:.1} % (at most {:.0} %)",
        shown.join(", "),
        spread * 100.0,
        SPREAD * 100.0
    );
    spread
}

fn against_bpftrace(scratch: &Path) -> io::Result<Verdict> {
    const CLAUSES: usize = 400;
    let tracefs = match Tracefs::find() {
        Ok(tracefs) => tracefs.path().to_owned(),
        Err(error) => return Ok(Verdict::LeftOut(error.to_string())),
    };
    if Command::new("bpftrace").arg("--version").output().is_err() {
        return Ok(Verdict::LeftOut("bpftrace is not installed".to_owned()));
    }
    let Some(texts) = generate::equivalent(&tracefs, CLAUSES)? else {
        return Ok(Verdict::LeftOut(format!("this kernel has less than {CLAUSES} events to say it about")));
    };
    let (session, program) = (scratch.join("live.trc"), scratch.join("live.bt"));
    std::fs::write(&session, texts.tracec)?;
    std::fs::write(&program, texts.bpftrace)?;
    let mut check = tracec();
    check.arg("check").arg("--tracefs").arg(&tracefs).arg(&session);
    let own: Vec<Sample> = (0..7).map(|_| process(&mut check)).collect();
    // One run is enough: it takes long, and the goal is far outside the noise.
    let mut dry_run = bpftrace(&program);
    let other = process(&mut dry_run);
    for (success, command) in
        [(own.iter().all(|sample| sample.success), &mut check), (other.success, &mut dry_run)]
    {
        if !success {
            let said = command.output()?.stderr;
            let said: String = String::from_utf8_lossy(&said).chars().take(1000).collect();
            return Err(io::Error::other(format!("{command:?} refuses its text: {said}")));
        }
    }
    let wall = median(own.iter().map(|sample| sample.wall).collect());
    let cpu = median(own.iter().map(|sample| sample.cpu).collect());
    let peak = own.iter().map(|sample| sample.peak_kib).max().unwrap_or(0);
    report("check of 400 clauses, wall time: bpftrace -d / tracec", other.wall, wall);
    let faster = report("check of 400 clauses, CPU time:  bpftrace -d / tracec", other.cpu, cpu);
    println!(
        "check of 400 clauses, peak memory: tracec {:.1} MiB, bpftrace {:.1} MiB",
        mib(peak),
        mib(other.peak_kib)
    );
    let missed = (faster < FASTER_THAN_BPFTRACE)
        .then(|| format!("{faster:.1} times as fast, not {FASTER_THAN_BPFTRACE} times"));
    Ok(Verdict::of(missed.into_iter().collect()))
}

/// Returns the command of bpftrace's dry run; if tracefs is not mounted where bpftrace expects it, in a mount namespace
/// in which it is.
fn bpftrace(program: &Path) -> Command {
    if Path::new(STANDARD_TRACEFS).join("events").is_dir() {
        let mut command = Command::new("bpftrace");
        command.arg("-d").arg(program);
        return command;
    }
    let script = format!("mount -t tracefs nodev {STANDARD_TRACEFS} && exec bpftrace -d \"$0\"");
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).arg(program);
    command
}

fn one_event(scratch: &Path, kernel: &Path) -> io::Result<Verdict> {
    let file = scratch.join("one.trc");
    std::fs::write(
        &file,
        "session one { trace sched:sched_switch if prev_prio < 100 && next_comm == \"bash\"; }",
    )?;
    let samples = (0..21).map(|_| checked(&file, kernel)).collect::<io::Result<Vec<_>>>()?;
    let wall = median(samples.iter().map(|sample| sample.wall).collect()).as_secs_f64() * 1e3;
    let peak = mib(samples.iter().map(|sample| sample.peak_kib).max().unwrap_or(0));
    println!(
        "check of one event against {}, {}: {wall:.2} ms (below {ONE_EVENT_MS}), {peak:.1} MiB (below {ONE_EVENT_MIB})",
        kernel.display(),
        size(kernel)?
    );
    let mut missed = Vec::new();
    if wall >= ONE_EVENT_MS {
        missed.push(format!("{wall:.1} ms"));
    }
    if peak >= ONE_EVENT_MIB {
        missed.push(format!("{peak:.1} MiB"));
    }
    Ok(Verdict::of(missed))
}

/// Returns a description of a saved kernel.
fn size(kernel: &Path) -> io::Result<String> {
    let metadata = std::fs::metadata(kernel)?;
    Ok(if metadata.is_dir() { "a directory".to_owned() } else { format!("{} KiB", metadata.len() / 1024) })
}

/// Returns a shipped profile: without types and functions.
fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles/6.12.trcprof")
}

/// Returns the kernel that the environment names, or else the running one, saved as a profile with everything; or the
/// reason why there is none.
fn saved(scratch: &Path) -> io::Result<Result<PathBuf, String>> {
    if let Some(kernel) = std::env::var_os("TRACEC_BENCH_KERNEL") {
        return Ok(Ok(PathBuf::from(kernel)));
    }
    let tracefs = match Tracefs::find() {
        Ok(tracefs) => tracefs.path().to_owned(),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let profile = scratch.join("running.trcprof");
    let mut save = tracec();
    save.args(["kernel", "save", "--tracefs"]).arg(tracefs).arg("--output").arg(&profile);
    save.arg("--runtime-dir").arg(scratch.join("run"));
    let output = save.output()?;
    if output.status.success() {
        return Ok(Ok(profile));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(Err(format!("the running kernel cannot be saved: {}", said.lines().next().unwrap_or_default())))
}

fn mib(kib: i64) -> f64 {
    kib as f64 / 1024.0
}

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

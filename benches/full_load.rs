//! A recording of every CPU at full load into a trace.dat, by `tracec run -o` and by `trace-cmd record`: the CPU time of each
//! for a recorded event, in alternating turns of one run, and what each loses. Then a minute by tracec: each call of the
//! load is in the file or counted as lost.
//!
//! The load is this program with `--load`: a thread for each CPU that makes calls of write(2) for some time, with some work
//! between them, as programs have. It counts its calls, which the kernel's filter knows by the names of the threads.
//!
//! The CPU time of a tracer is that of all its threads and processes, without the load. That of the kernel's threads in the
//! same time is printed and not compared: they write the files to the disk, and serve the rest of the machine.
//!
//!     cargo bench --bench full_load
//!
//! Needs root, a mounted tracefs, and some gigabytes in the directory for temporary files. `TRACEC_LOAD_SECONDS` sets how
//! long a turn lasts, `TRACEC_LOAD_MINUTE` how many seconds the minute has (0 leaves it out), `TRACEC_BIN` names another
//! tracec. The exit status is 1 where a goal is missed, and with `-- --all` also if trace-cmd was left out.

#[expect(dead_code, reason = "this bench has no medians")]
mod measure;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use measure::{Sample, process_to};
use rustix::time::{ClockId, clock_gettime};
use tracec_runtime::record::TraceDat;

/// The event that the load raises, and the name of its threads.
const EVENT: &str = "syscalls:sys_enter_write";
const NAME: &str = "full-load";

/// The instance that trace-cmd records in: tracec has one of its own too.
const INSTANCE: &str = "tracec-full-load";

/// The greatest share of trace-cmd's CPU time.
const CPU: f64 = 0.8;

/// The turns of each tracer.
const TURNS: usize = 3;

/// The variables that set the length of a turn and of the minute, their defaults in seconds, and the variable that names
/// the file of a load's result.
const SECONDS: &str = "TRACEC_LOAD_SECONDS";
const TURN_SECONDS: u64 = 8;
const MINUTE: &str = "TRACEC_LOAD_MINUTE";
const MINUTE_SECONDS: u64 = 60;
const RESULT: &str = "TRACEC_LOAD_RESULT";

/// Calls between two looks at the clock, and the work between two calls, in rounds.
const TURN: u64 = 1000;
const WORK: u64 = 300;

/// One recording, or several.
#[derive(Clone, Copy, Default)]
struct Run {
    calls: u64,
    recorded: u64,
    lost: u64,
    /// That of the tracer alone.
    cpu: Duration,
    /// That of the kernel's threads meanwhile.
    of_kernel: Duration,
    peak_kib: i64,
}

impl Run {
    fn of(run: &Recorded, recorded: u64, lost: u64) -> Run {
        let Recorded { sample, calls, of_load, of_kernel, said: _ } = run;
        let cpu = sample.cpu.saturating_sub(*of_load);
        Run { calls: *calls, recorded, lost, cpu, of_kernel: *of_kernel, peak_kib: sample.peak_kib }
    }

    fn share(&self) -> f64 {
        self.lost as f64 / self.calls as f64
    }

    /// Returns the CPU time for a recorded event, in nanoseconds.
    fn each(&self) -> f64 {
        self.cpu.as_nanos() as f64 / self.recorded as f64
    }

    fn add(&mut self, other: &Run) {
        self.calls += other.calls;
        self.recorded += other.recorded;
        self.lost += other.lost;
        self.cpu += other.cpu;
        self.of_kernel += other.of_kernel;
        self.peak_kib = self.peak_kib.max(other.peak_kib);
    }

    fn show(&self, tool: &str) {
        let Run { calls, recorded, lost, cpu, of_kernel, peak_kib } = self;
        println!(
            "{tool}: {calls} calls, {recorded} recorded, {lost} lost ({:.3} %), CPU time {:.2} s, {:.1} ns per recorded \
             event, kernel threads {:.2} s, peak memory {:.1} MiB",
            self.share() * 100.0,
            cpu.as_secs_f64(),
            self.each(),
            of_kernel.as_secs_f64(),
            *peak_kib as f64 / 1024.0,
        );
    }

    /// Each call has to be recorded or counted as lost.
    fn check(&self, missed: &mut Vec<String>) {
        let Run { calls, recorded, lost, .. } = self;
        if recorded + lost != *calls {
            missed.push(format!("tracec: {recorded} recorded and {lost} lost are not the {calls} calls"));
        }
    }
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--load") {
        return load();
    }
    let all = std::env::args().any(|word| word == "--all");
    let directory = tempfile::tempdir().expect("a directory");
    let mut missed = Vec::new();
    let is_compared = compare(directory.path(), &mut missed);
    let minute = seconds(MINUTE, MINUTE_SECONDS);
    if minute > 0 {
        let run = with_tracec(directory.path(), minute);
        run.show(&format!("{minute} s by tracec run -o"));
        run.check(&mut missed);
    }
    missed.iter().for_each(|missed| println!("missed: {missed}"));
    let is_good = missed.is_empty() && (is_compared || !all);
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Records in turns by either. Returns whether trace-cmd can.
fn compare(directory: &Path, missed: &mut Vec<String>) -> bool {
    let (mut own, mut peer) = (Run::default(), Run::default());
    let turn = seconds(SECONDS, TURN_SECONDS);
    for _ in 0..TURNS {
        let run = with_tracec(directory, turn);
        run.show("tracec run -o");
        run.check(missed);
        own.add(&run);
        match with_trace_cmd(directory, turn) {
            Ok(run) => {
                run.show("trace-cmd record");
                peer.add(&run);
            }
            Err(reason) => {
                println!("left out: trace-cmd, which cannot record here: {reason}");
                return false;
            }
        }
    }
    let ratio = own.each() / peer.each();
    println!(
        "CPU time for a recorded event, tracec / trace-cmd: {ratio:.2} ({:.1} ns / {:.1} ns), lost {} / {}",
        own.each(),
        peer.each(),
        own.lost,
        peer.lost
    );
    if ratio > CPU {
        missed.push(format!("CPU time: {ratio:.2}, and the goal is {CPU}"));
    }
    if own.share() > peer.share() {
        missed.push("more is lost than by trace-cmd".to_owned());
    }
    true
}

/// Returns the number of a variable.
fn seconds(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Makes calls on all CPUs, and writes how many, and the CPU time that they took in nanoseconds.
fn load() -> ExitCode {
    let end = Instant::now() + Duration::from_secs(seconds(SECONDS, TURN_SECONDS));
    let count = thread::available_parallelism().map_or(1, usize::from);
    let start = |_| thread::Builder::new().name(NAME.to_owned()).spawn(move || calls_until(end));
    let threads: Vec<_> = (0..count).map(|number| start(number).expect("a thread")).collect();
    let calls: u64 = threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum();
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let cpu = cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64;
    let file = std::env::var_os(RESULT).expect("the file of the result is named");
    fs::write(file, format!("{calls} {cpu}\n")).expect("the result is written");
    ExitCode::SUCCESS
}

fn calls_until(end: Instant) -> u64 {
    let mut null = File::options().write(true).open("/dev/null").expect("/dev/null");
    let mut calls = 0;
    while Instant::now() < end {
        for _ in 0..TURN {
            null.write_all(b"x").expect("/dev/null takes everything");
            black_box((0..WORK).fold(0_u64, |sum, round| black_box(sum + round)));
        }
        calls += TURN;
    }
    calls
}

fn with_tracec(directory: &Path, seconds: u64) -> Run {
    let tracec =
        std::env::var_os("TRACEC_BIN").map_or_else(|| env!("CARGO_BIN_EXE_tracec").into(), PathBuf::from);
    let output = directory.join("tracec.dat");
    let mut command = Command::new(tracec);
    command.args(["run", "-e", &format!("trace {EVENT} if current.comm == {NAME:?}"), "-o"]).arg(&output);
    command.arg("--");
    let run = recorded(command, directory, seconds);
    let Recorded { sample, said, .. } = &run;
    assert!(sample.success, "{said}");
    let recorded = records(&output);
    let before = |words: &str| -> Option<u64> {
        said.split(words).next()?.rsplit([' ', '\n']).next()?.replace(',', "").parse().ok()
    };
    let lost = if said.contains("nothing lost") { 0 } else { before(" records lost").expect("a summary") };
    fs::remove_file(&output).expect("the output");
    Run::of(&run, recorded, lost)
}

fn with_trace_cmd(directory: &Path, seconds: u64) -> Result<Run, String> {
    if Command::new("trace-cmd").arg("--version").output().is_err() {
        return Err("it is not installed".to_owned());
    }
    let output = directory.join("trace.dat");
    let mut command = Command::new("trace-cmd");
    // Without the function tracer, which a kernel may refuse to set up, and the instance is left to be removed here.
    command.current_dir(directory).args(["record", "-d", "-k", "-B", INSTANCE, "-o"]).arg(&output);
    command.args(["-e", EVENT, "-f", &format!("COMM == {NAME:?}")]);
    let run = recorded(command, directory, seconds);
    let Recorded { sample, said, .. } = &run;
    let instance = Path::new("/sys/kernel/tracing/instances").join(INSTANCE);
    if instance.exists() {
        fs::remove_dir(&instance).map_err(|error| format!("{}: {error}", instance.display()))?;
    }
    if !sample.success {
        return Err(said.lines().last().unwrap_or("it says nothing").to_owned());
    }
    let recorded = records(&output);
    fs::remove_file(&output).map_err(|error| error.to_string())?;
    let lost = run.calls.saturating_sub(recorded);
    Ok(Run::of(&run, recorded, lost))
}

/// Returns the number of records of a file. It is the count that the pages have: no record is rendered.
fn records(file: &Path) -> u64 {
    let mut trace = TraceDat::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut records = 0;
    let mut count = |_: &tracec_runtime::sink::Event<'_>| -> Result<(), tracec_runtime::sink::SinkError> {
        records += 1;
        Ok(())
    };
    tracec_runtime::record::report(&mut trace, &mut count).expect("the recording is whole");
    records
}

/// What a tracer did while it ran the load as its command.
struct Recorded {
    sample: Sample,
    said: String,
    calls: u64,
    /// The CPU time of the load, and that of the kernel's threads meanwhile.
    of_load: Duration,
    of_kernel: Duration,
}

/// Runs the load as the command of a tracer.
fn recorded(mut command: Command, directory: &Path, seconds: u64) -> Recorded {
    let own = std::env::current_exe().expect("the path of this program");
    let (said, result) = (directory.join("said"), directory.join("result"));
    let file = File::create(&said).expect("a file in the directory of this run");
    let again = file.try_clone().expect("the same file");
    command.arg(own).arg("--load").env(RESULT, &result).env(SECONDS, seconds.to_string());
    // What an earlier turn has left is written before this one.
    rustix::fs::sync();
    let before = kernel_threads();
    let sample = process_to(&mut command, Stdio::from(file), Stdio::from(again));
    let of_kernel = kernel_threads().saturating_sub(before);
    let said = fs::read_to_string(&said).expect("what the tracer says");
    let Ok(text) = fs::read_to_string(&result) else {
        return Recorded { sample, said, calls: 0, of_load: Duration::ZERO, of_kernel };
    };
    fs::remove_file(&result).expect("the result");
    let (calls, cpu) = text.trim().split_once(' ').expect("two numbers");
    let of_load = Duration::from_nanos(cpu.parse().expect("nanoseconds"));
    Recorded { sample, said, calls: calls.parse().expect("calls"), of_load, of_kernel }
}

/// Returns the CPU time that the threads of the kernel have taken so far (`/proc/PID/stat`, proc(5)).
fn kernel_threads() -> Duration {
    const PF_KTHREAD: u64 = 0x0020_0000;
    let time = |stat: String| -> Option<u64> {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let is_of_kernel = number(6)? & PF_KTHREAD != 0;
        is_of_kernel.then(|| number(12)).flatten()
    };
    let all = fs::read_dir("/proc").expect("/proc is mounted").flatten();
    // One that has ended meanwhile has no file.
    let ticks: u64 = all.filter_map(|entry| time(fs::read_to_string(entry.path().join("stat")).ok()?)).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

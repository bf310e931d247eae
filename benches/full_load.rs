//! A recording of every CPU at full load into a trace.dat, by `tracec run -o` and by `trace-cmd record`, in one run: each
//! call of the load is in the file or counted as lost, and the CPU time of either beside that of the load.
//!
//! The load is this program with `--load`: a thread for each CPU that makes calls of write(2) for a minute, with some work
//! between them, as programs have. It counts its calls, which the kernel's filter knows by the names of the threads.
//!
//!     cargo bench --bench full_load
//!
//! Needs root, a mounted tracefs, and some gigabytes in the directory for temporary files. `TRACEC_LOAD_SECONDS` sets how
//! long each load lasts, `TRACEC_BIN` names another tracec. The exit status is 1 where a goal is missed, and with
//! `-- --all` also if trace-cmd was left out.

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

/// The greatest share of trace-cmd's CPU time.
const CPU: f64 = 0.8;

/// The variable that sets the length of a load, its default, and the variable that names the file of its result.
const SECONDS: &str = "TRACEC_LOAD_SECONDS";
const MINUTE: u64 = 60;
const RESULT: &str = "TRACEC_LOAD_RESULT";

/// Calls between two looks at the clock, and the work between two calls, in rounds.
const TURN: u64 = 1000;
const WORK: u64 = 300;

/// One recording.
struct Run {
    calls: u64,
    recorded: u64,
    lost: u64,
    /// That of the tracer alone.
    cpu: Duration,
    peak_kib: i64,
}

impl Run {
    fn share(&self) -> f64 {
        self.lost as f64 / self.calls as f64
    }

    fn show(&self, tool: &str, missed: &mut Vec<String>) {
        let Run { calls, recorded, lost, cpu, peak_kib } = self;
        println!(
            "{tool}: {calls} calls, {recorded} recorded, {lost} lost ({:.2} %), CPU time {:.2} s, {:.0} ns per call, peak \
             memory {:.1} MiB",
            self.share() * 100.0,
            cpu.as_secs_f64(),
            cpu.as_nanos() as f64 / *calls as f64,
            *peak_kib as f64 / 1024.0,
        );
        if recorded + lost != *calls {
            missed.push(format!("{tool}: {recorded} recorded and {lost} lost are not the {calls} calls"));
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
    let own = with_tracec(directory.path());
    own.show("tracec run -o", &mut missed);
    let peer = with_trace_cmd(directory.path());
    let is_left_out = peer.is_err();
    match peer {
        Err(reason) => println!("left out: trace-cmd, which cannot record here: {reason}"),
        Ok(peer) => {
            peer.show("trace-cmd record", &mut Vec::new());
            let ratio = own.cpu.as_secs_f64() / peer.cpu.as_secs_f64();
            println!("CPU time, tracec / trace-cmd: {ratio:.2}");
            if ratio > CPU {
                missed.push(format!("CPU time: {ratio:.2}, and the goal is {CPU}"));
            }
            if own.share() > peer.share() {
                missed.push("more is lost than by trace-cmd".to_owned());
            }
        }
    }
    missed.iter().for_each(|missed| println!("missed: {missed}"));
    let is_good = missed.is_empty() && !(all && is_left_out);
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Makes calls on all CPUs, and writes how many, and the CPU time that they took in nanoseconds.
fn load() -> ExitCode {
    let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()).unwrap_or(MINUTE);
    let end = Instant::now() + Duration::from_secs(seconds);
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

fn with_tracec(directory: &Path) -> Run {
    let tracec =
        std::env::var_os("TRACEC_BIN").map_or_else(|| env!("CARGO_BIN_EXE_tracec").into(), PathBuf::from);
    let output = directory.join("tracec.dat");
    let mut command = Command::new(tracec);
    command.args(["run", "-e", &format!("trace {EVENT} if current.comm == {NAME:?}"), "-o"]).arg(&output);
    command.arg("--");
    let (sample, said, (calls, of_load)) = recorded(command, directory);
    assert!(sample.success, "{said}");
    let recorded = records(&output);
    let before = |words: &str| -> Option<u64> {
        said.split(words).next()?.rsplit([' ', '\n']).next()?.replace(',', "").parse().ok()
    };
    let lost = if said.contains("nothing lost") { 0 } else { before(" records lost").expect("a summary") };
    fs::remove_file(&output).expect("the output");
    Run { calls, recorded, lost, cpu: sample.cpu.saturating_sub(of_load), peak_kib: sample.peak_kib }
}

fn with_trace_cmd(directory: &Path) -> Result<Run, String> {
    if Command::new("trace-cmd").arg("--version").output().is_err() {
        return Err("it is not installed".to_owned());
    }
    let output = directory.join("trace.dat");
    let mut command = Command::new("trace-cmd");
    command.current_dir(directory).args(["record", "-o"]).arg(&output);
    command.args(["-e", EVENT, "-f", &format!("COMM == {NAME:?}")]);
    let (sample, said, (calls, of_load)) = recorded(command, directory);
    if !sample.success {
        return Err(said.lines().last().unwrap_or("it says nothing").to_owned());
    }
    let recorded = records(&output);
    fs::remove_file(&output).map_err(|error| error.to_string())?;
    // Its statistics are made before the rings are read for the last time.
    let lost = calls.saturating_sub(recorded);
    Ok(Run { calls, recorded, lost, cpu: sample.cpu.saturating_sub(of_load), peak_kib: sample.peak_kib })
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

/// Runs the load as the command of a tracer. Returns its cost, what it said, and the calls and the CPU time of the load.
fn recorded(mut command: Command, directory: &Path) -> (Sample, String, (u64, Duration)) {
    let own = std::env::current_exe().expect("the path of this program");
    let (said, result) = (directory.join("said"), directory.join("result"));
    let file = File::create(&said).expect("a file in the directory of this run");
    let again = file.try_clone().expect("the same file");
    command.arg(own).arg("--load").env(RESULT, &result);
    let sample = process_to(&mut command, Stdio::from(file), Stdio::from(again));
    let said = fs::read_to_string(&said).expect("what the tracer says");
    let result =
        fs::read_to_string(&result).unwrap_or_else(|error| panic!("no load was run: {error}\n{said}"));
    let (calls, cpu) = result.trim().split_once(' ').expect("two numbers");
    let numbers = (calls.parse().expect("calls"), Duration::from_nanos(cpu.parse().expect("nanoseconds")));
    (sample, said, numbers)
}

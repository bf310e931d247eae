//! A fast load against the ring: the share of records that is lost with a ring of the kernel's default size, by tracec
//! and by trace-cmd in one run, with the CPU time of each. tracec also runs with a condition that the host decides, as
//! machine code and evaluated: it must not lose more than without.
//!
//! The load is this program with `--load`: 1.5 million calls of write(2), as fast as it can.
//!
//!     cargo bench --bench draining
//!     cargo xtask vm --kernel 6.12 --binary BENCH --binary TRACEC --binary /usr/bin/trace-cmd --shell-command '/bin/BENCH'
//!
//! Needs root and a mounted tracefs. Where trace-cmd is not installed or cannot record, that is printed, and the goal
//! is a share instead. `TRACEC_BIN` names another tracec. The exit status is 1 where a goal is missed.

#[expect(dead_code, reason = "this bench has no medians")]
mod measure;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use measure::{Sample, process_to};

/// The event that the load raises, and the number of its calls.
const EVENT: &str = "syscalls:sys_enter_write";
const CALLS: u64 = 1_500_000;
const RUNS: usize = 3;

/// The greatest share that may be lost where there is no peer.
const SHARE: f64 = 0.01;

/// What tracec is run with: the name of the row, the condition, and further options. The kernel's filter does not
/// compute, so that the host decides the condition; it keeps none.
const OWN: [(&str, &str, &[&str]); 3] = [
    ("tracec run", "", &[]),
    ("tracec run with a host condition", "if common_pid % 7 == 9", &[]),
    ("tracec run with a host condition --no-jit", "if common_pid % 7 == 9", &["--no-jit"]),
];

/// One recording.
struct Run {
    recorded: u64,
    /// Records that the host's conditions have dropped.
    dropped: u64,
    lost: u64,
    sample: Sample,
}

impl Run {
    /// Returns the number of events.
    fn events(&self) -> u64 {
        self.recorded + self.dropped + self.lost
    }

    fn share(&self) -> f64 {
        self.lost as f64 / self.events() as f64
    }
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--load") {
        return load();
    }
    let tracec =
        std::env::var_os("TRACEC_BIN").map_or_else(|| env!("CARGO_BIN_EXE_tracec").into(), PathBuf::from);
    let directory = std::env::temp_dir().join(format!("tracec-draining-{}", std::process::id()));
    fs::create_dir(&directory).expect("a new directory");
    let (mut own, mut peer) = (OWN.map(|_| Vec::new()), Vec::new());
    let mut refused = None;
    for _ in 0..RUNS {
        for (runs, (_, condition, options)) in own.iter_mut().zip(OWN) {
            runs.push(with_tracec(&tracec, &directory, condition, options));
        }
        match with_trace_cmd(&directory) {
            Ok(run) => peer.push(run),
            Err(reason) => refused = Some(reason),
        }
    }
    fs::remove_dir_all(&directory).expect("the directory of this run");
    let [of_own, of_code, _] = std::array::from_fn(|row| show(OWN[row].0, &own[row]));
    let reached = match refused {
        None => of_own <= show("trace-cmd record", &peer),
        Some(reason) => {
            println!("left out: trace-cmd, which cannot record here: {reason}");
            of_own < SHARE
        }
    };
    // Where nothing is lost, one page more or less says nothing.
    let reached = reached && (of_code <= of_own || of_code < SHARE);
    if reached { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes a byte to /dev/null again and again.
fn load() -> ExitCode {
    let mut null = File::options().write(true).open("/dev/null").expect("/dev/null");
    for _ in 0..CALLS {
        null.write_all(b"x").expect("/dev/null takes everything");
    }
    ExitCode::SUCCESS
}

/// Prints the runs of a tool, and returns the greatest share that was lost.
fn show(tool: &str, runs: &[Run]) -> f64 {
    for run in runs {
        println!(
            "{tool}: {} recorded, {} dropped, {} lost ({:.2} %), {:.2} s, CPU time {:.2} s with the load, {:.0} ns per \
             event, peak memory {:.1} MiB",
            run.recorded,
            run.dropped,
            run.lost,
            run.share() * 100.0,
            run.sample.wall.as_secs_f64(),
            run.sample.cpu.as_secs_f64(),
            run.sample.cpu.as_nanos() as f64 / run.events() as f64,
            run.sample.peak_kib as f64 / 1024.0,
        );
    }
    runs.iter().map(Run::share).fold(0.0, f64::max)
}

fn with_tracec(tracec: &Path, directory: &Path, condition: &str, options: &[&str]) -> Run {
    let (output, said) = (directory.join("tracec.txt"), directory.join("tracec.said"));
    let mut command = Command::new(tracec);
    let output_to = output.display().to_string();
    command.args(["run", "-e", &format!("trace {EVENT} {condition}; output {output_to:?};")]).args(options);
    let sample = recorded(&mut command, &said);
    let said = fs::read_to_string(&said).expect("what tracec says");
    assert!(sample.success, "{said}");
    let count = |before: &str| -> Option<u64> {
        let digits: String = said.split(before).next()?.rsplit(' ').next()?.replace(',', "");
        digits.parse().ok()
    };
    let recorded = count(" records").expect("a summary");
    let dropped = count(" records dropped").unwrap_or(0);
    let lost = if said.contains("nothing lost") { 0 } else { count(" records lost").expect("a summary") };
    fs::remove_file(&output).expect("the output");
    Run { recorded, dropped, lost, sample }
}

fn with_trace_cmd(directory: &Path) -> Result<Run, String> {
    let (output, said) = (directory.join("trace.dat"), directory.join("trace-cmd.said"));
    let mut command = Command::new("trace-cmd");
    command.current_dir(directory).args(["record", "-o"]).arg(&output).args(["-e", EVENT]);
    if Command::new("trace-cmd").arg("--version").output().is_err() {
        return Err("it is not installed".to_owned());
    }
    let sample = recorded(&mut command, &said);
    let said = fs::read_to_string(&said).map_err(|error| error.to_string())?;
    if !sample.success {
        return Err(said.lines().last().unwrap_or("it says nothing").to_owned());
    }
    let report = Command::new("trace-cmd").args(["report", "--stat", "-i"]).arg(&output).output();
    let stat = String::from_utf8_lossy(&report.map_err(|error| error.to_string())?.stdout).into_owned();
    let sum = |word: &str| -> u64 {
        let after = stat.lines().filter_map(|line| line.trim().strip_prefix(word));
        after.filter_map(|number| number.trim().parse::<u64>().ok()).sum()
    };
    fs::remove_file(&output).map_err(|error| error.to_string())?;
    // The statistics are made before the rings are read for the last time, which gives the rest of the entries.
    let recorded = sum("read events:") + sum("entries:");
    let lost = sum("overrun:") + sum("commit overrun:") + sum("dropped events:");
    Ok(Run { recorded, dropped: 0, lost, sample })
}

/// Runs the load as the command of a tracer, whose words go to a file.
fn recorded(command: &mut Command, said: &Path) -> Sample {
    let own = std::env::current_exe().expect("the path of this program");
    let file = File::create(said).expect("a file in the directory of this run");
    let again = file.try_clone().expect("the same file");
    if command.get_program() == "trace-cmd" {
        command.arg(own).arg("--load");
    } else {
        command.arg("--").arg(own).arg("--load");
    }
    process_to(command, Stdio::from(file), Stdio::from(again))
}

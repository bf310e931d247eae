//! A session of all events of sched and of all system calls, started and stopped: by `tracec start` and `tracec stop`, and
//! by `trace-cmd start` and `trace-cmd reset`, in alternating turns of one run.
//!
//! Both record into rings, and nothing is read from them. What either prints is left out of the time of neither.
//!
//!     cargo bench --bench start_and_stop
//!
//! Needs root and a mounted tracefs. `trace-cmd reset` resets the tracing of the whole machine; therefore it runs only with
//! `-- --peer`, in a virtual machine or where nobody else traces. In a machine of the tests:
//!
//!     cargo bench --no-run --bench start_and_stop    # prints the path of the program
//!     cargo xtask vm --kernel 6.12 --binary PROGRAM --binary target/release/tracec --binary /usr/bin/trace-cmd \
//!         --env TRACEC_BIN=/bin/tracec --shell-command '/bin/PROGRAM --peer'
//!
//! The exit status is 1 where the goal is missed, or the peer was asked for and cannot start here.

#[expect(dead_code, reason = "this bench keeps what its commands say")]
mod measure;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use measure::{median, process_to, report};

/// The turns of each.
const TURNS: usize = 11;

/// The greatest share of the time of trace-cmd.
const GOAL: f64 = 0.5;

/// The times of the turns of one tracer.
#[derive(Default)]
struct Turns {
    start: Vec<Duration>,
    stop: Vec<Duration>,
}

impl Turns {
    fn sums(&self) -> Vec<Duration> {
        self.start.iter().zip(&self.stop).map(|(start, stop)| *start + *stop).collect()
    }
}

fn main() -> ExitCode {
    let has_peer = std::env::args().any(|word| word == "--peer");
    let directory = tempfile::tempdir().expect("a directory");
    let (mut own, mut peer) = (Turns::default(), Turns::default());
    for _ in 0..TURNS {
        if let Err(reason) = tracec(directory.path(), &mut own) {
            println!("tracec: {reason}");
            return ExitCode::FAILURE;
        }
        if has_peer && let Err(reason) = trace_cmd(directory.path(), &mut peer) {
            println!("left out: trace-cmd, which cannot start here: {reason}");
            return ExitCode::FAILURE;
        }
    }
    if !has_peer {
        let milliseconds = |turns: &[Duration]| median(turns.to_vec()).as_secs_f64() * 1e3;
        println!("tracec: start {:.1} ms, stop {:.1} ms", milliseconds(&own.start), milliseconds(&own.stop));
        println!("left out: trace-cmd, which resets the tracing of the whole machine: ask with `--peer`");
        return ExitCode::SUCCESS;
    }
    report("start: tracec / trace-cmd", median(own.start.clone()), median(peer.start.clone()));
    report("stop: tracec / trace-cmd", median(own.stop.clone()), median(peer.stop.clone()));
    let ratio = report("start and stop: tracec / trace-cmd", median(own.sums()), median(peer.sums()));
    if ratio > GOAL {
        println!("missed: start and stop take {ratio:.2}, and the goal is {GOAL}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn tracec(directory: &Path, turns: &mut Turns) -> Result<(), String> {
    let tracec =
        std::env::var_os("TRACEC_BIN").map_or_else(|| env!("CARGO_BIN_EXE_tracec").into(), PathBuf::from);
    let text = format!(
        "ring; output \"{}\"; trace sched:*; trace syscalls:*;",
        directory.join("ring.dat").display()
    );
    let runtime_dir = directory.join("sessions");
    let command = |word: &str| {
        let mut command = Command::new(&tracec);
        command.arg(word).arg("--runtime-dir").arg(&runtime_dir);
        command
    };
    turns.start.push(timed(command("start").args(["--name", "bench", "-e", &text]), directory)?);
    turns.stop.push(timed(command("stop").arg("bench"), directory)?);
    Ok(())
}

fn trace_cmd(directory: &Path, turns: &mut Turns) -> Result<(), String> {
    if Command::new("trace-cmd").arg("--version").output().is_err() {
        return Err("it is not installed".to_owned());
    }
    let mut start = Command::new("trace-cmd");
    turns.start.push(timed(start.args(["start", "-e", "sched", "-e", "syscalls"]), directory)?);
    turns.stop.push(timed(Command::new("trace-cmd").arg("reset"), directory)?);
    Ok(())
}

/// Returns how long a command took, or the first line that it says where it fails.
fn timed(command: &mut Command, directory: &Path) -> Result<Duration, String> {
    let said = directory.join("said");
    let file = File::create(&said).expect("a file in the directory of this run");
    let sample = process_to(command, Stdio::null(), Stdio::from(file));
    if sample.success {
        return Ok(sample.wall);
    }
    let said = std::fs::read_to_string(&said).unwrap_or_default();
    Err(said.lines().find(|line| !line.is_empty()).unwrap_or("it says nothing").to_owned())
}

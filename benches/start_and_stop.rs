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

#[allow(dead_code, reason = "each bench uses its part of this module")]
mod measure;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

use measure::{median, report};

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
        if has_peer && let Err(reason) = trace_cmd(&mut peer) {
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
    turns.start.push(timed(command("start").args(["--name", "bench", "-e", &text]))?);
    turns.stop.push(timed(command("stop").arg("bench"))?);
    Ok(())
}

fn trace_cmd(turns: &mut Turns) -> Result<(), String> {
    turns.start.push(timed(Command::new("trace-cmd").args(["start", "-e", "sched", "-e", "syscalls"]))?);
    turns.stop.push(timed(Command::new("trace-cmd").arg("reset"))?);
    Ok(())
}

/// Returns how long a command took.
fn timed(command: &mut Command) -> Result<Duration, String> {
    let start = Instant::now();
    let output = command.output();
    let took = start.elapsed();
    match output {
        Ok(Output { status, .. }) if status.success() => Ok(took),
        Ok(Output { stderr, .. }) => {
            let said = String::from_utf8_lossy(&stderr);
            Err(said.lines().find(|line| !line.is_empty()).unwrap_or("it says nothing").to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

//! A fast load against the ring: the share of records that is lost with a ring of the kernel's default size, by tracec
//! and by trace-cmd in one run, with the CPU time of each. tracec also runs with conditions that the host decides, one
//! that keeps all records and one that keeps about half, each as machine code and evaluated: it must not lose more than
//! without.
//!
//! The load is this program with `--load`: 1.5 million calls of write(2), as fast as it can. Threads with successive ids
//! make them in turns, so that a condition on the id's last bit keeps about half.
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
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use measure::{Sample, process_to};

/// The event that the load raises, and the number of its calls.
const EVENT: &str = "syscalls:sys_enter_write";
const CALLS: u64 = 1_500_000;
const RUNS: usize = 3;

/// The greatest share that may be lost where there is no peer.
const SHARE: f64 = 0.01;

/// The threads of the load, and the calls that one makes before it is the next one's turn.
const THREADS: u64 = 8;
const TURN: u64 = 2500;

/// The least and the greatest share of the records that are decided which half of the threads may have: ids of other
/// programs' threads may lie between theirs.
const HALF: (f64, f64) = (0.25, 0.75);

/// What tracec is run with.
struct Own {
    name: &'static str,
    /// The kernel's filter does not compute, so that the host decides it.
    condition: &'static str,
    options: &'static [&'static str],
    /// What the host drops.
    drops: Drops,
}

/// The records that a condition drops.
#[derive(Clone, Copy)]
enum Drops {
    None,
    AboutHalf,
}

const fn own(
    name: &'static str,
    condition: &'static str,
    options: &'static [&'static str],
    drops: Drops,
) -> Own {
    Own { name, condition, options, drops }
}

/// The first one is what the others are compared with.
const OWN: [Own; 5] = [
    own("tracec run", "", &[], Drops::None),
    own("with a host condition that keeps all", ALL, &[], Drops::None),
    own("with a host condition that keeps all --no-jit", ALL, &["--no-jit"], Drops::None),
    own("with a host condition that keeps half", ODD, &[], Drops::AboutHalf),
    own("with a host condition that keeps half --no-jit", ODD, &["--no-jit"], Drops::AboutHalf),
];

const ALL: &str = "if common_pid % 7 >= 0";
const ODD: &str = "if common_pid % 2 == 1";

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

    fn nanoseconds(&self) -> f64 {
        self.sample.cpu.as_nanos() as f64 / self.events() as f64
    }

    /// Panics unless the counts are those of the load and a condition. Other programs may write too.
    fn check(&self, own: &Own) {
        let Run { recorded, dropped, .. } = *self;
        let (name, events) = (own.name, self.events());
        assert!(events >= CALLS, "{name}: {events} events of {CALLS} calls");
        let share = dropped as f64 / (recorded + dropped) as f64;
        match own.drops {
            Drops::None => assert_eq!(dropped, 0, "{name}: dropped"),
            Drops::AboutHalf => {
                assert!((HALF.0..=HALF.1).contains(&share), "{name}: {dropped} dropped of {events}");
            }
        }
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
    let (mut own, mut peer) = ([const { Vec::new() }; OWN.len()], Vec::new());
    let mut refused = None;
    for _ in 0..RUNS {
        for (runs, tool) in own.iter_mut().zip(&OWN) {
            let run = with_tracec(&tracec, &directory, tool);
            run.check(tool);
            runs.push(run);
        }
        match with_trace_cmd(&directory) {
            Ok(run) => peer.push(run),
            Err(reason) => refused = Some(reason),
        }
    }
    fs::remove_dir_all(&directory).expect("the directory of this run");
    let shares: Vec<f64> = OWN.iter().zip(&own).map(|(tool, runs)| show(tool.name, runs)).collect();
    let of_own = shares[0];
    let mut missed = Vec::new();
    match refused {
        None if of_own > show("trace-cmd record", &peer) => {
            missed.push("more is lost than by trace-cmd".to_owned())
        }
        None => {}
        Some(reason) => {
            println!("left out: trace-cmd, which cannot record here: {reason}");
            if of_own >= SHARE {
                missed.push(format!("{:.2} % is lost", of_own * 100.0));
            }
        }
    }
    for (tool, share) in OWN.iter().zip(shares) {
        if share > of_own {
            missed.push(format!("more is lost {} than without one: {:.2} %", tool.name, share * 100.0));
        }
    }
    missed.iter().for_each(|missed| println!("MISSED: {missed}"));
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes a byte to /dev/null again and again, in threads that take turns.
fn load() -> ExitCode {
    let (start, first) = channel();
    let mut receiver = Some(first);
    let mut threads = Vec::new();
    for thread in 0..THREADS {
        // The last one gives the turn to the first.
        let (next, turn) = match thread + 1 {
            THREADS => (start.clone(), None),
            _ => {
                let (next, turn) = channel();
                (next, Some(turn))
            }
        };
        let own = std::mem::replace(&mut receiver, turn).expect("one for each thread");
        threads.push(thread::spawn(move || write_in_turns(&own, &next)));
    }
    start.send(CALLS / TURN).expect("the first thread waits");
    threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
    ExitCode::SUCCESS
}

/// Makes calls whenever it is the turn of this thread, and gives the number of turns that are left to the next thread.
fn write_in_turns(own: &Receiver<u64>, next: &Sender<u64>) {
    let mut null = File::options().write(true).open("/dev/null").expect("/dev/null");
    while let Ok(left) = own.recv() {
        let is_last = left == 0;
        if !is_last {
            (0..TURN).for_each(|_| null.write_all(b"x").expect("/dev/null takes everything"));
        }
        // The first to learn that none is left may have ended.
        let _ = next.send(left.saturating_sub(1));
        if is_last {
            return;
        }
    }
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
            run.nanoseconds(),
            run.sample.peak_kib as f64 / 1024.0,
        );
    }
    runs.iter().map(Run::share).fold(0.0, f64::max)
}

fn with_tracec(tracec: &Path, directory: &Path, own: &Own) -> Run {
    let Own { condition, options, .. } = *own;
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

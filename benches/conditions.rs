//! Conditions on raw records, in one run: records per second of the evaluator and of `tep_filter_match` of
//! libtraceevent, on the same records of `sched:sched_switch`.
//!
//!     cargo bench --bench conditions
//!     TRACEC_BENCH_TRACE=FILE cargo bench --bench conditions
//!
//! `TRACEC_BENCH_TRACE` names a trace.dat; without it a small one of the project is used, whose records stay in the
//! processor's first cache. Each condition is written twice, in the language and for libtraceevent. First every
//! decision on every record is compared; then both sides process the same bytes in memory in turns, and the medians of
//! the rounds are printed, with the half of the rounds around them as the spread. `tree` is the evaluator that walks
//! the condition, `ready` the one of compiled conditions, which `tracec run` uses; the ratio is of that.
//!
//! Where libtraceevent gives a text another meaning, the condition that it computes is also written in the language and
//! has to give the same decisions, so that every difference is explained.
//!
//! The peer is a C program that is compiled at run time: it needs `cc` and libtraceevent-dev, and a trace.dat of
//! version 7 needs trace-cmd; `cargo xtask setup` installs them. A part whose tool is missing is skipped with a printed
//! reason. The exit status is 1 if the sides decide differently, and with `-- --all` also if something was skipped.

mod conditions_peer;
mod language;
#[expect(dead_code, reason = "the records are those of a recording")]
mod recording;

use std::hint::black_box;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use conditions_peer::{Decision, Peer};
use language::Language;
use recording::Records;
use rustix::time::{ClockId, clock_gettime};
use tracec_kernel::condition::context::NoContext;
use tracec_kernel::condition::eval::{Predicate, eval};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::record::Record;

/// Conditions that both sides can express, each in the language and for libtraceevent. Its patterns are regular
/// expressions that ignore case, so these match texts that occur in one case only.
const CONDITIONS: &[(&str, &str)] = &[
    ("next_pid > 1000", "next_pid > 1000"),
    ("!(prev_prio == 120)", "!(prev_prio == 120)"),
    ("next_prio in {100..=119}", "next_prio >= 100 && next_prio <= 119"),
    ("prev_state in {1, 2, 128}", "prev_state == 1 || prev_state == 2 || prev_state == 128"),
    ("next_comm == \"busy\"", "next_comm == \"busy\""),
    ("prev_comm != \"dpkg\"", "prev_comm != \"dpkg\""),
    ("next_comm ~ \"kworker/*\"", "next_comm =~ \"^kworker/\""),
    ("prev_comm ~ \"*pkg*\"", "prev_comm =~ \"pkg\""),
    ("prev_state & 3", "prev_state & 3"),
    (
        "next_pid != 0 && !(next_comm ~ \"dpkg*\") && (prev_state & 1 || prev_comm == \"busy\")",
        "next_pid != 0 && !(next_comm =~ \"^dpkg\") && ((prev_state & 1) || prev_comm == \"busy\")",
    ),
];

/// Texts to which libtraceevent gives another meaning: the condition, its text, the condition that libtraceevent
/// computes, and why. The functions are those of its src/parse-filter.c.
const DIFFERENCES: &[(&str, &str, &str, &str)] = &[
    (
        "prev_comm ~ \"dpkg*\"",
        "prev_comm ~ \"dpkg*\"",
        "prev_pid == 0 && prev_pid == 1",
        "its `~` is an operator of arithmetic, and a string is not a number for it (process_op, get_arg_value)",
    ),
    (
        "prev_comm ~ \"DPKG*\"",
        "prev_comm =~ \"^DPKG\"",
        "prev_comm ~ \"[Dd][Pp][Kk][Gg]*\"",
        "its patterns ignore case (REG_ICASE in add_right)",
    ),
    (
        "prev_state == 1 || prev_state == 2 && next_pid == 0",
        "prev_state == 1 || prev_state == 2 && next_pid == 0",
        "(prev_state == 1 || prev_state == 2) && next_pid == 0",
        "its `&&` binds no closer than its `||`",
    ),
];

/// Turns of each side.
const ROUNDS: usize = 25;

/// The least number of records in a turn; a small recording is read several times.
const RECORDS_PER_ROUND: usize = 90_000;

fn main() -> ExitCode {
    let all = std::env::args().any(|argument| argument == "--all");
    let scratch = tempfile::tempdir().expect("a directory for files");
    match run(scratch.path()) {
        Ok(Verdict::Agree) => ExitCode::SUCCESS,
        Ok(Verdict::LeftOut(why)) => {
            println!("left out: {why}");
            if all { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Ok(Verdict::Differ(conditions)) => {
            println!("DIFFERENT: {conditions} conditions are decided in two ways");
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The result of the comparison.
enum Verdict {
    Agree,
    /// The number of conditions that are decided differently.
    Differ(usize),
    LeftOut(String),
}

/// The cost of one turn.
#[derive(Clone, Copy)]
struct Measured {
    /// Records kept in all passes.
    kept: usize,
    wall: Duration,
    cpu: Duration,
}

fn run(scratch: &Path) -> io::Result<Verdict> {
    let (file, name) = match recording::find(scratch)? {
        Ok(found) => found,
        Err(why) => return Ok(Verdict::LeftOut(why)),
    };
    let records = Records::read(&file)?;
    let mut peer = match Peer::start(scratch, &records)? {
        Ok(peer) => peer,
        Err(why) => return Ok(Verdict::LeftOut(why)),
    };
    let language = Language::new(scratch, &records)?;
    println!("recording: {name}");
    println!(
        "{} records of sched:sched_switch, {} KiB; peer: {}; {ROUNDS} rounds of {} passes in turns",
        records.len(),
        records.bytes().len() / 1024,
        peer.made_of,
        passes(&records)
    );
    let mut differ = 0;
    heading();
    for (text, filter) in CONDITIONS {
        let condition = language.condition(text)?;
        peer.filter(filter)?;
        if agree(text, &decisions(&records, &condition)?, &peer.decide()?) {
            compare(text, &condition, &records, &mut peer)?;
        } else {
            differ += 1;
        }
    }
    println!("\nlibtraceevent means something else, not timed:");
    for (text, filter, meant, why) in DIFFERENCES {
        let (asked, meant) = (language.condition(text)?, language.condition(meant)?);
        peer.filter(filter)?;
        let theirs = peer.decide()?;
        let kept = decisions(&records, &asked)?.iter().filter(|kept| **kept).count();
        let kept_there = theirs.iter().filter(|decision| **decision == Decision::Kept).count();
        println!("{text}: {kept} kept; libtraceevent, `{filter}`: {kept_there}; {why}");
        differ += usize::from(!agree(text, &decisions(&records, &meant)?, &theirs));
    }
    Ok(if differ == 0 { Verdict::Agree } else { Verdict::Differ(differ) })
}

/// Returns how many passes over the records a turn makes.
fn passes(records: &Records) -> usize {
    RECORDS_PER_ROUND.div_ceil(records.len())
}

/// Returns the decision of the evaluators on each record; they have to agree.
fn decisions(records: &Records, condition: &Condition) -> io::Result<Vec<bool>> {
    let predicate = Predicate::new(condition, &records.format);
    let decide = |bytes: &[u8]| {
        let record = records.decoder.record(bytes).map_err(io::Error::other)?;
        let holds = predicate.holds(&record, &NoContext);
        if holds != eval(condition, &record, &NoContext) {
            return Err(io::Error::other(format!("`{condition}`: made ready, it is {holds}: {bytes:?}")));
        }
        Ok(holds)
    };
    records.iter().map(decide).collect()
}

/// Returns whether both sides keep the same records; prints the differences.
fn agree(condition: &str, own: &[bool], theirs: &[Decision]) -> bool {
    let kept = |decision: &Decision| *decision == Decision::Kept;
    let difference = own.iter().zip(theirs).position(|(own, theirs)| *own != kept(theirs));
    if own.len() == theirs.len() && difference.is_none() {
        return true;
    }
    println!(
        "DIFFERENT: {condition}: {} of {} kept, libtraceevent {} of {}; first at record {difference:?}",
        own.iter().filter(|own| **own).count(),
        own.len(),
        theirs.iter().filter(|theirs| kept(theirs)).count(),
        theirs.len(),
    );
    false
}

fn heading() {
    println!(
        "\n{:<86} {:>6} {:>13} {:>13} {:>13} {:>6} {:>14} {:>6}",
        "", "", "tree", "ready", "tep", "ready", "CPU, ns each", "ready"
    );
    println!(
        "{:<86} {:>6} {:>13} {:>13} {:>13} {:>6} {:>14} {:>6}",
        "condition", "kept", "M/s", "M/s", "M/s", "/ tep", "ready    tep", "/ tep"
    );
}

/// Times a condition on both sides, and prints a line.
fn compare(text: &str, condition: &Condition, records: &Records, peer: &mut Peer) -> io::Result<()> {
    let predicate = Predicate::new(condition, &records.format);
    let (mut tree, mut ready, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        tree.push(round(records, |record| eval(condition, record, &NoContext)));
        ready.push(round(records, |record| predicate.holds(record, &NoContext)));
        theirs.push(peer.round()?);
    }
    let kept = ready[0].kept;
    if let Some(other) = [&tree, &ready, &theirs].into_iter().flatten().find(|other| other.kept != kept) {
        return Err(io::Error::other(format!("{text}: {kept} kept, and {} in another round", other.kept)));
    }
    let count = records.len() * passes(records);
    let (tree, ready, theirs) = (Rate::of(&tree, count), Rate::of(&ready, count), Rate::of(&theirs, count));
    println!(
        "{text:<86} {:>6} {tree:>13} {ready:>13} {theirs:>13} {:>6.2} {:>14} {:>6.2}",
        kept / passes(records),
        ready.per_second / theirs.per_second,
        format!("{:.1}  {:>5.1}", ready.cpu_each, theirs.cpu_each),
        theirs.cpu_each / ready.cpu_each,
    );
    Ok(())
}

/// Reads all records: joins each with its layout, as libtraceevent does too, and decides it.
fn round(records: &Records, holds: impl Fn(&Record<'_>) -> bool) -> Measured {
    let (cpu, start) = (cpu_time(), Instant::now());
    let mut kept = 0;
    for _ in 0..passes(records) {
        let asked = |bytes: &&[u8]| records.decoder.record(bytes).is_ok_and(|record| holds(&record));
        kept += black_box(records.iter().filter(asked).count());
    }
    let wall = start.elapsed();
    Measured { kept, wall, cpu: cpu_time() - cpu }
}

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// The rate of one side over all rounds.
struct Rate {
    /// Millions of records, by the clock; the median.
    per_second: f64,
    /// The width of the half of the rounds around the median, relative to it.
    spread: f64,
    /// Nanoseconds of CPU time for a record; the median.
    cpu_each: f64,
}

impl Rate {
    fn of(rounds: &[Measured], records: usize) -> Rate {
        // Nanoseconds for a record, ascending.
        let sorted = |time: fn(&Measured) -> Duration| {
            let each = |round| time(round).as_secs_f64() * 1e9 / records as f64;
            let mut each: Vec<f64> = rounds.iter().map(each).collect();
            each.sort_by(f64::total_cmp);
            each
        };
        let (wall, cpu) = (sorted(|round| round.wall), sorted(|round| round.cpu));
        let half = rounds.len() / 2;
        Rate {
            per_second: 1e3 / wall[half],
            spread: (wall[half + half / 2] - wall[half - half / 2]) / wall[half],
            cpu_each: cpu[half],
        }
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{:.1} ±{:>2.0} %", self.per_second, self.spread * 50.0))
    }
}

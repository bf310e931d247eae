//! The language server as an editor meets it: `tracec lsp` on texts of 5,000 lines, with a whole kernel.
//!
//! - From the start of the process to the first diagnostics.
//! - From an edit to the diagnostics of its version, one edit at a time: a digit or a letter in the middle of a condition,
//!   which is deleted again. With each edit, hints and a hover are asked for, as editors do.
//! - From each letter of what is typed, a clause and a constant with a session, to the diagnostics of its version: most of
//!   these texts have a mistake, and some of them an open bracket.
//! - From an edit with a request to the completion.
//! - From the last of many edits, one every 3 ms, to its diagnostics; no diagnostics of an older version come after them.
//! - The memory of the process at its end.
//! - The colours of a text and the words of a clause in it, beside those of eight times the text; and a condition on
//!   hundreds of events beside one on two.
//! - Beside it, `bpftrace -d` once per edit, as a language server that runs it has to.
//!
//!     cargo bench --bench editor
//!
//! The goals apply to sessions as they are written: one of clauses without conditions, 312 of 16 lines, as many that include
//! another and have mistakes, one of conditions alone, each event of the kernel with a condition, and sessions of one line. Texts that are the most work for the server are measured with fewer
//! edits, and have no goals. Words on the command line choose the texts whose names have them.
//!
//! Times are wall times, which include the pipes and the JSON on both sides. `TRACEC_BENCH_KERNEL` names another kernel
//! than 6.12. A part that cannot be measured is skipped with a printed reason. The exit status is 1 where a goal is missed,
//! and with `-- --all` also where a part was skipped. A process that writes nothing for a minute ends the measurement.

#[expect(dead_code, reason = "other benchmarks use the rest")]
mod generate;
#[expect(dead_code, reason = "tests use the rest")]
mod server;

use std::io::{Error, Read, Result};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use generate::editor::EditedText;
use serde_json::json;
use server::{Patient, Server};

const STARTS: usize = 21;
const EDITS: usize = 400;
const COMPLETIONS: usize = 150;
const BURSTS: usize = 20;
/// A text without goals is edited fewer times, by this factor.
const FEWER: usize = 10;
const EDITS_OF_BURST: usize = 50;
const BETWEEN: Duration = Duration::from_millis(3);

/// The goals.
const START_MS: f64 = 150.0;
const DIAGNOSTICS_MS: f64 = 20.0;
const COMPLETION_MS: f64 = 15.0;
const BURST_MS: f64 = 50.0;
const MEMORY_MIB: f64 = 60.0;
/// How many times as long an answer about eight times the text may take: with a look at all of it for each part, it would be
/// 64 times.
const GROWTH: f64 = 24.0;
/// The sessions of the shorter text.
const SESSIONS: usize = 4000;

/// What is typed behind a clause, and before all of a text.
const TYPED_BEHIND: &str =
    "\n    trace sched:sched_waking if (pid > 1000 || prio in {1, 2}) && comm == \"bash\";";
const TYPED_BEFORE: &str = "const TYPED: u32 = 100;\nsession typed {\n    clock mono;\n}";
const TYPED_TIMES: usize = 3;

/// A set of few events.
const FEW_EVENTS: &str = "{sched:sched_switch, sched:sched_waking}";

fn main() -> ExitCode {
    match measured() {
        Ok(missed) if missed.is_empty() => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("missed: {}", missed.join("; "));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measured() -> Result<Vec<String>> {
    let mut goals = Goals { missed: Vec::new(), text: None };
    let kernel = std::env::var("TRACEC_BENCH_KERNEL").unwrap_or_else(|_| "6.12".to_owned());
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for edited in generate::editor::texts(&events(&kernel)?) {
        if words.is_empty() || words.iter().any(|word| edited.name.contains(word.as_str())) {
            text(&kernel, &edited, &mut goals)?;
        }
    }
    goals.text = Some("all texts");

    let (short, long) = (colours(&kernel, SESSIONS)?, colours(&kernel, 8 * SESSIONS)?);
    goals.growth("colours of eight times the text", short, long);
    let (short, long) = (clause(&kernel, SESSIONS)?, clause(&kernel, 8 * SESSIONS)?);
    goals.growth("completion of a clause beside eight times the sessions", short, long);
    let (few, many) = (condition(&kernel, FEW_EVENTS)?, condition(&kernel, "syscalls:*")?);
    goals.growth("completion of a condition on all system calls, beside two events", few, many);

    let skipped = beside_bpftrace();
    if let (Some(why), true) = (skipped, std::env::args().any(|argument| argument == "--all")) {
        goals.missed.push(why);
    }
    Ok(goals.missed)
}

/// Returns the events of a kernel, as clauses name them.
fn events(kernel: &str) -> Result<Vec<String>> {
    let mut list = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let listed = written(list.args(["list", "--kernel", kernel, "--kind", "events"]))?;
    let lines = String::from_utf8_lossy(&listed);
    let names = lines.lines().filter_map(|line| line.split_whitespace().next());
    Ok(names.filter(|name| name.contains(':')).map(str::to_owned).collect())
}

/// Runs a command, and returns what it writes. One that writes nothing for long is ended.
fn written(command: &mut Command) -> Result<Vec<u8>> {
    let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let pipe = process.stdout.take().ok_or_else(|| Error::other("no pipe"))?;
    let mut written = Vec::new();
    if let Err(why) = Patient(pipe).read_to_end(&mut written) {
        process.kill()?;
        process.wait()?;
        return Err(why);
    }
    match process.wait()? {
        status if status.success() => Ok(written),
        status => Err(Error::other(status.to_string())),
    }
}

/// Returns the place behind the number that ends the first condition in the second half of a text; the start of the line
/// in the middle, if no clause there has a condition.
fn place(text: &str) -> (usize, usize) {
    let middle = text.lines().count() / 2;
    let number = |line: &str| {
        let (start, _) = line.split_once(" if ")?;
        line.rfind(|letter: char| letter.is_ascii_digit()).filter(|at| *at > start.len()).map(|at| at + 1)
    };
    let behind = text.lines().enumerate().skip(middle);
    let mut numbers = behind.filter_map(|(at, line)| number(line).map(|column| (at, column)));
    numbers.next().unwrap_or((middle, 0))
}

/// Measures the server on one text.
fn text(kernel: &str, edited: &EditedText, goals: &mut Goals) -> Result<()> {
    let EditedText { name, text, has_goals } = edited;
    println!("{name}, {} lines:", text.lines().count());
    goals.text = has_goals.then_some(*name);
    let times_of = |times: usize| if *has_goals { times } else { times / FEWER };
    let mut starts = Vec::new();
    for _ in 0..times_of(STARTS) {
        let begin = Instant::now();
        let mut server = Server::start(kernel)?;
        server.open(text)?;
        server.diagnostics(0)?;
        starts.push(begin.elapsed());
        server.end()?;
    }
    goals.check("start to first diagnostics", &mut starts, 0.99, START_MS);

    let mut server = Server::start(kernel)?;
    server.open(text)?;
    server.diagnostics(0)?;
    let mut version = 0;
    let place = place(text);
    let (line, _) = place;
    let mut times = Vec::new();
    for edit in 0..times_of(EDITS) {
        version += 1;
        let begin = Instant::now();
        server.edit(version, place, edit % 2 == 1, if edit % 4 < 2 { "1" } else { "x" })?;
        server.ask_as_editors_do(line)?;
        server.diagnostics(version)?;
        times.push(begin.elapsed());
    }
    goals.check("edit to diagnostics", &mut times, 0.99, DIAGNOSTICS_MS);

    // A clause can stand behind one, and in the block of a session that is one line.
    let lines: Vec<&str> = text.lines().collect();
    let is_whole = lines[line].trim_end().ends_with('}');
    let column = if is_whole { lines[line].len() - 1 } else { lines[line].len() };
    let mut times = Vec::new();
    for _ in 0..times_of(TYPED_TIMES).max(1) {
        for (start, typed) in [((line, column), TYPED_BEHIND), ((0, 0), TYPED_BEFORE)] {
            if start == (0, 0) {
                // The line for it.
                version += 1;
                server.change(version, start, start, "\n")?;
                server.diagnostics(version)?;
            }
            let mut at = start;
            for letter in typed.chars() {
                version += 1;
                let begin = Instant::now();
                server.change(version, at, at, letter.encode_utf8(&mut [0; 4]))?;
                at = if letter == '\n' { (at.0 + 1, 0) } else { (at.0, at.1 + 1) };
                server.ask_as_editors_do(at.0)?;
                server.diagnostics(version)?;
                times.push(begin.elapsed());
            }
            let end = if start == (0, 0) { (at.0 + 1, 0) } else { at };
            version += 1;
            server.change(version, start, end, "")?;
            server.diagnostics(version)?;
        }
    }
    goals.check("typed letter to diagnostics", &mut times, 0.99, DIAGNOSTICS_MS);

    let mut times = Vec::new();
    for completion in 0..times_of(COMPLETIONS) {
        let typed =
            ["\n trace sched:sched_switch if ", "\n trace sched:sched_switch if prev_", "\n trace sched_s"];
        let typed = typed[completion % typed.len()];
        version += 1;
        let begin = Instant::now();
        server.change(version, (line, column), (line, column), typed)?;
        let found = server.completion(line + 1, typed.len() - 1)?;
        times.push(begin.elapsed());
        let items = found["items"].as_array().map_or(0, Vec::len);
        if items == 0 {
            return Err(Error::other(format!("`{typed}` has no completion")));
        }
        version += 1;
        server.change(version, (line, column), (line + 1, typed.len() - 1), "")?;
        server.diagnostics(version)?;
    }
    goals.check("edit to completion", &mut times, 0.99, COMPLETION_MS);

    let mut times = Vec::new();
    for _ in 0..times_of(BURSTS) {
        let mut begin = Instant::now();
        for edit in 0..EDITS_OF_BURST {
            server.read_for(BETWEEN)?;
            version += 1;
            begin = Instant::now();
            server.edit(version, place, edit % 2 == 1, "1")?;
            server.ask_as_editors_do(line)?;
        }
        server.diagnostics(version)?;
        times.push(begin.elapsed());
    }
    goals.check("last of many edits to its diagnostics", &mut times, 1.0, BURST_MS);

    let memory = server.memory()?;
    println!("    memory: {memory:.1} MiB (below {MEMORY_MIB})");
    goals.reach("memory", memory, MEMORY_MIB);
    server.end()
}

/// Returns the time to the colours of a text with some sessions: names are looked up for them.
fn colours(kernel: &str, sessions: usize) -> Result<Duration> {
    let one = |at| format!("session s{at} {{ trace sched:sched_switch if prev_prio > {at} && cpu == 1; }}\n");
    let text: String = (0..sessions).map(one).collect();
    answered(kernel, &text, |server| {
        let document = json!({ "textDocument": { "uri": server::URI } });
        let found = server.request("textDocument/semanticTokens/full", document)?;
        Ok(found["data"].as_array().is_some_and(|data| data.len() >= 5 * sessions))
    })
}

/// Returns the time to the completion of a clause behind some sessions: which of them include others is known for it.
fn clause(kernel: &str, sessions: usize) -> Result<Duration> {
    let one = |at| format!("session s{at} {{ trace sched:sched_switch; }}\n");
    let text: String = (0..sessions).map(one).collect();
    let last = "session a { inc";
    answered(kernel, &format!("{text}{last}"), |server| {
        let found = server.completion(sessions, last.len())?;
        Ok(found["items"].as_array().is_some_and(|items| items.iter().any(|item| item["label"] == "include")))
    })
}

/// Returns the time to the completion of a condition on the events of a set, which is tried on few of them.
fn condition(kernel: &str, set: &str) -> Result<Duration> {
    let text = format!("session a {{ trace {set} if ");
    answered(kernel, &format!("{text}\n}}\n"), |server| {
        let found = server.completion(0, text.len())?;
        let is_common = |item: &serde_json::Value| item["label"] == "common_pid";
        Ok(found["items"].as_array().is_some_and(|items| items.iter().any(is_common)))
    })
}

/// Returns the least time in which a new server answers about a text; an error if an answer is not as expected.
fn answered(kernel: &str, text: &str, ask: impl Fn(&mut Server) -> Result<bool>) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..3 {
        let mut server = Server::start(kernel)?;
        server.open(text)?;
        let begin = Instant::now();
        let is_expected = ask(&mut server)?;
        times.push(begin.elapsed());
        if !is_expected {
            return Err(Error::other("the answer about a text is not as expected"));
        }
        server.end()?;
    }
    times.into_iter().min().ok_or_else(|| Error::other("no time"))
}

/// The goals that were missed.
struct Goals {
    missed: Vec<String>,
    /// The text that is measured; `None` where it has no goals.
    text: Option<&'static str>,
}

impl Goals {
    /// Compares the times of a little and of much, eight times as much or more.
    fn growth(&mut self, what: &str, little: Duration, much: Duration) {
        let growth = much.as_secs_f64() / little.as_secs_f64();
        println!("{what}: {growth:.1} times as long (below {GROWTH})");
        self.reach(what, growth, GROWTH);
    }

    fn reach(&mut self, what: &str, found: f64, limit: f64) {
        if let Some(text) = self.text.filter(|_| found >= limit) {
            self.missed.push(format!("{text}, {what}: {found:.1}"));
        }
    }

    fn check(&mut self, what: &str, times: &mut [Duration], part: f64, limit: f64) {
        times.sort();
        let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize].as_secs_f64() * 1e3;
        println!(
            "    {what}, {} times: median {:.2} ms, p99 {:.2} ms, longest {:.2} ms (below {limit})",
            times.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        );
        self.reach(what, at(part), limit);
    }
}

/// Prints the time of one dry run of bpftrace, which has no goal. Returns why it cannot be measured.
fn beside_bpftrace() -> Option<String> {
    let run = || {
        let begin = Instant::now();
        let program = "tracepoint:sched:sched_switch { @ = count(); }";
        let mut done = Command::new("bpftrace");
        written(done.args(["-d", "-e", program]).stderr(Stdio::null())).ok().map(|_| begin.elapsed())
    };
    let mut times: Vec<Duration> = std::iter::from_fn(run).take(11).collect();
    times.sort();
    match times.get(times.len() / 2) {
        Some(median) => {
            println!("bpftrace -d of one clause, per edit: median {:.1} ms", median.as_secs_f64() * 1e3);
            None
        }
        None => {
            let why = "bpftrace -d: not installed, or it cannot read the kernel".to_owned();
            println!("skipped: {why}");
            Some(why)
        }
    }
}

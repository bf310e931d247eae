//! The language server as an editor meets it: `tracec lsp` on 5,000 lines, with a whole kernel.
//!
//! - From the start of the process to the first diagnostics.
//! - From an edit to the diagnostics of its version, one edit at a time. With each edit, hints and a hover are asked for, as
//!   editors do.
//! - From an edit with a request to the completion.
//! - From the last of many edits, one every 3 ms, to its diagnostics; no diagnostics of an older version come after them.
//! - The memory of the process at its end.
//! - The colours of a text, beside those of eight times the text.
//! - Beside it, `bpftrace -d` once per edit, as a language server that runs it has to.
//!
//!     cargo bench --bench editor
//!
//! Times are wall times, which include the pipes and the JSON on both sides. `TRACEC_BENCH_KERNEL` names another kernel
//! than 6.12. A part that cannot be measured is skipped with a printed reason. The exit status is 1 where a goal is missed,
//! and with `-- --all` also where a part was skipped.

#[expect(dead_code, reason = "other benchmarks use the rest")]
mod generate;
#[expect(dead_code, reason = "tests use the rest")]
mod server;

use std::io::{Error, Result};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use server::Server;

const LINES: usize = 5000;
const STARTS: usize = 21;
const EDITS: usize = 1000;
const COMPLETIONS: usize = 300;
const BURSTS: usize = 20;
const EDITS_OF_BURST: usize = 50;
const BETWEEN: Duration = Duration::from_millis(3);

/// The goals.
const START_MS: f64 = 150.0;
const DIAGNOSTICS_MS: f64 = 20.0;
const COMPLETION_MS: f64 = 15.0;
const BURST_MS: f64 = 50.0;
const MEMORY_MIB: f64 = 60.0;
/// How many times as long the colours of eight times the text may take: with a look at all of it for each name, it would be
/// 64 times.
const GROWTH: f64 = 24.0;
/// The sessions of the shorter text.
const SESSIONS: usize = 4000;

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
    let mut goals = Goals(Vec::new());
    let kernel = std::env::var("TRACEC_BENCH_KERNEL").unwrap_or_else(|_| "6.12".to_owned());
    let text = generate::one_session(LINES);
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let begin = Instant::now();
        let mut server = Server::start(&kernel)?;
        server.open(&text)?;
        server.diagnostics(0)?;
        starts.push(begin.elapsed());
        server.end()?;
    }
    goals.check("start to first diagnostics", &mut starts, 0.99, START_MS);

    let mut server = Server::start(&kernel)?;
    server.open(&text)?;
    server.diagnostics(0)?;
    let mut version = 0;
    let line = LINES / 2;
    let mut times = Vec::new();
    for edit in 0..EDITS {
        version += 1;
        // A letter is typed and deleted in turn, in a comment of its own line or in a condition.
        let begin = Instant::now();
        server.edit(version, line, edit % 2 == 1, if edit % 4 < 2 { "/" } else { "x" })?;
        server.ask_as_editors_do(line)?;
        server.diagnostics(version)?;
        times.push(begin.elapsed());
    }
    goals.check("edit to diagnostics", &mut times, 0.99, DIAGNOSTICS_MS);

    let mut times = Vec::new();
    for completion in 0..COMPLETIONS {
        version += 1;
        let typed =
            ["\n trace sched:sched_switch if ", "\n trace sched:sched_switch if prev_", "\n trace sched_s"];
        let typed = typed[completion % typed.len()];
        let begin = Instant::now();
        server.insert(version, line, typed)?;
        let found = server.completion(line + 1, typed.len() - 1)?;
        times.push(begin.elapsed());
        let items = found["items"].as_array().map_or(0, Vec::len);
        if items == 0 {
            return Err(Error::other(format!("`{typed}` has no completion")));
        }
        version += 1;
        server.remove_line(version, line)?;
        server.diagnostics(version)?;
    }
    goals.check("edit to completion", &mut times, 0.99, COMPLETION_MS);

    let mut times = Vec::new();
    for _ in 0..BURSTS {
        for edit in 0..EDITS_OF_BURST {
            version += 1;
            server.edit(version, line, edit % 2 == 1, "/")?;
            server.ask_as_editors_do(line)?;
            std::thread::sleep(BETWEEN);
        }
        let begin = Instant::now();
        server.diagnostics(version)?;
        times.push(begin.elapsed());
    }
    goals.check("last of many edits to its diagnostics", &mut times, 1.0, BURST_MS);

    let memory = server.memory()?;
    println!("memory: {memory:.1} MiB (below {MEMORY_MIB})");
    goals.reach("memory", memory, MEMORY_MIB);
    server.end()?;

    let (short, long) = (colours(&kernel, SESSIONS)?, colours(&kernel, 8 * SESSIONS)?);
    let growth = long.as_secs_f64() / short.as_secs_f64();
    println!("colours of eight times the text: {growth:.1} times as long (below {GROWTH})");
    goals.reach("growth of the colours", growth, GROWTH);

    let skipped = beside_bpftrace();
    if let (Some(why), true) = (skipped, std::env::args().any(|argument| argument == "--all")) {
        goals.0.push(why);
    }
    Ok(goals.0)
}

/// Returns the time to the colours of a text with some sessions: names are looked up for them.
fn colours(kernel: &str, sessions: usize) -> Result<Duration> {
    let one = |at| format!("session s{at} {{ trace sched:sched_switch if prev_prio > {at} && cpu == 1; }}\n");
    let text: String = (0..sessions).map(one).collect();
    let mut times = Vec::new();
    for _ in 0..3 {
        let mut server = Server::start(kernel)?;
        server.open(&text)?;
        let begin = Instant::now();
        let document = json!({ "textDocument": { "uri": server::URI } });
        let found = server.request("textDocument/semanticTokens/full", document)?;
        times.push(begin.elapsed());
        if found["data"].as_array().is_none_or(|data| data.len() < 5 * sessions) {
            return Err(Error::other("a text of sessions has few colours"));
        }
        server.end()?;
    }
    times.into_iter().min().ok_or_else(|| Error::other("no time"))
}

/// The goals that were missed.
struct Goals(Vec<String>);

impl Goals {
    fn reach(&mut self, what: &str, found: f64, limit: f64) {
        if found >= limit {
            self.0.push(format!("{what}: {found:.1}"));
        }
    }

    fn check(&mut self, what: &str, times: &mut [Duration], part: f64, limit: f64) {
        times.sort();
        let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize].as_secs_f64() * 1e3;
        println!(
            "{what}, {} times: median {:.2} ms, p99 {:.2} ms, longest {:.2} ms (below {limit})",
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
        let done = done.args(["-d", "-e", program]).stdout(Stdio::null()).stderr(Stdio::null());
        done.status().ok().filter(std::process::ExitStatus::success).map(|_| begin.elapsed())
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

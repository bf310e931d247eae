//! The runs of the peers, in a virtual machine: bpftrace in its dry run, trace-cmd in an instance that is removed
//! again.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use libtest_mimic::{Failed, Trial};

use crate::mistake::Mistake;
use crate::recorded::{self, Left, MARK, Outcome, Record, Tool, VERSIONS};
use crate::table;

/// The machine's tracefs.
const TRACEFS: &str = "/sys/kernel/tracing";

/// The instance that trace-cmd gets.
const INSTANCE: &str = "newcomer";

/// There is one instance, so that only one trace-cmd runs at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Returns one test for each run that the table asks for.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("the peers have the versions that the page names", versions)];
    for mistake in table::all() {
        for tool in recorded::tools(mistake) {
            let name = format!("{tool:?}: {}", mistake.name);
            trials.push(Trial::test(name, move || does_as_recorded(mistake, tool)));
        }
    }
    trials
}

fn versions() -> Result<(), Failed> {
    let bpftrace = run(Command::new("bpftrace").arg("--version"))?.stdout;
    let trace_cmd = run(Command::new("trace-cmd").arg("--version"))?.stdout;
    let kernel = std::fs::read("/proc/sys/kernel/osrelease")?;
    let names = ["bpftrace v", "trace-cmd version ", ""];
    for ((name, version), found) in names.into_iter().zip(VERSIONS).zip([bpftrace, trace_cmd, kernel]) {
        let found = String::from_utf8(found)?;
        let rest = found.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(version));
        if rest.is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            return Err(format!("{found:?} is not {name}{version}").into());
        }
    }
    Ok(())
}

/// Runs a peer, prints its outcome as a line to be recorded, and compares it with the record.
fn does_as_recorded(mistake: &'static Mistake, tool: Tool) -> Result<(), Failed> {
    let outcome = match tool {
        Tool::Bpftrace => bpftrace(mistake.bpftrace.words().unwrap_or_default())?,
        Tool::TraceCmd => trace_cmd(mistake.trace_cmd.words().unwrap_or_default())?,
    };
    let record = Record { mistake: mistake.name.to_owned(), tool, outcome };
    println!("{MARK}{}", serde_json::to_string(&record)?);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return Ok(());
    }
    let before = recorded::outcomes()?.remove(&(record.mistake, tool));
    match before == Some(record.outcome) {
        true => Ok(()),
        false => Err(format!("recorded is {before:#?}").into()),
    }
}

fn bpftrace(program: &str) -> Result<Outcome, Failed> {
    let output = run(Command::new("bpftrace").args(["-d", "-e", program]))?;
    // Standard output has the program's tree and code.
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(Outcome { status: status(&output), message, left: None })
}

fn trace_cmd(arguments: &[&str]) -> Result<Outcome, Failed> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let output = run(Command::new("trace-cmd").args(["start", "-B", INSTANCE]).args(arguments))?;
    let instance = Path::new(TRACEFS).join("instances").join(INSTANCE);
    let left = if instance.exists() { Some(left(&instance)?) } else { None };
    if left.is_some() {
        std::fs::remove_dir(&instance)?;
    }
    let printed = [output.stdout.as_slice(), &output.stderr].concat();
    Ok(Outcome { status: status(&output), message: message(&String::from_utf8_lossy(&printed)), left })
}

fn run(command: &mut Command) -> Result<Output, Failed> {
    let output = command.stdin(Stdio::null()).env("LC_ALL", "C.UTF-8").output();
    output.map_err(|error| format!("{command:?}: {error}").into())
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// Returns the part that is the same on every run: trace-cmd prints the kernel's error log with its times, and tries
/// twice.
fn message(printed: &str) -> String {
    let lines: Vec<&str> = printed.trim().lines().map(without_time).collect();
    let (first, second) = lines.split_at(lines.len() / 2);
    if first == second { first.join("\n") } else { lines.join("\n") }
}

/// Returns `[   12.345678] text` without its time.
fn without_time(line: &str) -> &str {
    let in_brackets = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    in_brackets.filter(|(time, _)| time.trim().parse::<f64>().is_ok()).map_or(line, |(_, text)| text)
}

/// Looks at what trace-cmd has started.
fn left(instance: &Path) -> Result<Left, Failed> {
    let on = control_file(&instance.join("tracing_on"))?.trim() == "1";
    let enabled = control_file(&instance.join("set_event"))?;
    let mut left = Left { on, enabled: 0, filtered: 0, triggers: 0 };
    for event in enabled.lines() {
        let event: PathBuf = instance.join("events").join(event.replacen(':', "/", 1));
        let filter = control_file(&event.join("filter"))?;
        let triggers = control_file(&event.join("trigger"))?;
        left.enabled += 1;
        // A filter that was refused is there with a line below it that says why (kernel/trace/trace_events_filter.c).
        left.filtered += usize::from(filter.trim() != "none" && filter.trim().lines().count() == 1);
        left.triggers += triggers.lines().filter(|line| !line.starts_with('#')).count();
    }
    Ok(left)
}

/// Returns the text of a control file. A `filter` is given to the first read alone, however short that is
/// (event_filter_read in kernel/trace/trace_events.c), and `std::fs::read_to_string` begins with a short one.
fn control_file(path: &Path) -> Result<String, Failed> {
    let mut file = File::open(path)?;
    let (mut text, mut chunk) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(String::from_utf8(text)?),
            length => text.extend_from_slice(&chunk[..length]),
        }
    }
}

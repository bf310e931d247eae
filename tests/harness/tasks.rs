//! The examples of weekly tasks: each command in an example's header is run, and prints what the example shows.

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, Finished, TIMEOUT, finish};
use super::directives::matches;

/// An example below `examples/tasks/` that runs.
struct Task {
    name: &'static str,
    text: &'static str,
    /// Every record is like this: `*` stands for any text.
    every: &'static str,
    /// Some line is like this. The name of a task may be that before its exec: the kernel keeps names at switches.
    some: &'static str,
    /// How the summary ends.
    end: &'static str,
}

macro_rules! tasks {
    ($($name:literal: every $every:literal, some $some:literal, ended $end:literal;)*) => {
        &[$(Task {
            name: $name,
            text: include_str!(concat!("../../examples/tasks/", $name, ".trc")),
            every: $every,
            some: $some,
            end: $end,
        },)*]
    };
}

const TASKS: &[Task] = tasks! {
    "opens": every "* syscalls:sys_enter_openat: *", some "* syscalls:sys_enter_openat: * dfd=-100 *", ended "with its command";
    "failed_opens": every "* syscalls:sys_exit_openat: * ret=-*", some "* syscalls:sys_exit_openat: * ret=-2", ended "with its command";
    "killed": every "* signal_generate: sig=9 *", some "* signal_generate: sig=9 *", ended "with its command";
    "switches": every "* sched_switch: * next_prio=105", some "* next_prio=105", ended "with its command";
    "large_reads": every "* syscalls:sys_enter_read: *", some "* syscalls:sys_enter_read: * count=2097152", ended "with its command";
    "large_kmalloc": every "*", some "* => proc_sys_call_handler", ended "with its command";
    "one_cpu": every "* [000] * sched_switch: *", some "* [000] *", ended "with its command";
    "command_and_children": every "* sys_enter: NR *", some "* sys_enter: NR 257 (*", ended "with its command";
    "flight_recorder": every "*", some "* signal_generate: sig=9 * comm=sleep *", ended "by signal:signal_generate";
};

/// Returns one trial for each example.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let trial = |task: &'static Task| bench.trial(&format!("task: {}", task.name), |bench| run(bench, task));
    TASKS.iter().map(trial).collect()
}

/// Runs the commands of an example.
fn run(bench: &Bench, task: &Task) -> Result<(), Failed> {
    let commands = commands(task.text);
    if commands.len() != 2 {
        return Err(format!("a command with the file and one without it: {commands:?}").into());
    }
    let shown: Vec<&str> = shown(task.text).collect();
    let first = shown.first().ok_or("no output is shown")?;
    // Blanks in front are shortened in the header.
    let is_like = |pattern: &str, line: &str| matches(pattern, &format!("  {line}"));
    if !is_like(task.every, first) || !shown.iter().any(|line| is_like(task.some, line)) {
        return Err(format!("the output that is shown is not one of these records: {shown:?}").into());
    }
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("task.trc");
    std::fs::write(&file, task.text)?;
    for command in commands {
        let command = command
            .replace(
                "tracec run",
                &format!("'{}' run --tracefs '{}'", bench.tracec.display(), bench.tracefs.display()),
            )
            .replace(&format!("examples/tasks/{}.trc", task.name), &file.display().to_string());
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &command]);
        let finished = finish(shell, TIMEOUT)?;
        // The load may fail: one of them opens a file that does not exist.
        check(task, &finished).map_err(|why| format!("{command}: {why}\n{finished}"))?;
    }
    Ok(())
}

fn check(task: &Task, finished: &Finished) -> Result<(), String> {
    let end = format!("nothing lost, ended {}", task.end);
    if !finished.stderr.contains(&end) {
        return Err(format!("the summary has no {end:?}"));
    }
    // Records of events begin with the name of a task, those of the load with what it prints.
    let records = || finished.stdout.lines().filter(|line| line.starts_with(' '));
    if let Some(other) = records().find(|line| !matches(task.every, line)) {
        return Err(format!("{other:?} is not like {:?}", task.every));
    }
    match records().any(|line| matches(task.some, line)) {
        true => Ok(()),
        false => Err(format!("no line is like {:?}", task.some)),
    }
}

/// Returns the commands in the header of an example.
fn commands(text: &str) -> Vec<String> {
    let header = text.replace("\\\n//!", "");
    let lines = header.lines().filter_map(|line| line.strip_prefix("//!     tracec run "));
    lines.map(|line| format!("tracec run {line}")).collect()
}

/// Returns the lines of output in the header of an example.
fn shown(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.lines().skip_while(|line| *line != "//! prints");
    behind.filter_map(|line| line.strip_prefix("//!     "))
}

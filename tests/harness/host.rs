//! Conditions that the host decides, compared with a filter on the finished recording.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use super::bench::{Bench, TIMEOUT, finish};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("host conditions keep what filtering afterwards keeps", same_as_afterwards),
        bench.trial("the stack of an option goes with its record", stacks_of_an_option),
        bench.trial("the stack of a trigger stays without its record", stacks_of_a_trigger),
    ]
}

/// The signals that the load sends itself, in this order, each [`ROUNDS`] times.
const SIGNALS: [i64; 5] = [10, 12, 1, 15, 2];
const ROUNDS: usize = 20;

/// Returns a name for the load that no other task has: all tasks send signals.
fn name() -> String {
    format!("load-{}", std::process::id())
}

/// Returns a shell command that sends itself signals, under that name.
fn load() -> String {
    let signals = SIGNALS.map(|signal| signal.to_string()).join(" ");
    format!(
        "trap : {signals}; printf %s {} > /proc/$$/comm; i=0; \
         while [ $i -lt {ROUNDS} ]; do for s in {signals}; do kill -$s $$; done; i=$((i+1)); done",
        name()
    )
}

/// Returns an equivalent condition that is too long for the kernel's filter: the processes in it do not exist, and no
/// two of their numbers make a range.
fn too_long(condition: &str) -> String {
    let others: Vec<String> = (0..260).map(|n| format!("pid == {}", 10_000_000 + 2 * n)).collect();
    format!("({condition} || {})", others.join(" || "))
}

/// The compared fields of a record; the clocks of two instances differ.
type Key = (i64, i64, i64, i64);

fn key(record: &Value) -> Key {
    let field = |name: &str| record["fields"][name].as_i64().unwrap_or(-1);
    (field("sig"), field("pid"), field("result"), record["cpu"].as_i64().unwrap_or(-1))
}

fn objects(text: &str) -> Result<Vec<Value>, Failed> {
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Returns the records of the load.
fn of_load(records: &[Value]) -> Vec<Key> {
    let name = name();
    records.iter().filter(|record| record["fields"]["comm"] == name.as_str()).map(key).collect()
}

/// Runs the load in a session with `condition`, and that in one without. Returns the load's records of both.
fn both(bench: &Bench, dir: &Path, condition: &str) -> Result<(Vec<Key>, Vec<Key>), Failed> {
    let (session, output) = (dir.join("kept.trc"), dir.join("kept.jsonl"));
    let text = format!(
        "session kept {{ output \"{}\"; trace signal:signal_generate if {condition}; }}\n",
        output.display()
    );
    std::fs::write(&session, text)?;
    let mut command = bench.tracec("run");
    command.args(["--json", "-e", "signal:signal_generate", "--"]).arg(&bench.tracec);
    command.arg("run").arg("--tracefs").arg(&bench.tracefs).arg(&session);
    command.args(["--", "sh", "-c", &load()]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr(" dropped by the host's conditions, nothing lost")?;
    let kept = objects(&std::fs::read_to_string(&output)?)?;
    Ok((of_load(&objects(&finished.stdout)?), of_load(&kept)))
}

/// A condition in the language, and the same as a function.
type Case = (String, fn(&Key) -> bool);

fn cases() -> Vec<Case> {
    vec![
        (too_long("sig == 10"), |(sig, ..)| *sig == 10),
        // The kernel decides one part, the host the other.
        (format!("sig != 12 && {}", too_long("sig in {10, 12, 14..=16}")), |(sig, ..)| {
            [10, 15].contains(sig)
        }),
        (format!("sig > 1 && {}", too_long("!(sig & 2 == 2)")), |(sig, ..)| *sig > 1 && sig & 2 == 0),
        // The kernel cannot compute these.
        ("sig * 3 - 7 > 20 && pid >= sig".to_owned(), |(sig, pid, ..)| sig * 3 - 7 > 20 && pid >= sig),
        ("sig % 5 == 0 || sig as u8 << 7 > 255".to_owned(), |(sig, ..)| sig % 5 == 0 || sig << 7 > 255),
        (too_long("cpu == 0"), |(.., cpu)| *cpu == 0),
    ]
}

fn same_as_afterwards(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    for (condition, keeps) in cases() {
        let (all, kept) = both(bench, dir.path(), &condition)?;
        let shown: String = condition.chars().take(60).collect();
        if all.len() != SIGNALS.len() * ROUNDS {
            return Err(format!("{shown}: {} records of the load without a condition", all.len()).into());
        }
        let afterwards: Vec<Key> = all.iter().copied().filter(keeps).collect();
        if kept != afterwards {
            return Err(format!("{shown}: kept {kept:?}, afterwards {afterwards:?}").into());
        }
        // The test does not control on which CPU the load runs.
        if !condition.contains("cpu") && (kept.is_empty() || kept.len() == all.len()) {
            return Err(format!("{shown}: {} of {} records prove nothing", kept.len(), all.len()).into());
        }
    }
    Ok(())
}

/// Runs the load in a session of some clauses; returns its records.
fn recorded(bench: &Bench, clauses: &str) -> Result<Vec<Value>, Failed> {
    let dir = tempfile::tempdir()?;
    let session = dir.path().join("stacks.trc");
    std::fs::write(&session, format!("session stacks {{\n{clauses}\n}}\n"))?;
    let mut command = bench.tracec("run");
    command.arg("--json").arg(&session).args(["--", "sh", "-c", &load()]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr(" dropped by the host's conditions, nothing lost")?;
    objects(&finished.stdout)
}

fn counts(records: &[Value]) -> (usize, usize) {
    let stacks = records.iter().filter(|record| record["event"] == "ftrace:kernel_stack").count();
    (records.len() - stacks, stacks)
}

/// With the option each record is followed by its stack, and no other stack is shown.
fn stacks_of_an_option(bench: &Bench) -> Result<(), Failed> {
    if !bench.has("options/stacktrace") {
        println!("SKIPPED: this kernel has no option stacktrace");
        return Ok(());
    }
    let clauses = format!(
        "option stacktrace on;\ntrace signal:signal_generate if comm == \"{}\" {{ filter {}; }}",
        name(),
        too_long("sig == 10")
    );
    match counts(&recorded(bench, &clauses)?) {
        (ROUNDS, ROUNDS) => Ok(()),
        (records, stacks) => Err(format!("{records} records, {stacks} stacks").into()),
    }
}

/// A `filter` narrows recording only: a trigger acts also on records that the host drops.
fn stacks_of_a_trigger(bench: &Bench) -> Result<(), Failed> {
    if !bench.has("options/stacktrace") {
        println!("SKIPPED: this kernel has no trigger stacktrace");
        return Ok(());
    }
    let clauses = format!(
        "trace signal:signal_generate if comm == \"{}\" {{ filter {}; trigger stacktrace if sig != 10; }}",
        name(),
        too_long("sig == 10")
    );
    match counts(&recorded(bench, &clauses)?) {
        (ROUNDS, stacks) if stacks == ROUNDS * (SIGNALS.len() - 1) => Ok(()),
        (records, stacks) => Err(format!("{records} records, {stacks} stacks").into()),
    }
}

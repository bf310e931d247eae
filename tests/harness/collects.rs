//! `tracec collect`: what the rings of an instance of another program, or of a started session, hold.

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, Finished, TIMEOUT, finish};
use super::dumps::{FIRST, asked, numbers};
use super::scopes::ask;
use super::started::{Sessions, same};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("collect: an instance of another program records on", of_another),
        bench.trial("collect: a started session goes on", of_session),
        bench.trial("collect: nothing is read where nothing can be written", refused),
    ]
}

/// An instance that another program has made, which records what is asked.
struct Other<'b> {
    bench: &'b Bench,
    name: String,
}

impl<'b> Other<'b> {
    fn make(bench: &'b Bench) -> Result<Self, Failed> {
        let name = format!("tracec-other-{}", std::process::id());
        std::fs::create_dir(bench.tracefs.join("instances").join(&name))?;
        let other = Other { bench, name };
        other.write("trace_clock", "mono")?;
        other.write("events/syscalls/sys_enter_kill/filter", "pid >= 1000000000")?;
        other.write("events/syscalls/sys_enter_kill/enable", "1")?;
        Ok(other)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.bench.tracefs.join("instances").join(&self.name).join(file)
    }

    fn write(&self, file: &str, value: &str) -> Result<(), Failed> {
        Ok(std::fs::write(self.path(file), value)?)
    }

    fn collect(&self, output: &str, more: &[&str]) -> Result<Finished, Failed> {
        let mut command: Command = self.bench.tracec("collect");
        command.args([&self.name, "-o", output]).args(more);
        finish(command, TIMEOUT)
    }
}

impl Drop for Other<'_> {
    fn drop(&mut self) {
        // The snapshot after the test shows a failure.
        let _ = std::fs::remove_dir(self.path(""));
    }
}

fn listed(numbers: &[i32]) -> Vec<i64> {
    numbers.iter().copied().map(i64::from).collect()
}

fn of_another(bench: &Bench) -> Result<(), Failed> {
    let other = Other::make(bench)?;
    let directory = tempfile::tempdir()?;
    for (file, from) in [("a.dat", FIRST), ("b.dat", FIRST + 10)] {
        let path = directory.path().join(file);
        let numbers = [from, from + 1, from + 2];
        numbers.into_iter().for_each(ask);
        let collected = other.collect(path.to_str().ok_or("a path")?, &[])?;
        collected.expect_status(0)?.expect_stdout("3 records, nothing lost")?;
        same(&asked(bench, &path)?, &listed(&numbers))?;
    }
    let (is_on, enabled) = (
        std::fs::read_to_string(other.path("tracing_on"))?,
        std::fs::read_to_string(other.path("set_event"))?,
    );
    same(&(is_on.trim(), enabled.trim()), &("1", "syscalls:sys_enter_kill"))?;
    // Text has the fields too, of an event that no session has named.
    ask(FIRST + 20);
    let text = directory.path().join("c.txt");
    other
        .collect(text.to_str().ok_or("a path")?, &[])?
        .expect_status(0)?
        .expect_stdout("1 record, nothing lost")?;
    let text = std::fs::read_to_string(text)?;
    match text.contains("sys_kill(") && text.contains(&format!("{:x}", FIRST + 20)) {
        true => Ok(()),
        false => Err(text.into()),
    }
}

fn of_session(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let ring = "ring; clock mono; trace syscalls:sys_enter_kill if pid >= 1000000000;";
    sessions.start(ring, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    ask(FIRST);
    let path = sessions.path("c.dat");
    let words = ["collect", "a", "-o", path.to_str().ok_or("a path")?];
    sessions.run(&words)?.expect_status(0)?.expect_stdout("c.dat: 1 record, covers all ")?;
    same(&asked(bench, &path)?, &listed(&[FIRST]))?;
    // Its instance is not read behind its back.
    let status = sessions.status()?;
    let instance = status["instance"].as_str().ok_or("no instance")?;
    let refused = sessions.run(&["collect", instance, "-o", path.to_str().ok_or("a path")?])?;
    refused.expect_status(1)?.expect_stderr("`tracec snapshot a` asks it")?;
    ask(FIRST + 1);
    sessions
        .run(&["stop"])?
        .expect_status(0)?
        .expect_stderr("1 record since the last snapshot, nothing lost")?;
    let text = std::fs::read_to_string(sessions.path("a.jsonl"))?;
    same(&numbers(&text)?, &listed(&[FIRST + 1]))?;
    sessions.nothing_is_left()
}

fn refused(bench: &Bench) -> Result<(), Failed> {
    let other = Other::make(bench)?;
    let directory = tempfile::tempdir()?;
    ask(FIRST);
    let missing = directory.path().join("missing/a.dat");
    let refused = other.collect(missing.to_str().ok_or("a path")?, &[])?;
    refused.expect_status(1)?.expect_stderr("No such file or directory")?;
    other.collect("a.odt", &[])?.expect_status(64)?.expect_stderr("does not name an output form")?;
    let path = directory.path().join("a.dat");
    let path = path.to_str().ok_or("a path")?;
    let mut command = bench.tracec("collect");
    command.args(["tracec-no-such-instance", "-o", path]);
    finish(command, TIMEOUT)?.expect_status(1)?.expect_stderr("there is no instance")?;
    other.collect(path, &[])?.expect_status(0)?.expect_stdout("1 record, nothing lost")?;
    Ok(())
}

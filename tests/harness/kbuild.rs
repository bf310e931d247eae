//! Builds of modules that end early: by a signal, by SIGKILL, by what is missing. kbuild itself is a Makefile here whose
//! programs wait, since a machine has no headers; `tests/harness/modules.rs` runs with modules that were built with them.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::bench::{Bench, Finished, Running, TIMEOUT, finish, start};

/// Definitions, and a session over them.
const TEXT: &str =
    "subsystem tracec_kbuild; event e { proto (a: int) } session s { trace tracec_kbuild:e; stop after 1s; }";

/// The rule of a build that goes on until it is ended: two programs whose ids are in a file.
const ENDLESS: &str = "@sleep 1000 & echo $$! > $(M)/pids; echo $$$$ >> $(M)/pids; touch $(M)/begun; wait";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("module: kbuild: a signal ends it, and nothing is left", interrupted),
        bench.trial("module: kbuild: what SIGKILL leaves is removed by recover", killed),
        bench.trial("module: kbuild: it does not see the user's variables", environment),
        bench.trial("module: kbuild: headers, make and a module that are missing are named", missing),
        bench.trial("module: kbuild: an event that the kernel has is said before it", event_taken),
    ]
}

/// The headers of the running kernel, with a Makefile that has one rule, until the end of a test.
struct Headers(PathBuf);

impl Headers {
    fn make(rule: &str) -> Result<Headers, Failed> {
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        let directory = Path::new("/lib/modules").join(release).join("build");
        if directory.exists() {
            return Err(format!("{} exists", directory.display()).into());
        }
        let headers = Headers(directory);
        fs::create_dir_all(&headers.0)?;
        fs::write(headers.0.join("Makefile"), format!("modules:\n\t{rule}\n"))?;
        Ok(headers)
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("NOTE: {} stays: {error}", self.0.display());
        }
    }
}

/// The temporary files of a run, and its text beside them.
struct Place {
    temporary: TempDir,
    texts: TempDir,
}

impl Place {
    fn make() -> Result<Place, Failed> {
        Ok(Place { temporary: tempfile::tempdir()?, texts: tempfile::tempdir()? })
    }

    /// Returns a run of the session.
    fn run(&self, bench: &Bench) -> Result<Command, Failed> {
        self.command(bench, "run", TEXT)
    }

    fn command(&self, bench: &Bench, subcommand: &str, text: &str) -> Result<Command, Failed> {
        let path = self.texts.path().join("kbuild.trc");
        fs::write(&path, text)?;
        let mut command = bench.tracec(subcommand);
        command.arg(path).args(["--target", "module"]).env("TMPDIR", self.temporary.path());
        Ok(command)
    }

    /// Starts a run whose build does not end, and waits until it has begun. Returns the ids of the programs of kbuild too.
    fn begun(&self, bench: &Bench) -> Result<(Running, Vec<i32>), Failed> {
        let running = start(self.run(bench)?)?;
        let since = Instant::now();
        loop {
            if let Some(directory) = self.left()?.first()
                && directory.join("begun").exists()
            {
                let ids = fs::read_to_string(directory.join("pids"))?;
                return Ok((running, ids.lines().filter_map(|id| id.parse().ok()).collect()));
            }
            if since.elapsed() > TIMEOUT {
                running.signal(Signal::KILL)?;
                return Err(format!("no build begins:\n{}", running.wait(TIMEOUT)?).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the temporary files that there are.
    fn left(&self) -> Result<Vec<PathBuf>, Failed> {
        let entries = fs::read_dir(self.temporary.path())?;
        Ok(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
    }

    fn is_empty(&self) -> Result<(), Failed> {
        same("what is left", Vec::<PathBuf>::new(), self.left()?)
    }
}

/// Returns whether a process runs. One that has ended stays in the table until its parent has waited for it.
fn runs(id: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn interrupted(bench: &Bench) -> Result<(), Failed> {
    let _headers = Headers::make(ENDLESS)?;
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::USR1] {
        let place = Place::make()?;
        let (running, ids) = place.begun(bench)?;
        same("programs of kbuild that run", 2, ids.iter().filter(|id| runs(**id)).count())?;
        running.signal(signal)?;
        let finished = running.wait(TIMEOUT)?;
        same("the signal that ended it", Some(signal.as_raw()), finished.status.signal())?;
        place.is_empty()?;
        same("programs of kbuild that run", 0, ids.iter().filter(|id| runs(**id)).count())?;
    }
    Ok(())
}

fn killed(bench: &Bench) -> Result<(), Failed> {
    let _headers = Headers::make(ENDLESS)?;
    let place = Place::make()?;
    let (running, ids) = place.begun(bench)?;
    running.signal(Signal::KILL)?;
    running.wait(TIMEOUT)?;
    let recover = || -> Result<Finished, Failed> {
        let mut recover = bench.tracec("recover");
        recover.env("TMPDIR", place.temporary.path());
        finish(recover, TIMEOUT)
    };
    // The programs go on, and have an end of their own in a real build.
    recover()?.expect_status(0)?.expect_stdout("in use, a module is being built there; not changed")?;
    same("directories", 1, place.left()?.len())?;
    for id in &ids {
        let Some(pid) = Pid::from_raw(*id) else { continue };
        match kill_process(pid, Signal::KILL) {
            // It may have ended with the one before.
            Ok(()) | Err(Errno::SRCH) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    let since = Instant::now();
    while !place.left()?.is_empty() && since.elapsed() < TIMEOUT {
        // make ends after its programs.
        recover()?.expect_status(0)?;
    }
    place.is_empty()
}

fn environment(bench: &Bench) -> Result<(), Failed> {
    let _headers = Headers::make("@env >&2; false")?;
    let place = Place::make()?;
    let mut run = place.run(bench)?;
    let variables =
        ["ARCH", "CROSS_COMPILE", "KCFLAGS", "KBUILD_MODPOST_WARN", "LLVM", "MAKEFLAGS", "CC", "V"];
    run.envs(variables.map(|name| (name, "tracec-test")));
    let finished = finish(run, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("error[T0522]")?.expect_stderr("PATH=")?;
    match finished.stderr.contains("tracec-test") {
        true => Err(format!("kbuild sees a variable:\n{finished}").into()),
        false => place.is_empty(),
    }
}

fn missing(bench: &Bench) -> Result<(), Failed> {
    let place = Place::make()?;
    let none = finish(place.run(bench)?, TIMEOUT)?;
    none.expect_status(1)?.expect_stderr("error[T0522]")?.expect_stderr("apt install linux-headers-")?;
    let _headers = Headers::make("@echo 'make[1]: gcc: No such file or directory' >&2; false")?;
    let no_gcc = finish(place.run(bench)?, TIMEOUT)?;
    no_gcc
        .expect_status(1)?
        .expect_stderr("error[T0522]")?
        .expect_stderr("gcc: No such file or directory")?;
    let mut without_make = place.run(bench)?;
    without_make.env("PATH", place.temporary.path());
    let no_make = finish(without_make, TIMEOUT)?;
    no_make.expect_status(1)?.expect_stderr("error[T0522]")?.expect_stderr("apt install make ")?;
    place.is_empty()
}

/// The message is at the name of the event, and no build has begun: there are no headers.
fn event_taken(bench: &Bench) -> Result<(), Failed> {
    let place = Place::make()?;
    let text =
        "subsystem sched; event sched_switch { proto (a: int) } session s { trace sched:sched_switch; }";
    for subcommand in ["run", "plan"] {
        let finished = finish(place.command(bench, subcommand, text)?, TIMEOUT)?;
        finished.expect_status(1)?.expect_stderr("error[T0523]")?.expect_stderr("kbuild.trc:1:24")?;
    }
    place.is_empty()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Result<(), Failed> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("{what}: expected {expected:?}, found {found:?}").into()),
    }
}

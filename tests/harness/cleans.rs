//! `tracec clean`: what sessions have left that lost their journal, and nothing else.

use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use libtest_mimic::{Failed, Trial};
use rustix::process::{Pid, Signal, kill_process};

use super::bench::{Bench, Finished, TIMEOUT, finish};
use super::started::{Sessions, same, until};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("clean: instances of sessions that lost their journal", lost_journals),
        bench.trial("clean: a journal that cannot be used, and its instance", damaged_journal),
        bench.trial("clean: an instance of which the journal does not say who made it", unknown_maker),
    ]
}

/// Instances that are removed at the end, whatever becomes of the test.
struct Made<'b> {
    bench: &'b Bench,
    names: Vec<String>,
}

impl Made<'_> {
    fn make(&mut self, name: &str) -> Result<(), Failed> {
        std::fs::create_dir(self.path(name))?;
        self.names.push(name.to_owned());
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.bench.tracefs.join("instances").join(name)
    }

    fn exist(&self) -> Vec<bool> {
        self.names.iter().map(|name| self.path(name).exists()).collect()
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        for name in &self.names {
            // The snapshot after the test shows a failure.
            let _ = std::fs::remove_dir(self.path(name));
        }
    }
}

/// Returns the id of a process that has ended.
fn ended() -> Result<u32, Failed> {
    let mut child = Command::new("true").spawn()?;
    child.wait()?;
    Ok(child.id())
}

/// Returns what ends the names that this process would choose, with the id of another.
fn ending(pid: u32) -> Result<String, Failed> {
    let link = std::fs::read_link("/proc/self/ns/pid")?;
    let number = link.to_string_lossy().replace("pid:[", "").replace(']', "");
    Ok(if number == "4026531836" { pid.to_string() } else { format!("{pid}.{number}") })
}

fn clean(bench: &Bench, runtime_dir: &Path, more: &[&str]) -> Result<Finished, Failed> {
    let mut command = bench.tracec("clean");
    command.arg("--runtime-dir").arg(runtime_dir).args(more);
    finish(command, TIMEOUT)
}

fn lost_journals(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (gone, own) = (ending(ended()?)?, ending(std::process::id())?);
    let mut made = Made { bench, names: Vec::new() };
    let left = format!("tracec.gone.{gone}");
    made.make(&left)?;
    std::fs::write(made.path(&left).join("events/sched/sched_switch/enable"), "1")?;
    // One whose process runs, and those of other programs.
    for name in [format!("tracec.live.{own}"), format!("tracec-other-{gone}"), "other.47".to_owned()] {
        made.make(&name)?;
    }
    let shown = clean(bench, directory.path(), &["--dry-run"])?;
    shown.expect_status(2)?.expect_stdout(&format!("{left}: would be removed: "))?;
    same(&shown.stdout.lines().count(), &1)?;
    same(&made.exist(), &vec![true; 4])?;
    clean(bench, directory.path(), &[])?.expect_status(0)?.expect_stdout(&format!("{left}: removed: "))?;
    same(&made.exist(), &vec![false, true, true, true])?;
    clean(bench, directory.path(), &["--dry-run"])?.expect_status(0)?.expect_stdout("nothing to clean")?;
    Ok(())
}

fn damaged_journal(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let gone = ending(ended()?)?;
    let mut made = Made { bench, names: Vec::new() };
    let (left, chosen) = (format!("tracec.gone.{gone}"), format!("chosen-{gone}"));
    for name in [&left, &chosen] {
        made.make(name)?;
        let mut options = std::fs::OpenOptions::new();
        let path = directory.path().join(format!("{name}.journal"));
        let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
        std::io::Write::write_all(&mut file, b"not a line of a journal\n")?;
    }
    let mut recover = bench.tracec("recover");
    recover.arg("--runtime-dir").arg(directory.path());
    finish(recover, TIMEOUT)?.expect_status(1)?.expect_stdout("not changed, since it cannot be used")?;
    clean(bench, directory.path(), &["--dry-run"])?.expect_status(2)?;
    same(&made.exist(), &vec![true; 2])?;
    let cleaned = clean(bench, directory.path(), &[])?;
    cleaned.expect_status(0)?.expect_stdout(&format!("{left}.journal: removed: "))?;
    // Anybody can have made an instance of a name that somebody has chosen.
    same(&made.exist(), &vec![false, true])?;
    same(&std::fs::read_dir(directory.path())?.count(), &0)
}

/// A session is killed between the mkdir of an instance with a chosen name and the line that says so.
fn unknown_maker(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let chosen = format!("chosen-{}", std::process::id());
    let text = format!("instance \"{chosen}\"; trace oom:mark_victim;");
    sessions.start(&text, "a.txt", &["--name", "a"])?.expect_status(0)?;
    let pid = sessions.status()?["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok());
    kill_process(pid.and_then(Pid::from_raw).ok_or("no pid")?, Signal::KILL)?;
    until("the supervisor still runs", || Ok(sessions.status()?["state"] == "dead"))?;
    let (made, path) = (Made { bench, names: vec![chosen.clone()] }, sessions.runtime_dir());
    let journal = path.join(format!("{chosen}.journal"));
    let lines = std::fs::read_to_string(&journal)?;
    let before: String = lines.split_inclusive('\n').take(2).collect();
    std::fs::write(&journal, before)?;
    // The instance is older than the journal: another program may have made it.
    let file = std::fs::File::options().write(true).open(&journal)?;
    let instance = std::fs::symlink_metadata(made.path(&chosen))?;
    let changed = u64::try_from(instance.ctime())?;
    let at = SystemTime::UNIX_EPOCH
        + Duration::from_secs(changed)
        + Duration::from_nanos(u64::try_from(instance.ctime_nsec())?);
    file.set_modified(at + Duration::from_secs(5))?;
    let kept = clean(bench, &path, &[])?;
    kept.expect_status(1)?.expect_stdout("not touched: the journal does not say")?;
    same(&made.exist(), &vec![true])?;
    file.set_modified(at)?;
    drop(file);
    clean(bench, &path, &["--dry-run"])?.expect_status(2)?.expect_stdout("would be removed")?;
    clean(bench, &path, &[])?.expect_status(0)?.expect_stdout("removed: a session was killed")?;
    same(&(made.exist(), journal.exists()), &(vec![false], false))?;
    sessions.run(&["recover"])?.expect_status(0)?;
    sessions.nothing_is_left()
}

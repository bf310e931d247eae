//! Sessions that SIGKILL ends at any moment, and journals that are damaged: `recover` removes what is the session's, or
//! names it, and touches nothing else.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;

use super::bench::{Bench, Finished, TIMEOUT, finish, start};
use super::points::Points;

/// The number of kills of sessions with a name of their own for the instance, and without.
const NAMED: usize = 200;
const UNNAMED: usize = 100;
/// The number of damaged journals.
const DAMAGED: usize = 2_000;

/// The instance of these tests, and one that is not tracec's.
const INSTANCE: &str = "tracec-kills";
const FOREIGN: &str = "kills-of-another";

const SESSION: &str = "trace sched:sched_process_exec if pid > 1; \
                       trace sched:sched_switch if prev_prio < 200 { trigger stacktrace; } stop after 100ms;";
const ENDLESS: &str = "trace sched:sched_switch;";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial(
            "kills: a session that is killed at any moment is recovered (peer failure 9)",
            at_any_moment,
        ),
        bench.trial("kills: a damaged journal removes nothing of others", damaged_journals),
    ]
}

/// What these tests must not change: an instance of another program, and a file beside the journals.
struct Foreign<'b> {
    bench: &'b Bench,
    directory: tempfile::TempDir,
    inode: u64,
    /// The size of its buffer, as the kernel rounds it.
    size: String,
}

impl<'b> Foreign<'b> {
    fn new(bench: &'b Bench) -> Result<Foreign<'b>, Failed> {
        let directory = tempfile::tempdir()?;
        let instance = bench.tracefs.join("instances").join(FOREIGN);
        std::fs::create_dir(&instance)?;
        std::fs::write(instance.join("buffer_size_kb"), "64")?;
        let size = std::fs::read_to_string(instance.join("buffer_size_kb"))?;
        let foreign = Foreign { bench, directory, inode: std::fs::metadata(&instance)?.ino(), size };
        std::fs::create_dir(foreign.runtime_dir())?;
        std::fs::write(foreign.runtime_dir().join("notes"), "of a person")?;
        Ok(foreign)
    }

    fn runtime_dir(&self) -> PathBuf {
        self.directory.path().join("run")
    }

    fn journal(&self) -> PathBuf {
        self.runtime_dir().join(format!("{INSTANCE}.journal"))
    }

    fn tracec(&self, subcommand: &str) -> Command {
        let mut command = self.bench.tracec(subcommand);
        command.arg("--runtime-dir").arg(self.runtime_dir());
        command
    }

    /// Runs `recover`, which ends by itself with a status that it has chosen.
    fn recover(&self, arguments: &[&str]) -> Result<Finished, Failed> {
        let mut command = self.tracec("recover");
        command.args(arguments);
        let finished = finish(command, TIMEOUT)?;
        match finished.status.code() {
            Some(0 | 1) => Ok(finished),
            _ => Err(finished.to_string().into()),
        }
    }

    /// Returns the names of the instances of tracec and of this test; other programs may make and remove some
    /// meanwhile.
    fn instances(&self) -> Result<BTreeSet<String>, Failed> {
        let entries = std::fs::read_dir(self.bench.tracefs.join("instances"))?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names: Result<BTreeSet<String>, Failed> = names.collect();
        Ok(names?.into_iter().filter(|name| name.starts_with("tracec") || name == FOREIGN).collect())
    }

    /// Returns the names of the journals.
    fn journals(&self) -> Result<Vec<String>, Failed> {
        let entries = std::fs::read_dir(self.runtime_dir())?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names: Result<Vec<String>, Failed> = names.collect();
        Ok(names?.into_iter().filter(|name| name != "notes").collect())
    }

    fn is_untouched(&self) -> Result<(), Failed> {
        let instance = self.bench.tracefs.join("instances").join(FOREIGN);
        let inode = std::fs::metadata(&instance).map(|metadata| metadata.ino());
        let size = std::fs::read_to_string(instance.join("buffer_size_kb"))?;
        let notes = std::fs::read_to_string(self.runtime_dir().join("notes"))?;
        if inode? == self.inode && size == self.size && notes == "of a person" {
            Ok(())
        } else {
            Err(format!("what is not tracec's was changed: {size:?}, {notes:?}").into())
        }
    }
}

impl Drop for Foreign<'_> {
    fn drop(&mut self) {
        // The snapshot after the test shows a failure.
        let _ = std::fs::remove_dir(self.bench.tracefs.join("instances").join(FOREIGN));
        let _ = std::fs::remove_dir(self.bench.tracefs.join("instances").join(INSTANCE));
    }
}

fn at_any_moment(bench: &Bench) -> Result<(), Failed> {
    let foreign = Foreign::new(bench)?;
    let session = |named: bool| {
        let mut command = foreign.tracec("run");
        command.args(if named { &["--instance", INSTANCE][..] } else { &[] }).args(["-e", SESSION]);
        command
    };
    let begin = Instant::now();
    finish(session(true), TIMEOUT)?.expect_status(0)?;
    let whole = begin.elapsed();
    let before = foreign.instances()?;
    let named = (0..NAMED).map(|number| (true, number, NAMED));
    let all: Vec<(bool, usize, usize)> =
        named.chain((0..UNNAMED).map(|number| (false, number, UNNAMED))).collect();
    let (mut left, mut open) = (0, 0);
    let chosen = Points::chosen()?.of(&all, "kills at moments of a session");
    for &&(named, number, of) in &chosen {
        let failed = |what: &str, finished: &Finished| format!("kill {number} of {of}: {what}\n{finished}");
        let running = start(session(named))?;
        // The moment is what is tested.
        std::thread::sleep(whole.mul_f64(number as f64 / of as f64));
        // A session that has ended is a moment too.
        let _ = running.signal(Signal::KILL);
        running.wait(TIMEOUT)?;
        left += usize::from(foreign.instances()? != before);
        let first = foreign.recover(&[])?;
        let second = foreign.recover(&[])?;
        let instances = foreign.instances()?;
        if instances != before {
            // Who made the instance is unknown: it is named, by both, and removed on request.
            open += 1;
            let is_named = |said: &Finished| said.status.code() == Some(1) && said.stderr.contains(INSTANCE);
            if !named || !is_named(&first) || !is_named(&second) {
                let others = instances.symmetric_difference(&before);
                return Err(failed(&format!("{others:?} is left, and not named"), &second).into());
            }
            foreign.recover(&["--instance", INSTANCE])?.expect_status(0)?;
        } else if second.status.code() != Some(0) {
            return Err(failed("nothing is left, and the second recovery is not content", &second).into());
        }
        if foreign.instances()? != before || !foreign.journals()?.is_empty() {
            return Err(failed("something is left", &second).into());
        }
        foreign.is_untouched()?;
    }
    println!("NOTE: kills that left an instance: {left}; whose maker the journal does not say: {open}");
    // About one of three leaves one; a sample may have none.
    if left == 0 && chosen.len() >= 30 { Err("no kill left an instance".into()) } else { Ok(()) }
}

/// Kills a session that records, and returns its journal.
fn killed(foreign: &Foreign<'_>) -> Result<Vec<u8>, Failed> {
    let mut command = foreign.tracec("run");
    command.args(["--instance", INSTANCE, "-e", ENDLESS]);
    let mut running = start(command)?;
    running.until("sched_switch:", TIMEOUT)?;
    running.signal(Signal::KILL)?;
    let finished = running.wait(TIMEOUT)?;
    match finished.status.signal() {
        Some(9) => Ok(std::fs::read(foreign.journal())?),
        _ => Err(finished.to_string().into()),
    }
}

fn damaged_journals(bench: &Bench) -> Result<(), Failed> {
    let foreign = Foreign::new(bench)?;
    let before = foreign.instances()?;
    let mut whole = killed(&foreign)?;
    let with = foreign.instances()?;
    let all: Vec<u64> = (0..DAMAGED as u64).collect();
    let (mut removed, mut named) = (0, 0);
    for &&seed in &Points::chosen()?.of(&all, "damaged journals") {
        let damaged = damage(&whole, Numbers(seed));
        std::fs::write(foreign.journal(), &damaged)?;
        let said = [foreign.recover(&[])?, foreign.recover(&[])?];
        let failed =
            |what: &str| format!("seed {seed}: {what}\n{}\n{}", String::from_utf8_lossy(&damaged), said[1]);
        foreign.is_untouched()?;
        match foreign.instances()? {
            instances if instances == before => {
                removed += 1;
                if said[1].status.code() != Some(0) || !foreign.journals()?.is_empty() {
                    return Err(failed("the instance is removed, and the journal is not").into());
                }
                whole = killed(&foreign)?;
            }
            instances if instances == with => {
                named += 1;
                let is_named = said[0].status.code() == Some(1) && said[0].stderr.contains(INSTANCE);
                if !is_named {
                    return Err(failed("the instance is left, and not named").into());
                }
            }
            instances => return Err(failed(&format!("the instances are {instances:?}")).into()),
        }
    }
    println!("NOTE: damaged journals that removed their instance: {removed}; that were named: {named}");
    std::fs::write(foreign.journal(), &whole)?;
    foreign.recover(&[])?.expect_status(0)?;
    if foreign.instances()? == before { Ok(()) } else { Err("the whole journal removed nothing".into()) }
}

/// Numbers that a seed determines (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// Returns a journal with a mistake of one of these kinds.
fn damage(journal: &[u8], mut numbers: Numbers) -> Vec<u8> {
    let mut damaged = journal.to_vec();
    let at = numbers.below(damaged.len());
    let length = numbers.below(damaged.len() - at) + 1;
    let mut lines: Vec<Vec<u8>> =
        journal.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let line = numbers.below(lines.len());
    match numbers.below(9) {
        0 => damaged[at] ^= 1 << numbers.below(8),
        1 => damaged.truncate(at),
        2 => drop(damaged.drain(at..at + length)),
        3 => damaged[at..at + length].fill(0),
        4 => {
            let part = damaged[at..at + length].to_vec();
            damaged.extend(part);
        }
        5 => {
            let noise: Vec<u8> = (0..length).map(|_| numbers.below(256) as u8).collect();
            damaged.splice(at..at, noise);
        }
        6 => {
            let again = lines[line].clone();
            lines.insert(line, again);
            damaged = lines.concat();
        }
        7 => {
            let other = numbers.below(lines.len());
            lines.swap(line, other);
            damaged = lines.concat();
        }
        // Another content with its right checksum. A journal with another boot's id says nothing of this boot.
        _ => {
            let line = line.max(1).min(lines.len() - 1);
            lines[line] = forged(&lines[line], &mut numbers);
            damaged = lines.concat();
        }
    }
    damaged
}

/// Returns a line of a journal with other digits in its text, and the checksum of that.
fn forged(line: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let Some(json) = line.get(9..).map(<[u8]>::trim_ascii_end) else { return line.to_vec() };
    let mut json = json.to_vec();
    let digits: Vec<usize> = (0..json.len()).filter(|&at| json[at].is_ascii_digit()).collect();
    if let Some(&at) = digits.get(numbers.below(digits.len())) {
        json[at] = b'0' + numbers.below(10) as u8;
    }
    [format!("{:08x} ", crc32fast::hash(&json)).into_bytes(), json, b"\n".to_vec()].concat()
}

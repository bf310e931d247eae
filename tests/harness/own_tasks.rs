//! A session leaves out what tracec itself does, also in a container, unless it says otherwise.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use libtest_mimic::{Failed, Trial};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::bench::{Bench, Finished, TIMEOUT, finish};

/// tracec writes each record to a file with a system call of this event.
const EVENT: &str = "syscalls:sys_enter_write";
/// The name under which tracec runs, so that its records differ from those of others that run at the same time.
const OWN: &str = "tracec-own";
/// The name of a thread of this test that makes the same system call.
const WITNESS: &str = "tracec-witness";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("own tasks: left out", |bench| {
            expect(&recorded(bench, "", |command| command)?, |own| own == 0)
        }),
        bench.trial("own tasks: left out in a PID namespace", |bench| {
            expect(&recorded(bench, "", in_namespace)?, |own| own == 0)
        }),
        bench.trial("own tasks: left out where the top level takes no markers", |bench| {
            let markers = bench.tracefs.join("options/markers");
            let before = std::fs::read_to_string(&markers)?;
            std::fs::write(&markers, "0")?;
            let counts = recorded(bench, "", |command| command);
            std::fs::write(&markers, before)?;
            expect(&counts?, |own| own == 0)
        }),
        bench.trial("own tasks: recorded on request", |bench| {
            expect(&recorded(bench, "scope including tracec; ", |command| command)?, |own| own > 0)
        }),
        bench.trial("own tasks: left out by a script", |bench| expect(&scripted(bench)?, |own| own == 0)),
        bench.trial("own tasks: only the reader of the rings has a higher priority", priorities),
    ]
}

/// The number of records of tracec, and of the witness.
struct Counts {
    own: usize,
    witness: usize,
}

fn expect(counts: &Counts, is_right: impl Fn(usize) -> bool) -> Result<(), Failed> {
    let Counts { own, witness } = *counts;
    if witness > 0 && is_right(own) {
        Ok(())
    } else {
        Err(format!("{own} records of tracec, {witness} of the witness").into())
    }
}

/// Records system calls for a second, with more clauses.
fn recorded(bench: &Bench, clauses: &str, change: impl Fn(Command) -> Command) -> Result<Counts, Failed> {
    let dir = tempfile::tempdir()?;
    let output = dir.path().join("records.jsonl");
    let text = format!("trace {EVENT}; {clauses}stop after 1s; output \"{}\";", output.display());
    let program = dir.path().join(OWN);
    std::os::unix::fs::symlink(&bench.tracec, &program)?;
    let mut command = bench.with_program(program).tracec("run");
    command.args(["--runtime-dir".as_ref(), dir.path().join("run").as_os_str()]).args(["-e", &text]);
    with_witness(change(command))?;
    let text = std::fs::read_to_string(output)?;
    let of = |name: &str| text.lines().filter(|line| line.contains(&format!("\"comm\":\"{name}\""))).count();
    Ok(Counts { own: of(OWN) + of("tracec-render") + of("tracec-status"), witness: of(WITNESS) })
}

/// Records the same by a script, whose reader is dd.
fn scripted(bench: &Bench) -> Result<Counts, Failed> {
    let dir = tempfile::tempdir()?;
    let mut build = bench.tracec("build");
    build.args(["-e", &format!("trace {EVENT}; stop after 1s;"), "--target", "script"]);
    build.arg("-o").arg(dir.path());
    finish(build, TIMEOUT)?.expect_status(0)?;
    // The script runs in the process that says its id.
    let mut command = Command::new("sh");
    command.args(["-c", "echo \"$$\" >&2; exec \"$@\"", "sh", "sh"]).arg(dir.path().join("session.sh"));
    command.arg("--tracefs").arg(&bench.tracefs);
    let Finished { stdout, stderr, .. } = with_witness(command)?;
    let shell = stderr.lines().next().ok_or("the shell has not said its id")?;
    // `COMM-PID  [CPU] ..`
    let tasks = || stdout.lines().filter_map(|line| line.split_whitespace().next()?.rsplit_once('-'));
    let of = |name: &str| tasks().filter(|(comm, _)| *comm == name).count();
    let own = tasks().filter(|(comm, pid)| *comm == "dd" || *pid == shell).count();
    Ok(Counts { own, witness: of(WITNESS) })
}

/// The command of a session prints the priorities of tracec's threads and its own.
fn priorities(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let text =
        format!("trace sched:sched_process_exec; output \"{}\";", dir.path().join("out.txt").display());
    let mut command = bench.tracec("run");
    command.args(["--runtime-dir".as_ref(), dir.path().join("run").as_os_str()]).args(["-e", &text]);
    command.args(["--", "sh", "-c", "echo $PPID; nice; cat /proc/$PPID/task/*/stat"]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?;
    let mut lines = finished.stdout.lines();
    let (reader, usual) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let mut others = 0;
    for line in lines {
        let (id, rest) = line.split_once(' ').ok_or("a line of stat(5)")?;
        // Field 19 of proc_pid_stat(5); the 2nd ends with the last parenthesis.
        let nice = rest.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(16));
        let wanted = if id == reader { "-20" } else { usual };
        if nice != Some(wanted) {
            return Err(format!("thread {id} of {reader} has {nice:?} instead of {wanted}").into());
        }
        others += usize::from(id != reader);
    }
    if others == 0 { Err(format!("no other thread: {}", finished.stdout).into()) } else { Ok(()) }
}

/// Runs a command to its end while the witness makes its system calls.
fn with_witness(command: Command) -> Result<Finished, Failed> {
    let ended = AtomicBool::new(false);
    let finished = std::thread::scope(|scope| {
        let witness = std::thread::Builder::new().name(WITNESS.to_owned());
        witness.spawn_scoped(scope, || write_until(&ended))?;
        let finished = finish(command, TIMEOUT);
        ended.store(true, Ordering::Relaxed);
        finished
    })?;
    finished.expect_status(0)?;
    Ok(finished)
}

fn write_until(ended: &AtomicBool) -> std::io::Result<()> {
    use std::io::Write;
    let mut null = std::fs::File::options().write(true).open("/dev/null")?;
    while !ended.load(Ordering::Relaxed) {
        null.write_all(b"x")?;
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    Ok(())
}

/// Returns a command that runs as the first process of a new PID namespace.
fn in_namespace(command: Command) -> Command {
    let mut shell = Command::new("sh");
    // The namespace is that of the shell's children.
    shell.args(["-c", "\"$@\"; exit $?", "sh"]).arg(command.get_program()).args(command.get_args());
    // SAFETY: the process has one thread, and no table of descriptors is unshared.
    let unshare = || unsafe { unshare_unsafe(UnshareFlags::NEWPID) }.map_err(Into::into);
    // SAFETY: the closure runs between fork and exec and makes one system call.
    unsafe { shell.pre_exec(unshare) };
    shell
}

//! Sessions and recoveries that SIGKILL ends before and after each system call that changes something: afterwards `recover`
//! puts everything back, also values of the whole machine that were not at their defaults.
//!
//! The process is traced by ptrace(2), so that each point is met exactly. The unsafe code makes its calls.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, TIMEOUT, finish};
use super::points::Points;

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial(
            "kills: a session, at each system call that changes something (peer failure 10)",
            session_at_each_call,
        ),
        bench.trial("kills: a recovery, at each system call that changes something", recovery_at_each_call),
        bench.trial("kills: what another program writes meanwhile is left", foreign_write_survives),
    ]
}

/// Options of the top level that the session sets to their usual values. They only concern how `trace` is shown, and what a
/// new instance begins with.
const OPTIONS: [&str; 10] = [
    "sym-offset",
    "sym-addr",
    "verbose",
    "annotate",
    "irq-info",
    "print-parent",
    "disable_on_free",
    "sym-userobj",
    "hash-ptr",
    "overwrite",
];

/// The top level with options that are not at their defaults, until this is dropped.
struct Unusual<'b> {
    bench: &'b Bench,
    /// The value of each option before.
    before: Vec<String>,
    runtime: tempfile::TempDir,
}

impl<'b> Unusual<'b> {
    fn new(bench: &'b Bench) -> Result<Self, Failed> {
        let read = |option: &&str| std::fs::read_to_string(path(bench, option));
        let before = OPTIONS.iter().map(read).collect::<Result<_, _>>()?;
        let unusual = Unusual { bench, before, runtime: tempfile::tempdir()? };
        for (option, before) in OPTIONS.iter().zip(&unusual.before) {
            std::fs::write(path(bench, option), if before.trim() == "0" { "1" } else { "0" })?;
        }
        Ok(unusual)
    }

    /// Returns a session of more than 30 changes, ten of which are of the top level, and which waits for an event.
    fn session(&self) -> String {
        let options = OPTIONS.iter().zip(&self.before).map(|(option, before)| {
            format!("option {option} {};", if before.trim() == "0" { "off" } else { "on" })
        });
        let events = [
            "sched:sched_switch if prev_prio < 200",
            "sched:sched_wakeup if prio < 200",
            "sched:sched_waking if prio < 200",
            "sched:sched_process_exec if pid > 1",
            "sched:sched_process_exit if pid > 1",
            "sched:sched_process_fork if child_pid > 1",
        ];
        let events = events.map(|event| format!("trace {event} {{ trigger stacktrace count 5; }}"));
        format!(
            "global {{ {} }} buffer 64KiB per cpu; clock mono; {} stop after 20ms; \
             stop on syscalls:sys_enter_kill if pid == 1900000009;",
            options.collect::<Vec<_>>().join(" "),
            events.join(" ")
        )
    }

    fn tracec(&self, subcommand: &str) -> Command {
        let mut command = self.bench.tracec(subcommand);
        command.arg("--runtime-dir").arg(self.runtime_dir());
        command
    }

    fn runtime_dir(&self) -> PathBuf {
        self.runtime.path().join("run")
    }

    fn run(&self) -> Command {
        let mut command = self.tracec("run");
        command.args(["-e", &self.session(), "--quiet"]);
        command
    }

    /// Returns what the sessions of this test may change.
    fn state(&self) -> Result<State, Failed> {
        let read = |option: &&str| std::fs::read_to_string(path(self.bench, option));
        let entries = std::fs::read_dir(self.bench.tracefs.join("instances"))?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names: Result<BTreeSet<String>, Failed> = names.collect();
        Ok(State {
            options: OPTIONS.iter().map(read).collect::<Result<_, _>>()?,
            instances: names?.into_iter().filter(|name| name.starts_with("tracec")).collect(),
        })
    }

    /// Recovers twice, and compares what is there with what was before.
    fn recovers(&self, before: &State, point: Point) -> Result<(), Failed> {
        let recover = || finish(self.tracec("recover"), TIMEOUT);
        recover()?;
        let second = recover()?;
        let after = self.state()?;
        if after != *before || second.status.code() != Some(0) {
            return Err(format!("{point:?}: {after:?} in place of {before:?}\n{second}").into());
        }
        Ok(())
    }
}

impl Drop for Unusual<'_> {
    fn drop(&mut self) {
        for (option, before) in OPTIONS.iter().zip(&self.before) {
            // The snapshot after the test shows a failure.
            let _ = std::fs::write(path(self.bench, option), before.trim());
        }
    }
}

fn path(bench: &Bench, option: &str) -> PathBuf {
    bench.tracefs.join("options").join(option)
}

#[derive(Debug, PartialEq, Eq)]
struct State {
    options: Vec<String>,
    instances: BTreeSet<String>,
}

/// A moment: before or after the changing system call of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Before(usize),
    After(usize),
}

/// Returns both moments of each of so many system calls.
fn points(calls: usize) -> Vec<Point> {
    (0..calls).flat_map(|call| [Point::Before(call), Point::After(call)]).collect()
}

fn session_at_each_call(bench: &Bench) -> Result<(), Failed> {
    let unusual = Unusual::new(bench)?;
    let before = unusual.state()?;
    let traced = [bench.tracefs.clone(), unusual.runtime_dir()];
    let calls = trace(unusual.run(), &traced, None)?;
    if unusual.state()? != before || calls < 40 {
        return Err(format!("{calls} calls; the whole session left {:?}", unusual.state()?).into());
    }
    for &&point in &Points::chosen()?.of(&points(calls), "kills at system calls of a session") {
        trace(unusual.run(), &traced, Some(point))?;
        unusual.recovers(&before, point)?;
    }
    Ok(())
}

fn recovery_at_each_call(bench: &Bench) -> Result<(), Failed> {
    let unusual = Unusual::new(bench)?;
    let before = unusual.state()?;
    let traced = [bench.tracefs.clone(), unusual.runtime_dir()];
    let calls = trace(unusual.run(), &traced, None)?;
    // A session is killed while all of its changes are in force: the last ones are those of its undo.
    let applied = Point::After(calls * 2 / 3);
    let killed = || -> Result<(), Failed> {
        trace(unusual.run(), &traced, Some(applied))?;
        match unusual.state()? == before {
            true => Err("the session has left nothing".into()),
            false => Ok(()),
        }
    };
    killed()?;
    let calls = trace(unusual.tracec("recover"), &traced, None)?;
    if unusual.state()? != before || calls < 12 {
        return Err(format!("{calls} calls; the recovery left {:?}", unusual.state()?).into());
    }
    for &&point in &Points::chosen()?.of(&points(calls), "kills at system calls of a recovery") {
        killed()?;
        trace(unusual.tracec("recover"), &traced, Some(point))?;
        unusual.recovers(&before, point)?;
    }
    Ok(())
}

/// What another program has written since is left, and reported; the rest is put back.
fn foreign_write_survives(bench: &Bench) -> Result<(), Failed> {
    let unusual = Unusual::new(bench)?;
    let before = unusual.state()?;
    let mut command = unusual.tracec("run");
    // All values are flags: only one that is written twice differs from what the session left.
    let clock = std::fs::read_to_string(bench.tracefs.join("trace_clock"))?;
    command
        .args(["-e", "marker \"armed\"; global discarding { clock mono; } trace sched:sched_process_exec;"]);
    let mut running = super::bench::start(command)?;
    running.until("armed", TIMEOUT)?;
    // Neither the clock of the session nor a default: where the clock of CPUs is unstable, that is `global`.
    std::fs::write(bench.tracefs.join("trace_clock"), "boot")?;
    running.signal(rustix::process::Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    let left = std::fs::read_to_string(bench.tracefs.join("trace_clock"))?;
    let old = clock.split_once('[').and_then(|(_, rest)| rest.split(']').next()).ok_or("no clock")?;
    std::fs::write(bench.tracefs.join("trace_clock"), old)?;
    finished
        .expect_status(1)?
        .expect_stderr("trace_clock")?
        .expect_stderr("which the session did not write")?;
    match left.contains("[boot]") && unusual.state()? == before {
        true => Ok(()),
        false => Err(format!("{left}\n{finished}").into()),
    }
}

/// `PTRACE_SYSCALL_INFO_ENTRY` and `PTRACE_SYSCALL_INFO_EXIT` (include/uapi/linux/ptrace.h).
const ENTRY: u8 = 1;
const EXIT: u8 = 2;
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;

/// `struct ptrace_syscall_info`, as words: the operation is the first byte, the number of the call the fourth word, and its
/// arguments follow.
type SyscallInfo = [u64; 11];

/// Runs a command, and kills it at a point. Returns how many system calls changed a file below one of `directories`.
fn trace(mut command: Command, directories: &[PathBuf], point: Option<Point>) -> Result<usize, Failed> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let trace_me = || match request(libc::PTRACE_TRACEME, 0, 0, 0) {
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    };
    // SAFETY: the function makes one system call.
    unsafe { command.pre_exec(trace_me) };
    // Its end is waited for here, with that of its threads.
    let child = command.spawn()?;
    let pid = child.id().cast_signed();
    let mut tracer = Tracer { pid, directories, point, calls: 0, inside: BTreeSet::new() };
    let mut is_first = true;
    loop {
        let mut status = 0;
        // SAFETY: the kernel writes a status to a variable that lives across the call.
        let thread = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL) };
        if thread == -1 {
            return Err(std::io::Error::last_os_error().into());
        }
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            if thread == pid {
                return Ok(tracer.calls);
            }
            continue;
        }
        let mut signal = libc::WSTOPSIG(status);
        if is_first {
            let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_EXITKILL;
            request(libc::PTRACE_SETOPTIONS, thread, 0, options as usize);
            is_first = false;
            signal = 0;
        } else if signal == libc::SIGTRAP | 0x80 {
            tracer.system_call(thread)?;
            signal = 0;
        } else if signal == libc::SIGTRAP || signal == libc::SIGSTOP {
            // An event of ptrace, or a new thread.
            signal = 0;
        }
        request(libc::PTRACE_SYSCALL, thread, 0, signal as usize);
    }
}

fn request(request: libc::c_uint, thread: i32, address: usize, data: usize) -> libc::c_long {
    // SAFETY: none of the requests of this file but the one with a buffer writes to memory; that buffer has the size that is
    // passed, and lives across the call.
    unsafe { libc::ptrace(request, thread, address, data) }
}

struct Tracer<'d> {
    pid: i32,
    directories: &'d [PathBuf],
    point: Option<Point>,
    /// The changing system calls so far.
    calls: usize,
    /// The threads that are in the one at which the process is killed.
    inside: BTreeSet<i32>,
}

impl Tracer<'_> {
    fn system_call(&mut self, thread: i32) -> Result<(), Failed> {
        let mut info: SyscallInfo = [0; 11];
        let size = request(GET_SYSCALL_INFO, thread, size_of::<SyscallInfo>(), info.as_mut_ptr() as usize);
        if size <= 0 {
            // It was killed meanwhile.
            return Ok(());
        }
        match info[0].to_ne_bytes()[0] {
            ENTRY if self.changes(info[3] as libc::c_long, &info[4..]) => {
                if self.point == Some(Point::Before(self.calls)) {
                    self.kill();
                }
                if self.point == Some(Point::After(self.calls)) {
                    self.inside.insert(thread);
                }
                self.calls += 1;
            }
            EXIT if self.inside.remove(&thread) => self.kill(),
            _ => {}
        }
        Ok(())
    }

    fn kill(&self) {
        // SAFETY: the call takes two numbers.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
    }

    /// Returns whether a system call changes a file or a directory of those that are watched.
    fn changes(&self, number: libc::c_long, arguments: &[u64]) -> bool {
        match number {
            libc::SYS_write | libc::SYS_pwrite64 | libc::SYS_ftruncate => {
                let file = std::fs::read_link(format!("/proc/{}/fd/{}", self.pid, arguments[0]));
                file.is_ok_and(|file| self.is_watched(&file))
            }
            // The flags of openat2 are in memory: a file that it creates is the journal's, which openat creates.
            libc::SYS_openat => arguments[2] & libc::O_CREAT as u64 != 0,
            libc::SYS_mkdirat | libc::SYS_unlinkat => true,
            _ => false,
        }
    }

    fn is_watched(&self, file: &Path) -> bool {
        self.directories.iter().any(|directory| file.starts_with(directory))
    }
}

//! What makes the kernel record: programs that use as much of it as they can, each in a process of its own.

mod calls;
mod disks;
mod files;
mod sockets;
mod tasks;
mod uring;

use std::ffi::OsStr;
use std::io;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

/// The variable that names the load which a process runs instead of the tests.
const ASKED: &str = "TRACEC_TEXTS_LOAD";

/// How long a load may take: emulated machines are some twenty times slower than real ones.
const LIMIT: Duration = Duration::from_secs(480);

/// A program that makes the kernel record.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    /// Its name.
    pub(crate) name: &'static str,
    run: Run,
}

#[derive(Clone, Copy)]
enum Run {
    Function(fn() -> Result<(), Failed>),
    /// A script of the shell.
    Script(&'static str),
}

/// Every system call, with each kind of arguments.
pub(crate) const CALLS: Load = Load { name: "calls", run: Run::Function(|| calls::run(&calls::ARGUMENTS)) };

/// Every system call once.
pub(crate) const CALLS_ONCE: Load =
    Load { name: "calls-once", run: Run::Function(|| calls::run(&calls::ARGUMENTS[..1])) };

/// What a shell does.
pub(crate) const SHELL: Load = Load { name: "shell", run: Run::Script(include_str!("shell.sh")) };

/// File systems on loop devices: ext2, ext3 and ext4.
pub(crate) const EXT: Load = Load { name: "ext", run: Run::Function(|| disks::run("ext")) };

/// XFS on loop devices.
pub(crate) const XFS: Load = Load { name: "xfs", run: Run::Function(|| disks::run("xfs")) };

/// Btrfs on a loop device.
pub(crate) const BTRFS: Load = Load { name: "btrfs", run: Run::Function(|| disks::run("btrfs")) };

/// Networks and sockets.
pub(crate) const SOCKETS: Load = Load { name: "sockets", run: Run::Function(sockets::run) };

/// Timers, signals, schedulers, control groups, programs in the kernel.
pub(crate) const TASKS: Load = Load { name: "tasks", run: Run::Function(tasks::run) };

/// Requests of io_uring(7).
pub(crate) const URING: Load = Load { name: "uring", run: Run::Function(uring::run) };

/// All loads.
pub(crate) const ALL: &[Load] = &[CALLS, CALLS_ONCE, SHELL, EXT, XFS, BTRFS, SOCKETS, TASKS, URING];

/// Runs the load that the environment names, if it names one.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let asked = std::env::var(ASKED).ok()?;
    let Some(load) = ALL.iter().find(|load| load.name == asked) else {
        eprintln!("there is no load {asked:?}");
        return Some(ExitCode::FAILURE);
    };
    // The first process of a namespace takes all others with it when it ends.
    let result = apart().map_err(Failed::from).and_then(|()| {
        in_child(|| {
            let ended = match load.run {
                Run::Function(run) => run(),
                Run::Script(script) => shell(script, &[]),
            };
            if let Err(error) = &ended {
                eprintln!("{}", error.message().unwrap_or("no reason"));
            }
            ended.is_ok()
        })
    });
    match result {
        Ok(true) => Some(ExitCode::SUCCESS),
        Ok(false) => Some(ExitCode::FAILURE),
        Err(error) => {
            eprintln!("{}", error.message().unwrap_or("no reason"));
            Some(ExitCode::FAILURE)
        }
    }
}

/// Runs a script with these parameters, which has to succeed.
fn shell(script: &str, parameters: &[&OsStr]) -> Result<(), Failed> {
    let status = Command::new("sh").args(["-c", script, "sh"]).args(parameters).status()?;
    if status.success() { Ok(()) } else { Err(format!("a script: {status}").into()) }
}

impl Load {
    /// Runs it to its end.
    pub(crate) fn run(self) -> Result<(), Failed> {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(ASKED, self.name).stdin(Stdio::null());
        let mut child = command.spawn()?;
        let begin = Instant::now();
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if begin.elapsed() > LIMIT => {
                    child.kill()?;
                    child.wait()?;
                    return Err(format!("the load {} does not end", self.name).into());
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        if status.success() { Ok(()) } else { Err(format!("the load {}: {status}", self.name).into()) }
    }
}

/// Puts this process into namespaces of its own, so that its mounts, names, networks and messages are not those of the
/// machine. Its children are in a namespace of processes of their own.
fn apart() -> io::Result<()> {
    let namespaces =
        libc::CLONE_NEWNS | libc::CLONE_NEWUTS | libc::CLONE_NEWIPC | libc::CLONE_NEWNET | libc::CLONE_NEWPID;
    let private = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the calls take numbers and constant strings.
    unsafe {
        // It fails where this process leads a session already.
        libc::setsid();
        if libc::unshare(namespaces) == -1
            || libc::mount(c"none".as_ptr(), c"/".as_ptr(), std::ptr::null(), private, std::ptr::null()) == -1
        {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Runs a function in a child, and returns whether it succeeds. The child ends with this process.
fn in_child(run: impl FnOnce() -> bool) -> Result<bool, Failed> {
    // SAFETY: the process has one thread.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(io::Error::last_os_error().into()),
        0 => {
            // SAFETY: the calls take numbers; the parent keeps what both have.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                let code = libc::c_int::from(!run());
                libc::_exit(code)
            }
        }
        child => {
            let mut status = 0;
            // SAFETY: the status is a local variable.
            let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
            Ok(ended == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0)
        }
    }
}

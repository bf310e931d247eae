//! Every system call, with arguments that are wrong everywhere: each in a process of its own.

use std::io;

use libtest_mimic::Failed;

/// The numbers of the calls: a few more than any of the kernels has.
const NUMBERS: std::ops::Range<libc::c_long> = 0..480;

/// The calls that are not made: what they do with these arguments is not worth the risk, or they cannot be made by a
/// function.
const LEFT_OUT: &[(libc::c_long, &str)] = &[
    (libc::SYS_reboot, "stops the machine"),
    (libc::SYS_kexec_load, "loads a kernel"),
    (libc::SYS_kexec_file_load, "loads a kernel"),
    (libc::SYS_vfork, "its child returns on the stack of its parent"),
];

/// The arguments of all six parameters: no descriptor, no process, no signal, no address; and then what means
/// `itself` or `nothing` in many calls.
pub(super) const ARGUMENTS: [libc::c_long; 2] = [-1, 0];

/// How long a call may block, in microseconds.
const PATIENCE: libc::suseconds_t = 100_000;

/// Makes all calls with these arguments.
pub(super) fn run(arguments: &[libc::c_long]) -> Result<(), Failed> {
    own_input()?;
    for number in NUMBERS {
        if LEFT_OUT.iter().any(|(left_out, _)| *left_out == number) {
            continue;
        }
        for argument in arguments {
            call(number, *argument)?;
        }
    }
    Ok(())
}

/// Makes the descriptor 0, which is the one that the calls with zeroes are about, a file in memory: `fchmod(0, 0)` would
/// take everybody's permissions of `/dev/null`.
fn own_input() -> io::Result<()> {
    // SAFETY: the name is a constant string; the descriptor 0 is replaced before anybody reads it.
    match unsafe { libc::dup2(libc::memfd_create(c"input".as_ptr(), 0), libc::STDIN_FILENO) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Makes one call in a process, which ends by a signal if the call blocks.
fn call(number: libc::c_long, a: libc::c_long) -> io::Result<()> {
    // SAFETY: the process has one thread, and what the child runs is no more than the parent could.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let limit = libc::itimerval {
                it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
                it_value: libc::timeval { tv_sec: 0, tv_usec: PATIENCE },
            };
            // SAFETY: the structure is a local one. No argument of the call is an address that can be written.
            unsafe {
                libc::setitimer(libc::ITIMER_REAL, &raw const limit, std::ptr::null_mut());
                libc::syscall(number, a, a, a, a, a, a);
                libc::_exit(0)
            }
        }
        child => {
            let mut status = 0;
            // How it ends does not matter: some calls kill their process.
            // SAFETY: the status is a local variable.
            while unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) } == child
                && libc::WIFSTOPPED(status)
            {
                // SAFETY: the child has not been waited for, so that the pid is its own.
                unsafe { libc::kill(child, libc::SIGKILL) };
            }
            Ok(())
        }
    }
}

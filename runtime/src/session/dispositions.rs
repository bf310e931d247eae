//! The dispositions of signals that the command of a session inherits: those with which this process was started.

use std::io;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether SIGPIPE was ignored when the process was started. Rust's runtime ignores it before `main`, and does not keep
/// what it was.
static PIPE_WAS_IGNORED: AtomicBool = AtomicBool::new(false);

/// The C library calls this function before `main`, and so before Rust's runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look_at_sigpipe;

extern "C" fn look_at_sigpipe() {
    PIPE_WAS_IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
}

/// The dispositions that this process changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inherited {
    pipe_is_ignored: bool,
    child_is_ignored: bool,
}

impl Inherited {
    /// Sets the dispositions as a program finds them at its start. Only async-signal-safe functions are called.
    pub(super) fn hand_to_program(self) -> io::Result<()> {
        set(libc::SIGPIPE, self.pipe_is_ignored)?;
        set(libc::SIGCHLD, self.child_is_ignored)
    }
}

/// A guard that makes the status of children available: while SIGCHLD is ignored, the kernel discards it.
#[derive(Debug)]
pub(super) struct Reaping {
    before: Inherited,
}

impl Reaping {
    pub(super) fn begin() -> io::Result<Self> {
        let pipe_is_ignored = PIPE_WAS_IGNORED.load(Ordering::Relaxed);
        let before = Inherited { pipe_is_ignored, child_is_ignored: is_ignored(libc::SIGCHLD) };
        if before.child_is_ignored {
            set(libc::SIGCHLD, false)?;
        }
        Ok(Reaping { before })
    }

    pub(super) fn before(&self) -> Inherited {
        self.before
    }
}

impl Drop for Reaping {
    fn drop(&mut self) {
        if self.before.child_is_ignored {
            // It could be set to the default action before, so this cannot fail.
            let _ = set(libc::SIGCHLD, true);
        }
    }
}

/// Returns whether a signal is ignored.
pub(super) fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action sigaction only writes the present one; zeroed is a valid initial value.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

fn set(signal: i32, ignored: bool) -> io::Result<()> {
    let disposition = if ignored { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: both dispositions are valid for every signal that can be caught; no code is installed.
    match unsafe { libc::signal(signal, disposition) } {
        libc::SIG_ERR => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

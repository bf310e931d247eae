//! The signals that end a session, read from a signalfd.
//!
//! This file calls libc, since rustix has neither `signalfd` nor the thread's signal mask.

use std::io;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::FromRawFd;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;

/// The signals that end a session. [`Signals::block`] also blocks SIGPIPE, so that a closed pipe is reported as EPIPE
/// only.
const ENDING: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// A thread's signal mask.
#[derive(Clone, Copy)]
pub(super) struct Mask(libc::sigset_t);

impl Mask {
    fn of(signals: impl IntoIterator<Item = i32>) -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: sigemptyset initialises the set it is given, and sigaddset changes an initialised one.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in signals {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            Mask(set.assume_init())
        }
    }

    fn apply(&self, how: i32) -> io::Result<Mask> {
        let mut before = Mask::of([]);
        // SAFETY: both point to initialised sets that live across the call.
        match unsafe { libc::pthread_sigmask(how, &self.0, &mut before.0) } {
            0 => Ok(before),
            errno => Err(io::Error::from_raw_os_error(errno)),
        }
    }

    /// Makes this the mask of the calling thread and restores the default action of SIGPIPE, as a program expects at
    /// its start. Only async-signal-safe functions are called.
    pub(super) fn hand_to_program(&self) -> io::Result<()> {
        self.apply(libc::SIG_SETMASK)?;
        // SAFETY: SIG_DFL is a valid disposition for SIGPIPE.
        match unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) } {
            libc::SIG_ERR => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}

/// The signalfd of a thread, in which the ending signals are blocked while it exists. Other threads of the process must
/// block them too, or one of them may receive a signal with its default action.
pub(super) struct Signals {
    fd: OwnedFd,
    before: Mask,
    /// The mask belongs to the thread.
    _not_send: PhantomData<*const ()>,
}

impl Signals {
    pub(super) fn block() -> io::Result<Self> {
        // An ignored signal (nohup, a background job) stays ignored.
        let ending = ENDING.into_iter().filter(|&signal| !is_ignored(signal));
        let mask = Mask::of(ending.chain([libc::SIGPIPE]));
        let before = mask.apply(libc::SIG_BLOCK)?;
        // SAFETY: the mask is initialised; -1 asks for a new descriptor.
        let fd = unsafe { libc::signalfd(-1, &mask.0, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            let error = io::Error::last_os_error();
            before.apply(libc::SIG_SETMASK)?;
            return Err(error);
        }
        // SAFETY: signalfd gave a new descriptor, which nothing else owns.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Signals { fd, before, _not_send: PhantomData })
    }

    /// Returns the thread's mask before this was created.
    pub(super) fn before(&self) -> Mask {
        self.before
    }

    /// Returns the next signal that has arrived, if any. SIGPIPE is skipped.
    pub(super) fn next(&self) -> Result<Option<Arrived>, Errno> {
        loop {
            match self.take() {
                Ok(Some(Arrived { number: libc::SIGPIPE, .. })) | Err(Errno::INTR) => {}
                other => return other,
            }
        }
    }

    fn take(&self) -> Result<Option<Arrived>, Errno> {
        const SIZE: usize = size_of::<libc::signalfd_siginfo>();
        let mut bytes = [0; SIZE];
        match rustix::io::read(&self.fd, &mut bytes) {
            // `ssi_signo`, `ssi_errno` and `ssi_code` come first, 32 bits each (include/uapi/linux/signalfd.h).
            Ok(SIZE) => {
                let [a, b, c, d, _, _, _, _, e, f, g, h, ..] = bytes;
                Ok(Some(Arrived {
                    number: i32::from_ne_bytes([a, b, c, d]),
                    code: i32::from_ne_bytes([e, f, g, h]),
                }))
            }
            Ok(_) | Err(Errno::AGAIN) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // A pending signal has had its effect while the session was ending. Unblocked, it would kill the process.
        while let Ok(Some(_)) = self.take() {}
        // Blocking succeeded with the same set before, so this cannot fail.
        let _ = self.before.apply(libc::SIG_SETMASK);
    }
}

/// A signal that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) number: i32,
    /// The sender: `si_code` of `sigaction(2)`.
    code: i32,
}

impl Arrived {
    /// Returns whether the signal has to be forwarded to the command. The terminal sends SIGINT and SIGQUIT to its
    /// whole foreground group, which includes the command; they come from the kernel (`__isig`, drivers/tty/n_tty.c). A
    /// signal that a process sends comes to this process alone.
    pub(super) fn is_to_be_passed_on(self) -> bool {
        let by_terminal = self.code == libc::SI_KERNEL;
        !(by_terminal && matches!(self.number, libc::SIGINT | libc::SIGQUIT))
    }
}

fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action sigaction only writes the present one; zeroed is a valid initial value.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrived_signal_has_its_sender() {
        let signals = Signals::block().unwrap();
        // SAFETY: the signal is for this thread, which has blocked it.
        assert_eq!(unsafe { libc::raise(libc::SIGTERM) }, 0);
        let arrived = Arrived { number: libc::SIGTERM, code: libc::SI_TKILL };
        assert_eq!(signals.next().unwrap(), Some(arrived));
        assert_eq!(signals.next().unwrap(), None);
    }

    #[test]
    fn signal_of_the_terminal_is_not_forwarded() {
        let passed_on = |number, code| Arrived { number, code }.is_to_be_passed_on();
        for number in [libc::SIGINT, libc::SIGQUIT] {
            assert!(!passed_on(number, libc::SI_KERNEL));
            assert!(passed_on(number, libc::SI_USER) && passed_on(number, libc::SI_QUEUE));
        }
        for number in [libc::SIGTERM, libc::SIGHUP] {
            assert!(passed_on(number, libc::SI_KERNEL) && passed_on(number, libc::SI_USER));
        }
    }
}

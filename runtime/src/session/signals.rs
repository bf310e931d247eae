//! The signals of a session, which are blocked while it changes the kernel and read from a signalfd.
//!
//! `tracec_kernel::tables::signals` says what each signal does.
//!
//! This file makes system calls by number. rustix has neither `signalfd` nor the thread's signal mask, and the
//! functions of glibc leave out signals 32 and 33, which it uses between its own threads (to cancel one, and to change
//! the user of all of them). tracec does neither, so that it can block them too.

use std::io;
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::fd::FromRawFd;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use tracec_kernel::tables::signals::{Effect, with_effect};

use super::dispositions::is_ignored;

/// A thread's signal mask, as the kernel has it: signal 1 is the lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mask(u64);

impl Mask {
    fn of(signals: impl IntoIterator<Item = i32>) -> Self {
        Mask(signals.into_iter().fold(0, |mask, signal| mask | 1 << (signal - 1)))
    }

    /// Blocks these signals in the calling thread. Only async-signal-safe functions are called.
    pub(super) fn block(self) -> Result<(), Errno> {
        self.apply(libc::SIG_BLOCK).map(|_| ())
    }

    /// Makes this the mask of the calling thread. Only async-signal-safe functions are called.
    pub(super) fn hand_to_program(self) -> Result<(), Errno> {
        self.apply(libc::SIG_SETMASK).map(|_| ())
    }

    fn apply(self, how: i32) -> Result<Mask, Errno> {
        let mut before = 0_u64;
        // SAFETY: the kernel reads one signal set and writes the other. Both have the size given and live across the
        // call.
        let result = unsafe {
            libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const self.0, &raw mut before, size_of::<u64>())
        };
        if result == 0 { Ok(Mask(before)) } else { Err(last_errno()) }
    }

    /// Returns a signalfd for the signals of this mask.
    fn descriptor(self) -> Result<OwnedFd, Errno> {
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: the kernel reads a signal set of the size given; -1 asks for a new descriptor.
        let fd =
            unsafe { libc::syscall(libc::SYS_signalfd4, -1, &raw const self.0, size_of::<u64>(), flags) };
        match i32::try_from(fd) {
            // SAFETY: the kernel gave a new descriptor, which nothing else owns.
            Ok(fd @ 0..) => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
            _ => Err(last_errno()),
        }
    }
}

/// The signals that end or pause a session, blocked in the calling thread while this exists. Several guards of a thread
/// have to be dropped in the reverse order.
///
/// A signal of the process goes to any thread that has not blocked it, so other threads must block them too.
///
/// A fault of the process itself is not blocked by this: the kernel then sends the signal with its default action
/// (`force_sig_info_to_task`, kernel/signal.c), so that there is a core dump.
#[derive(Debug)]
pub(super) struct Blocked {
    ending: Mask,
    pausing: Mask,
    before: Mask,
    /// The mask belongs to the thread.
    _not_send: PhantomData<*const ()>,
}

impl Blocked {
    pub(super) fn new() -> Result<Self, Errno> {
        Blocked::with(&[])
    }

    /// As [`Blocked::new`], with signals that end the session because it says so, also where they are ignored: a blocked
    /// signal is pending even then (`sig_ignored`, kernel/signal.c).
    fn with(also: &[i32]) -> Result<Self, Errno> {
        // An ignored signal (nohup, a background job) stays ignored.
        let wanted = |effect| with_effect(effect).filter(|&signal| !is_ignored(signal));
        // SIGPIPE is blocked so that a closed pipe is reported as EPIPE only.
        let ending = Mask::of(wanted(Effect::Ends).chain([libc::SIGPIPE]).chain(also.iter().copied()));
        let pausing = Mask::of(wanted(Effect::Pauses));
        let before = Mask(ending.0 | pausing.0).apply(libc::SIG_BLOCK)?;
        Ok(Blocked { ending, pausing, before, _not_send: PhantomData })
    }

    /// Returns the signals that are blocked.
    pub(super) fn mask(&self) -> Mask {
        Mask(self.ending.0 | self.pausing.0)
    }

    /// Returns the thread's mask before this was created.
    pub(super) fn before(&self) -> Mask {
        self.before
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // Blocking succeeded with arguments of the same sizes before, so this cannot fail.
        let _ = self.before.apply(libc::SIG_SETMASK);
    }
}

/// The signals that end a session, blocked in the calling thread while this exists. Unlike those of [`Signals`], one that
/// arrives stays pending: it has its effect on the process when this is dropped.
#[derive(Debug)]
pub(super) struct Ending {
    mask: Mask,
    before: Mask,
    /// The mask belongs to the thread.
    _not_send: PhantomData<*const ()>,
}

impl Ending {
    pub(super) fn new() -> Result<Self, Errno> {
        // A blocked signal is pending even if it is ignored (`sig_ignored`, kernel/signal.c).
        let mask = Mask::of(with_effect(Effect::Ends).filter(|&signal| !is_ignored(signal)));
        let before = mask.apply(libc::SIG_BLOCK)?;
        Ok(Ending { mask, before, _not_send: PhantomData })
    }

    /// Returns a descriptor that polls as readable once one has arrived.
    pub(super) fn descriptor(&self) -> Result<OwnedFd, Errno> {
        self.mask.descriptor()
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Blocking succeeded with arguments of the same sizes before, so this cannot fail.
        let _ = self.before.apply(libc::SIG_SETMASK);
    }
}

/// The signalfds of a thread.
#[derive(Debug)]
pub(super) struct Signals {
    ending: OwnedFd,
    pausing: OwnedFd,
    blocked: Blocked,
}

impl Signals {
    /// Blocks the signals, and those that end the session because it says so.
    pub(super) fn block(also: &[i32]) -> Result<Self, Errno> {
        let blocked = Blocked::with(also)?;
        let (ending, pausing) = (blocked.ending.descriptor()?, blocked.pausing.descriptor()?);
        Ok(Signals { ending, pausing, blocked })
    }

    pub(super) fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    /// Returns a descriptor that polls as readable when a signal that ends the session has arrived.
    pub(super) fn ending(&self) -> BorrowedFd<'_> {
        self.ending.as_fd()
    }

    /// Returns a descriptor that polls as readable when a signal that pauses the session has arrived.
    pub(super) fn pausing(&self) -> BorrowedFd<'_> {
        self.pausing.as_fd()
    }

    /// Returns the next signal that ends the session, if one has arrived. SIGPIPE is skipped.
    pub(super) fn next(&self) -> Result<Option<Arrived>, Errno> {
        loop {
            match self.take() {
                Ok(Some(Arrived { number: libc::SIGPIPE, .. })) | Err(Errno::INTR) => {}
                other => return other,
            }
        }
    }

    /// Lets the signals that pause the session have their default action, and returns when the process continues.
    ///
    /// They are not read before: a SIGCONT that comes first removes them, and then the process must not stop, since
    /// another SIGCONT will not come. The kernel also keeps a process running that has no shell to continue it.
    pub(super) fn stop(&self) -> Result<(), Errno> {
        // A pending signal has its effect before the system call returns.
        self.stop_at_once()?;
        self.blocked.pausing.block()
    }

    /// Gives the signals that pause the session their default action from now on.
    pub(super) fn stop_at_once(&self) -> Result<(), Errno> {
        self.blocked.pausing.apply(libc::SIG_UNBLOCK).map(|_| ())
    }

    fn take(&self) -> Result<Option<Arrived>, Errno> {
        const SIZE: usize = size_of::<libc::signalfd_siginfo>();
        let mut bytes = [0; SIZE];
        match rustix::io::read(&self.ending, &mut bytes) {
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

impl Drop for Signals {
    fn drop(&mut self) {
        // A pending signal has had its effect while the session was ending. Unblocked, it would kill the process.
        while let Ok(Some(_)) = self.take() {}
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

fn last_errno() -> Errno {
    crate::errno::errno_of(&io::Error::last_os_error())
}

/// Sends a signal to a thread, which has blocked it.
#[cfg(test)]
pub(super) fn send(thread: rustix::process::Pid, signal: i32) {
    let process = rustix::process::getpid();
    let (process, thread) = (process.as_raw_nonzero().get(), thread.as_raw_nonzero().get());
    // SAFETY: tgkill takes three numbers.
    assert_eq!(unsafe { libc::syscall(libc::SYS_tgkill, process, thread, signal) }, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send_here(signal: i32) {
        send(rustix::thread::gettid(), signal);
    }

    #[test]
    fn arrived_signal_has_its_sender() {
        let signals = Signals::block(&[]).unwrap();
        send_here(libc::SIGTERM);
        let arrived = Arrived { number: libc::SIGTERM, code: libc::SI_TKILL };
        assert_eq!(signals.next().unwrap(), Some(arrived));
        assert_eq!(signals.next().unwrap(), None);
    }

    #[test]
    fn every_signal_that_ends_a_session_arrives() {
        let signals = Signals::block(&[]).unwrap();
        // One that this process was started with as ignored stays ignored.
        for signal in with_effect(Effect::Ends).filter(|signal| !is_ignored(*signal)) {
            send_here(signal);
            assert_eq!(signals.next().unwrap().map(|arrived| arrived.number), Some(signal));
        }
    }

    /// The variable that makes the next test cause a fault.
    const FAULT: &str = "TRACEC_TEST_FAULT";

    #[test]
    fn fault_of_the_process_kills_it_with_its_signal() {
        use std::os::unix::process::ExitStatusExt;

        if let Ok(fault) = std::env::var(FAULT) {
            let no_core = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
            rustix::process::setrlimit(rustix::process::Resource::Core, no_core).unwrap();
            let _signals = Signals::block(&[]).unwrap();
            if fault == "abort" {
                std::process::abort();
            }
            // SAFETY: a breakpoint changes nothing; without a debugger the kernel sends SIGTRAP.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                std::arch::asm!("int3");
            }
            panic!("it goes on after the fault");
        }
        let name = "session::signals::tests::fault_of_the_process_kills_it_with_its_signal";
        let faults = [("abort", libc::SIGABRT), ("trap", libc::SIGTRAP)];
        for (fault, signal) in faults.into_iter().filter(|_| cfg!(target_arch = "x86_64")) {
            let mut again = std::process::Command::new(std::env::current_exe().unwrap());
            let output = again.args([name, "--exact"]).env(FAULT, fault).output().unwrap();
            assert_eq!(output.status.signal(), Some(signal), "{fault}: {output:?}");
        }
    }

    #[test]
    fn mask_is_as_before_and_pending_signals_are_gone() {
        let mask = || Mask(0).apply(libc::SIG_BLOCK).unwrap();
        let before = mask();
        let signals = Signals::block(&[]).unwrap();
        let outer = mask();
        assert_eq!(outer, Mask(before.0 | signals.blocked().mask().0));
        drop(Blocked::new().unwrap());
        assert_eq!(mask(), outer, "of two guards the first one stays in force");
        send_here(libc::SIGUSR1);
        drop(signals);
        assert_eq!(mask(), before);
    }

    #[test]
    fn signal_that_pauses_stays_pending_until_it_stops() {
        let signals = Signals::block(&[]).unwrap();
        send_here(libc::SIGTSTP);
        assert_eq!(signals.next().unwrap(), None, "it does not end the session");
        let readable = || {
            let mut fds =
                [rustix::event::PollFd::from_borrowed_fd(signals.pausing(), rustix::event::PollFlags::IN)];
            rustix::event::poll(&mut fds, Some(&rustix::time::Timespec::default())).unwrap() == 1
        };
        assert!(readable());
        // SIGCONT removes a pending stop signal, so that this process does not stop.
        send_here(libc::SIGCONT);
        assert!(!readable());
        signals.stop().unwrap();
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

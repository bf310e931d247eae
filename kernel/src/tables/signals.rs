//! The signals that a program can wait for: signal(7), include/linux/signal.h.

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name in C.
    pub name: &'static str,
    /// Why a session cannot wait for it; `None` where it can.
    pub refused: Option<&'static str>,
}

const fn signal(name: &'static str) -> Signal {
    Signal { name, refused: None }
}

const fn refused(name: &'static str, why: &'static str) -> Signal {
    Signal { name, refused: Some(why) }
}

const ENDS: &str = "it ends every session already";
const UNSEEN: &str = "no program can catch it";
const FAULT: &str = "the kernel sends it for a fault of the program itself";
const CHILD: &str = "it reports the end of the command: write `stop with command`";
const PIPE: &str = "it reports that the output has no reader, which ends every session already";
const JOB: &str = "it belongs to the shell's job control";

/// All signals except the real-time signals.
pub const ALL: &[Signal] = &[
    refused("SIGHUP", ENDS),
    refused("SIGINT", ENDS),
    refused("SIGQUIT", ENDS),
    refused("SIGILL", FAULT),
    refused("SIGTRAP", FAULT),
    refused("SIGABRT", FAULT),
    refused("SIGBUS", FAULT),
    refused("SIGFPE", FAULT),
    refused("SIGKILL", UNSEEN),
    signal("SIGUSR1"),
    refused("SIGSEGV", FAULT),
    signal("SIGUSR2"),
    refused("SIGPIPE", PIPE),
    signal("SIGALRM"),
    refused("SIGTERM", ENDS),
    refused("SIGSTKFLT", FAULT),
    refused("SIGCHLD", CHILD),
    refused("SIGCONT", JOB),
    refused("SIGSTOP", UNSEEN),
    refused("SIGTSTP", JOB),
    refused("SIGTTIN", JOB),
    refused("SIGTTOU", JOB),
    signal("SIGURG"),
    signal("SIGXCPU"),
    signal("SIGXFSZ"),
    signal("SIGVTALRM"),
    signal("SIGPROF"),
    signal("SIGWINCH"),
    signal("SIGIO"),
    signal("SIGPWR"),
    refused("SIGSYS", FAULT),
];

/// Returns the signal with this name.
pub fn find(name: &str) -> Option<&'static Signal> {
    ALL.iter().find(|signal| signal.name == name)
}

/// Returns the names of all signals.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|signal| signal.name)
}

//! Signals, by their numbers on x86, ARM and RISC-V: signal(7), include/uapi/asm-generic/signal.h.

use std::ops::RangeInclusive;

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its number.
    pub number: i32,
    /// Its name in C.
    pub name: &'static str,
    /// Its effect on a session that runs.
    pub effect: Effect,
    /// Why a session cannot wait for it; `None` where it can.
    pub refused: Option<&'static str>,
}

/// The effect of a signal on a session that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The session ends, and everything is put back.
    Ends,
    /// Recording is off while the process is stopped.
    Pauses,
    /// None.
    Nothing,
    /// The kernel kills or stops the process, which cannot catch the signal.
    Uncatchable,
}

const fn signal(number: i32, name: &'static str, effect: Effect) -> Signal {
    Signal { number, name, effect, refused: None }
}

const fn refused(number: i32, name: &'static str, effect: Effect, why: &'static str) -> Signal {
    Signal { number, name, effect, refused: Some(why) }
}

const ENDS: &str = "it ends every session already";
const UNSEEN: &str = "no program can catch it";
const FAULT: &str = "the kernel sends it for a fault of the program itself";
const CHILD: &str = "it reports the end of the command: write `stop with command`";
const PIPE: &str = "it reports that the output has no reader, which ends every session already";
const JOB: &str = "it belongs to the shell's job control";

/// All signals except the real-time signals.
pub const ALL: &[Signal] = &[
    refused(1, "SIGHUP", Effect::Ends, ENDS),
    refused(2, "SIGINT", Effect::Ends, ENDS),
    refused(3, "SIGQUIT", Effect::Ends, ENDS),
    refused(4, "SIGILL", Effect::Ends, FAULT),
    refused(5, "SIGTRAP", Effect::Ends, FAULT),
    refused(6, "SIGABRT", Effect::Ends, FAULT),
    refused(7, "SIGBUS", Effect::Ends, FAULT),
    refused(8, "SIGFPE", Effect::Ends, FAULT),
    refused(9, "SIGKILL", Effect::Uncatchable, UNSEEN),
    signal(10, "SIGUSR1", Effect::Ends),
    refused(11, "SIGSEGV", Effect::Ends, FAULT),
    signal(12, "SIGUSR2", Effect::Ends),
    refused(13, "SIGPIPE", Effect::Nothing, PIPE),
    signal(14, "SIGALRM", Effect::Ends),
    refused(15, "SIGTERM", Effect::Ends, ENDS),
    refused(16, "SIGSTKFLT", Effect::Ends, FAULT),
    refused(17, "SIGCHLD", Effect::Nothing, CHILD),
    refused(18, "SIGCONT", Effect::Nothing, JOB),
    refused(19, "SIGSTOP", Effect::Uncatchable, UNSEEN),
    refused(20, "SIGTSTP", Effect::Pauses, JOB),
    refused(21, "SIGTTIN", Effect::Pauses, JOB),
    refused(22, "SIGTTOU", Effect::Pauses, JOB),
    signal(23, "SIGURG", Effect::Nothing),
    signal(24, "SIGXCPU", Effect::Ends),
    signal(25, "SIGXFSZ", Effect::Ends),
    signal(26, "SIGVTALRM", Effect::Ends),
    signal(27, "SIGPROF", Effect::Ends),
    signal(28, "SIGWINCH", Effect::Nothing),
    signal(29, "SIGIO", Effect::Ends),
    signal(30, "SIGPWR", Effect::Ends),
    refused(31, "SIGSYS", Effect::Ends, FAULT),
];

/// The real-time signals. They have numbers only: the C library takes the first ones for itself, and `SIGRTMIN` is the
/// first after those.
pub const REAL_TIME: RangeInclusive<i32> = 32..=64;

/// The effect of each real-time signal on a session that runs.
pub const REAL_TIME_EFFECT: Effect = Effect::Ends;

/// Returns the numbers of all signals that have an effect on a session that runs.
pub fn with_effect(effect: Effect) -> impl Iterator<Item = i32> {
    let named = ALL.iter().filter(move |signal| signal.effect == effect).map(|signal| signal.number);
    named.chain(REAL_TIME.filter(move |_| effect == REAL_TIME_EFFECT))
}

/// Returns the signal with this name.
pub fn find(name: &str) -> Option<&'static Signal> {
    ALL.iter().find(|signal| signal.name == name)
}

/// Returns the names of all signals.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|signal| signal.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_every_signal_once_in_the_order_of_numbers() {
        let numbers: Vec<i32> = ALL.iter().map(|signal| signal.number).chain(REAL_TIME).collect();
        assert_eq!(numbers, (1..=64).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let text = include_str!("../../../stdlib/signal.trc");
        for Signal { number, name, .. } in ALL {
            let is_line = |line: &str| {
                let value = line.trim().strip_prefix(name).and_then(|rest| rest.trim().strip_prefix("= "));
                value == Some(&format!("{number},"))
            };
            assert!(text.lines().any(is_line), "{name} = {number}");
        }
    }

    #[test]
    fn signal_with_an_effect_is_found_under_it_alone() {
        let effects = [Effect::Ends, Effect::Pauses, Effect::Nothing, Effect::Uncatchable];
        let mut found: Vec<i32> = effects.into_iter().flat_map(with_effect).collect();
        found.sort_unstable();
        assert_eq!(found, (1..=64).collect::<Vec<_>>());
        assert_eq!(with_effect(Effect::Uncatchable).collect::<Vec<_>>(), [9, 19]);
    }
}

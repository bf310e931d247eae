//! The guard against work that grows faster than the text.
//!
//! libFuzzer's inputs are short, so that quadratic work in them is quick and no time-out sees it. Of some inputs two long
//! texts are made by repeating them, one four times as long as the other: linear work takes four times as long for it,
//! quadratic work sixteen times. Each input so is its own measure, on whatever machine; what is counted is the thread's
//! CPU time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How long the shorter text is, in bytes.
const SHORT: usize = 16 << 10;

/// How much longer the other one is.
const TIMES: usize = 4;

/// The growth that is too much, between that of linear and that of quadratic work.
const GROWTH: u32 = 10;

/// What takes less than this is not looked at: caches and the clock would decide.
const NOTABLE: Duration = Duration::from_millis(50);

/// One input in this many is repeated: each costs as much as a thousand others.
const ONE_IN: u64 = 256;

/// Gives a target the input over and over as one text, if it is this input's turn.
///
/// # Panics
/// Where four times the text takes more than [`GROWTH`] times as long.
pub fn guard(target: fn(&[u8]), data: &[u8]) {
    if data.is_empty() || !hash(data).is_multiple_of(ONE_IN) {
        return;
    }
    if let Some((short, long)) = grows_too_fast(target, data, SHORT) {
        panic!("{SHORT} bytes take {short:?}, {TIMES} times as many {long:?}");
    }
}

/// The times for the two texts where the second is too long for the first.
fn grows_too_fast(target: fn(&[u8]), data: &[u8], length: usize) -> Option<(Duration, Duration)> {
    let measured = |runs| {
        let short = least(target, &repeated(data, length), runs);
        let long = least(target, &repeated(data, length * TIMES), runs);
        (long > NOTABLE && long > short * GROWTH).then_some((short, long))
    };
    // A hiccup of the machine makes a run longer, never shorter: what is too long must be so every time.
    measured(1).and_then(|_| measured(5))
}

fn repeated(unit: &[u8], length: usize) -> Vec<u8> {
    unit.repeat((length / unit.len()).max(1))
}

/// The CPU time of the quickest of some runs.
fn least(target: fn(&[u8]), text: &[u8], runs: u32) -> Duration {
    let times = (0..runs).map(|_| {
        let start = cpu_time();
        target(text);
        cpu_time().saturating_sub(start)
    });
    times.min().unwrap_or_default()
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// FNV-1a: the same input is always looked at, or never.
fn hash(data: &[u8]) -> u64 {
    data.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some hundred milliseconds of steps that nothing takes away.
    fn work(steps: usize) {
        for step in 0..steps {
            std::hint::black_box(step);
        }
    }

    #[test]
    fn quadratic_work_is_told_from_linear_work() {
        assert!(grows_too_fast(|text| work(50 * text.len() * text.len()), b"x", 256).is_some());
        assert!(grows_too_fast(|text| work(50_000 * text.len()), b"x", 256).is_none());
    }
}

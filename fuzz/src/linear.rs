//! The guard against work that grows faster than the text.
//!
//! libFuzzer's inputs are short, so that quadratic work on them is fast and does not reach a time-out. Some inputs are
//! repeated to two long texts, one four times as long as the other: linear work takes four times as long for it,
//! quadratic work sixteen times. The ratio does not depend on the machine; the thread's CPU time is measured.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The length of the shorter text, in bytes.
const SHORT: usize = 16 << 10;

/// The ratio of the lengths.
const TIMES: usize = 4;

/// The ratio of times that is an error, between those of linear and of quadratic work.
const GROWTH: u32 = 10;

/// The least time that is compared: below it, caches and the resolution of the clock dominate.
const NOTABLE: Duration = Duration::from_millis(50);

/// One input in this many is repeated: each takes as long as a thousand others.
const ONE_IN: u64 = 256;

/// Calls a target with the input repeated to one long text, if this input is selected.
///
/// # Panics
/// If the text of four times the length takes more than [`GROWTH`] times as long.
pub fn guard(target: fn(&[u8]), data: &[u8]) {
    if data.is_empty() || !hash(data).is_multiple_of(ONE_IN) {
        return;
    }
    if let Some((short, long)) = grows_too_fast(target, data, SHORT) {
        panic!("{SHORT} bytes take {short:?}, {TIMES} times as many {long:?}");
    }
}

/// Returns the times for the two texts if the second is too long for the first.
fn grows_too_fast(target: fn(&[u8]), data: &[u8], length: usize) -> Option<(Duration, Duration)> {
    let measured = |runs| {
        let short = least(target, &repeated(data, length), runs);
        let long = least(target, &repeated(data, length * TIMES), runs);
        (long > NOTABLE && long > short * GROWTH).then_some((short, long))
    };
    // Other load makes a run longer, never shorter: a time has to be too long in every run.
    measured(1).and_then(|_| measured(5))
}

fn repeated(unit: &[u8], length: usize) -> Vec<u8> {
    unit.repeat((length / unit.len()).max(1))
}

/// Returns the CPU time of the quickest of some runs.
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

/// Hashes with FNV-1a, so that the same input is always selected, or never.
fn hash(data: &[u8]) -> u64 {
    data.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works for some hundred milliseconds in steps that the compiler does not remove.
    fn work(steps: usize) {
        for step in 0..steps {
            std::hint::black_box(step);
        }
    }

    #[test]
    fn quadratic_work_is_distinguished_from_linear_work() {
        assert!(grows_too_fast(|text| work(50 * text.len() * text.len()), b"x", 256).is_some());
        assert!(grows_too_fast(|text| work(50_000 * text.len()), b"x", 256).is_none());
    }
}

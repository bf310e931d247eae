//! The cost of one run, and the comparison of costs.

#![expect(unsafe_code, reason = "the usage of resources is libc's")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The cost of one process.
pub(crate) struct Sample {
    /// From its start to its end.
    #[allow(dead_code, reason = "each bench uses its part of this module")]
    pub(crate) wall: Duration,
    /// In user and kernel mode.
    #[allow(dead_code, reason = "each bench uses its part of this module")]
    pub(crate) cpu: Duration,
    /// Its peak memory.
    pub(crate) peak_kib: i64,
    /// Whether it ended with status 0.
    #[allow(dead_code, reason = "each bench uses its part of this module")]
    pub(crate) success: bool,
}

/// Runs a process to its end, without its output.
pub(crate) fn process(command: &mut Command) -> Sample {
    process_to(command, Stdio::null(), Stdio::null())
}

/// Runs a process to its end.
pub(crate) fn process_to(command: &mut Command, stdout: Stdio, stderr: Stdio) -> Sample {
    let start = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn();
    let id = child.expect("the program starts").id();
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let mut status = -1;
    // SAFETY: the pid is a child of this process that no other code waits for; `status` and `usage` have the sizes that
    // the call writes, and zeroes are a valid value of `usage` if the call fails.
    let usage = unsafe {
        libc::wait4(id as libc::pid_t, &raw mut status, 0, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    Sample {
        wall: start.elapsed(),
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        peak_kib: usage.ru_maxrss,
        success: status == 0,
    }
}

/// Returns the median.
pub(crate) fn median(mut values: Vec<Duration>) -> Duration {
    values.sort();
    values[values.len() / 2]
}

/// Prints and returns a ratio.
pub(crate) fn report(what: &str, above: Duration, below: Duration) -> f64 {
    let ratio = above.as_secs_f64() / below.as_secs_f64();
    println!(
        "{what}: {ratio:.2} ({:.2} ms / {:.2} ms)",
        above.as_secs_f64() * 1e3,
        below.as_secs_f64() * 1e3
    );
    ratio
}

//! The priority of the thread that reads the rings.

use std::marker::PhantomData;

use rustix::process::{getpriority_process, setpriority_process};

/// The highest priority of the ordinary scheduling class (sched(7)).
const HIGHEST: i32 = -20;

/// Gives the calling thread the highest ordinary priority until it is dropped.
///
/// The thread that reads the rings sleeps most of the time, and what it does not read in time is lost: with the
/// kernel's default size, a ring that a system call fills is full after 14 ms, and a thread that shares its CPU with
/// two others may wait that long. Threads and processes that already exist keep their priority.
#[derive(Debug)]
pub(super) struct Raised {
    before: i32,
    /// A priority belongs to a thread.
    _of_thread: PhantomData<*const ()>,
}

impl Raised {
    /// Raises the priority; `None` where that is not permitted (it takes CAP_SYS_NICE), or where it cannot be read and
    /// so could not be restored. Reading the rings works without it.
    pub(super) fn of_this_thread() -> Option<Self> {
        // In Linux, "no process" means the calling thread (setpriority(2)).
        let before = getpriority_process(None).ok()?;
        setpriority_process(None, HIGHEST).ok()?;
        Some(Raised { before, _of_thread: PhantomData })
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        // Lowering one's own priority is always permitted.
        let _ = setpriority_process(None, self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_is_raised_for_a_while() {
        let before = getpriority_process(None).unwrap();
        let raised = Raised::of_this_thread();
        let meanwhile = getpriority_process(None).unwrap();
        assert_eq!(meanwhile, if raised.is_some() { HIGHEST } else { before });
        drop(raised);
        assert_eq!(getpriority_process(None).unwrap(), before);
    }
}

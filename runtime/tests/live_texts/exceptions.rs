//! The lines that may differ from the kernel's, each with the reason.

/// A difference that is expected.
pub(crate) struct Exception {
    /// The qualified name of the event.
    pub(crate) event: &'static str,
    /// Why the lines differ.
    pub(crate) reason: &'static str,
    /// Returns whether the difference is this one: our line, and the kernel's.
    pub(crate) is_it: fn(&[u8], &[u8]) -> bool,
}

/// Why an address of a page cannot be said.
const PAGES: &str = "the address of the table of pages is random, and no file has it";
/// Why a span of time cannot be said.
const TICKS: &str = "the kernel prints milliseconds, and a recording does not have its ticks per second";
/// Why an age cannot be said.
const AGE: &str = "the kernel prints the age at the moment of printing";

/// All of them. One whose event was recorded, and which did not occur, fails the test.
pub(crate) const ALL: &[Exception] = &[
    unknown("jbd2:jbd2_checkpoint_stats", TICKS),
    unknown("jbd2:jbd2_run_stats", TICKS),
    unknown("kmem:mm_page_alloc", PAGES),
    unknown("kmem:mm_page_alloc_extfrag", PAGES),
    unknown("kmem:mm_page_alloc_zone_locked", PAGES),
    unknown("kmem:mm_page_free", PAGES),
    unknown("kmem:mm_page_free_batched", PAGES),
    unknown("kmem:mm_page_pcpu_drain", PAGES),
    unknown("writeback:writeback_single_inode", AGE),
    unknown("writeback:writeback_single_inode_start", AGE),
];

/// Returns the exception of an event with a number that is not known.
const fn unknown(event: &'static str, reason: &'static str) -> Exception {
    Exception { event, reason, is_it: has_unknown_numbers }
}

/// Returns whether the kernel's line is ours with a number for each `?`.
fn has_unknown_numbers(ours: &[u8], kernel: &[u8]) -> bool {
    let mut kernel = kernel;
    let mut parts = ours.split(|byte| *byte == b'?');
    let Some(rest) = parts.next().and_then(|first| kernel.strip_prefix(first)) else { return false };
    kernel = rest;
    let mut unknown = 0;
    for part in parts {
        let digits = kernel.iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b'-').count();
        let Some(rest) = kernel[digits..].strip_prefix(part).filter(|_| digits > 0) else { return false };
        kernel = rest;
        unknown += 1;
    }
    kernel.is_empty() && unknown > 0
}

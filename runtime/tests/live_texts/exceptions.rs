//! The lines that may differ from the kernel's, each with the reason.

/// A difference that is expected.
pub(crate) struct Exception {
    pub(crate) of: Of,
    /// Why the lines differ.
    pub(crate) reason: &'static str,
    /// Returns whether the difference is this one: our line, and the kernel's.
    pub(crate) is_it: fn(&[u8], &[u8]) -> bool,
}

/// The records that an exception is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Those of an event, by its qualified name.
    Event(&'static str),
    /// Those of events whose qualified names begin so, on kernels before a release.
    EventsBefore(&'static str, (u32, u32)),
    /// Those that were [injected](crate::inject).
    Injected,
}

/// Why an address of a page cannot be said.
const PAGES: &str = "the address of the table of pages is random, and no file has it";
/// Why a span of time cannot be said.
const TICKS: &str = "the kernel prints milliseconds, and a recording does not have its ticks per second";
/// Why an age cannot be said.
const AGE: &str = "the kernel prints the age at the moment of printing";
/// Why a string cannot be said.
const STRING: &str = "the kernel follows an address of its memory, and no file lists the string";

/// Why the size of a symbol cannot be said.
const SIZE: &str =
    "before 6.4 a symbol of a module's data ends where its code does (kernel/module/kallsyms.c)";

/// All of them. One that did not occur though records that it is about were written fails the test.
pub(crate) const ALL: &[Exception] = &[
    Exception { of: Of::Event("ext4:ext4_error"), reason: STRING, is_it: has_unknown_string },
    unknown("jbd2:jbd2_checkpoint_stats", TICKS),
    unknown("jbd2:jbd2_run_stats", TICKS),
    unknown("kmem:mm_page_alloc", PAGES),
    unknown("kmem:mm_page_alloc_extfrag", PAGES),
    unknown("kmem:mm_page_alloc_zone_locked", PAGES),
    unknown("kmem:mm_page_free", PAGES),
    unknown("kmem:mm_page_free_batched", PAGES),
    unknown("kmem:mm_page_pcpu_drain", PAGES),
    unknown("vmscan:mm_vmscan_write_folio", PAGES),
    Exception { of: Of::EventsBefore("xfs:xfs_buf_", (6, 4)), reason: SIZE, is_it: has_another_size },
    unknown("writeback:writeback_sb_inodes_requeue", AGE),
    unknown("writeback:writeback_single_inode", AGE),
    unknown("writeback:writeback_single_inode_start", AGE),
    // Behind those of events, which injected records have too.
    Exception { of: Of::Injected, reason: STRING, is_it: has_unknown_string },
];

/// Returns the exception of an event with a number that is not known.
const fn unknown(event: &'static str, reason: &'static str) -> Exception {
    Exception { of: Of::Event(event), reason, is_it: has_unknown_numbers }
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

/// Returns whether the kernel's line is ours with strings for the addresses of strings: `(0xADDRESS)[UNSAFE-MEMORY]`.
fn has_unknown_string(ours: &[u8], kernel: &[u8]) -> bool {
    const END: &[u8] = b")[UNSAFE-MEMORY]";
    let find = |text: &[u8], word: &[u8]| text.windows(word.len().max(1)).position(|window| window == word);
    let (mut ours, mut kernel, mut unknown) = (ours, kernel, 0);
    while let Some(end) = find(ours, END) {
        let Some(begin) = ours[..end].windows(3).rposition(|window| window == b"(0x") else { return false };
        // Behind a first string the next part may stand anywhere.
        let at = if unknown == 0 {
            Some(0).filter(|_| kernel.starts_with(&ours[..begin]))
        } else {
            find(kernel, &ours[..begin])
        };
        let Some(at) = at else { return false };
        kernel = &kernel[at + begin..];
        ours = &ours[end + END.len()..];
        unknown += 1;
    }
    unknown > 0 && kernel.ends_with(ours)
}

/// Returns whether the lines differ in the size of a symbol, which is negative in the kernel's: `name+0x0/0xffff..`.
fn has_another_size(ours: &[u8], kernel: &[u8]) -> bool {
    const SIGN: &[u8] = b"/0xffffffff";
    let Some(at) = kernel.windows(SIGN.len()).position(|window| window == SIGN) else { return false };
    let behind = |text: &[u8]| {
        text[at + 3..].iter().position(|byte| !byte.is_ascii_hexdigit()).map(|end| at + 3 + end)
    };
    if ours.len() < at + 3 || ours[..at + 3] != kernel[..at + 3] {
        return false;
    }
    matches!((behind(ours), behind(kernel)), (Some(mine), Some(other)) if ours[mine..] == kernel[other..])
}

/// Returns whether our line is the kernel's with control characters of strings escaped: `\x0a`.
pub(crate) fn is_escaped(ours: &[u8], kernel: &[u8]) -> bool {
    let mut escaped = Vec::new();
    for byte in kernel {
        match byte {
            0..0x20 | 0x7f => escaped.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            byte => escaped.push(*byte),
        }
    }
    ours == escaped
}

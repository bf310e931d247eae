//! Stacks: `trace_stack_print`, `trace_user_stack_print` (kernel/trace/trace_output.c).

use super::Kind;
use super::view::View;

/// The number of addresses in a user's stack, `FTRACE_STACK_ENTRIES` (kernel/trace/trace_entries.h).
const USER_ENTRIES: usize = 8;

/// The size of an address, which is that of a `long` on the machines whose records are read.
const ADDRESS: usize = 8;

pub(super) const ALL: &[Kind] = &[
    Kind { name: "kernel_stack", fields: &["caller"], optional: &["size"], print: kernel },
    Kind { name: "user_stack", fields: &["caller"], optional: &[], print: user },
];

/// What the kernel writes for an address in a trampoline (`FTRACE_TRAMPOLINE_MARKER`, kernel/trace/trace.h).
const TRAMPOLINE: u64 = i32::MAX as u64;

fn kernel(view: &View<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<stack trace>");
    let most = view.optional(1).map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX));
    for address in addresses(view, most).take_while(|address| *address != u64::MAX) {
        out.extend_from_slice(b"\n => ");
        match address {
            TRAMPOLINE => out.extend_from_slice(b"[FTRACE TRAMPOLINE]"),
            address => view.push_function(out, address),
        }
    }
}

fn user(view: &View<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<user stack trace>");
    for address in addresses(view, USER_ENTRIES).take_while(|address| *address != 0) {
        out.extend_from_slice(b"\n => ");
        view.push_address(out, address);
    }
}

/// Returns the addresses of a stack, the innermost first, up to the end of the record.
pub(super) fn addresses<'v>(view: &'v View<'_>, most: usize) -> impl Iterator<Item = u64> + 'v {
    let chunks = view.tail(0).chunks_exact(ADDRESS).take(most);
    chunks.map_while(|chunk| view.order.uint(chunk, 0, ADDRESS))
}

//! Timers of high resolution, and flushes of the TLB, as the plugins `hrtimer` and `tlb` of trace-cmd print them.

use super::super::print::shown;
use super::Kind;
use super::view::View;

pub(super) const ALL: &[Kind] = &[
    Kind {
        name: "hrtimer_start",
        fields: &["hrtimer", "function", "expires", "softexpires"],
        optional: &[],
        print: |view, out| {
            shown(out, format_args!("hrtimer={:#x} function=", view.uint(0)));
            function(view, out);
            shown(out, format_args!(" expires={} softexpires={}", view.uint(2), view.uint(3)));
        },
    },
    Kind {
        name: "hrtimer_expire_entry",
        fields: &["hrtimer", "function", "now"],
        optional: &[],
        print: |view, out| {
            shown(out, format_args!("hrtimer={:#x} now={} function=", view.uint(0), view.uint(2)));
            function(view, out);
        },
    },
];

/// The event of the system `tlb`.
pub(super) const FLUSH: &[Kind] = &[Kind {
    name: "tlb_flush",
    fields: &["pages", "reason"],
    optional: &[],
    print: |view, out| {
        let reason = view.uint(1);
        let name = usize::try_from(reason).ok().and_then(|reason| REASONS.get(reason)).copied();
        let name = name.unwrap_or_default();
        shown(out, format_args!("pages={} reason={name} ({reason})", view.int(0)));
    },
}];

/// The reasons that trace-cmd knows, by their number.
const REASONS: [&str; 4] =
    ["flush on task switch", "remote shootdown", "local shootdown", "local mm shootdown"];

/// Appends the function, the second field: trace-cmd subtracts the address from where the function begins.
fn function(view: &View<'_>, out: &mut Vec<u8>) {
    let address = view.uint(1);
    match view.environment.symbol(address) {
        Some(symbol) => shown(out, format_args!("{}/{:#x}", symbol.name, symbol.offset.wrapping_neg())),
        None => shown(out, format_args!("{address:#010x}")),
    }
}

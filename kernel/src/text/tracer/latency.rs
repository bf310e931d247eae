//! Latencies: `trace_hwlat_print`, `trace_osnoise_print`, `trace_timerlat_print` (kernel/trace/trace_output.c).

use super::super::print::shown;
use super::Kind;
use super::view::View;

pub(super) const ALL: &[Kind] = &[
    Kind {
        name: "hwlat",
        fields: &[
            "seqnum",
            "duration",
            "outer_duration",
            "tv_sec",
            "tv_nsec",
            "count",
            "nmi_count",
            "nmi_total_ts",
        ],
        optional: &[],
        print: hardware,
    },
    Kind {
        name: "osnoise",
        fields: &[
            "runtime",
            "noise",
            "max_sample",
            "hw_count",
            "nmi_count",
            "irq_count",
            "softirq_count",
            "thread_count",
        ],
        optional: &[],
        print: noise,
    },
    Kind {
        name: "timerlat",
        fields: &["seqnum", "context", "timer_latency"],
        optional: &[],
        print: |view, out| {
            let context = match view.int(1) {
                0 => "irq",
                1 => "thread",
                2 => "user-ret",
                _ => "?",
            };
            let (number, latency) = (view.uint(0), view.uint(2));
            shown(out, format_args!("#{number:<5} context {context:>6} timer_latency {latency:>9} ns"));
        },
    },
];

fn hardware(view: &View<'_>, out: &mut Vec<u8>) {
    let (number, inner, outer) = (view.uint(0), view.uint(1), view.uint(2));
    let (seconds, nanoseconds, count) = (view.int(3), view.uint(4), view.int(5));
    shown(out, format_args!("#{number:<5} inner/outer(us): {inner:>4}/{outer:<5}"));
    shown(out, format_args!(" ts:{seconds}.{nanoseconds:09} count:{count}"));
    if view.uint(6) != 0 {
        // Where the clock cannot be read in an NMI, the kernel leaves the total out.
        if view.uint(7) != 0 {
            shown(out, format_args!(" nmi-total:{}", view.uint(7)));
        }
        shown(out, format_args!(" nmi-count:{}", view.uint(6)));
    }
}

/// The unit of the share of time that was left, of which 100 percent have so many.
const PERCENT: u64 = 100_000;

fn noise(view: &View<'_>, out: &mut Vec<u8>) {
    let (runtime, noise) = (view.uint(0), view.uint(1));
    let left = u128::from(runtime.saturating_sub(noise)) * u128::from(PERCENT) * 100;
    let share = left.checked_div(u128::from(runtime)).unwrap_or(0);
    let (whole, part) = (share / u128::from(PERCENT), share % u128::from(PERCENT));
    shown(out, format_args!("{runtime} {noise:>10} {whole:>3}.{part:05}"));
    shown(out, format_args!(" {:>7} {:>6} {:>6}", view.uint(2), view.uint(3), view.uint(4)));
    shown(out, format_args!(" {:>6} {:>6} {:>6}", view.uint(5), view.uint(6), view.uint(7)));
}

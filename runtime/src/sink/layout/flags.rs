//! The five characters that say in which context a record was written: `trace_print_lat_fmt`
//! (kernel/trace/trace_output.c).

use tracec_kernel::record::Record;

/// Bits of `common_flags`, `TRACE_FLAG_*` (include/linux/trace_events.h).
const IRQS_OFF: u8 = 0x01;
const NEED_RESCHED_LAZY: u8 = 0x02;
const NEED_RESCHED: u8 = 0x04;
const HARDIRQ: u8 = 0x08;
const SOFTIRQ: u8 = 0x10;
const PREEMPT_RESCHED: u8 = 0x20;
const NMI: u8 = 0x40;
const BH_OFF: u8 = 0x80;

/// Returns the flags as the kernel shows them.
pub(super) fn of_kernel(record: &Record<'_>) -> [u8; 5] {
    kernel(record.common_flags(), record.common_preempt_count())
}

/// Returns the flags as trace-cmd 3.3.3 shows them: it knows neither NMIs nor which of the ways of rescheduling is asked for.
pub(super) fn of_trace_cmd(record: &Record<'_>) -> [u8; 5] {
    trace_cmd(record.common_flags(), record.common_preempt_count())
}

fn kernel(flags: u8, preempt_count: u8) -> [u8; 5] {
    let has = |bit: u8| flags & bit != 0;
    let resched = match (has(NEED_RESCHED), has(NEED_RESCHED_LAZY), has(PREEMPT_RESCHED)) {
        (true, true, true) => b'B',
        (true, false, true) => b'N',
        (false, true, true) => b'L',
        (true, true, false) => b'b',
        (true, false, false) => b'n',
        (false, true, false) => b'l',
        (false, false, true) => b'p',
        (false, false, false) => b'.',
    };
    let context = match (has(NMI), has(HARDIRQ), has(SOFTIRQ)) {
        (true, true, _) => b'Z',
        (true, false, _) => b'z',
        (false, true, true) => b'H',
        (false, true, false) => b'h',
        (false, false, true) => b's',
        (false, false, false) => b'.',
    };
    let [preemption, migration] = depths(preempt_count);
    [interrupts(flags), resched, context, preemption, migration]
}

fn trace_cmd(flags: u8, preempt_count: u8) -> [u8; 5] {
    let has = |bit: u8| flags & bit != 0;
    let context = match (has(HARDIRQ), has(SOFTIRQ)) {
        (true, true) => b'H',
        (true, false) => b'h',
        (false, true) => b's',
        (false, false) => b'.',
    };
    let resched = if has(NEED_RESCHED) { b'N' } else { b'.' };
    let [preemption, migration] = depths(preempt_count);
    [interrupts(flags), resched, context, preemption, migration]
}

fn interrupts(flags: u8) -> u8 {
    match (flags & IRQS_OFF != 0, flags & BH_OFF != 0) {
        (true, true) => b'D',
        (true, false) => b'd',
        (false, true) => b'b',
        (false, false) => b'.',
    }
}

/// Returns how deeply preemption and migration are disabled, a hexadecimal digit each.
fn depths(preempt_count: u8) -> [u8; 2] {
    let digit = |depth: u8| match depth {
        0 => b'.',
        1..=9 => b'0' + depth,
        _ => b'a' + (depth - 10),
    };
    [digit(preempt_count & 0xf), digit(preempt_count >> 4)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_the_kernel() {
        for (flags, count, shown) in [
            (0, 0, "....."),
            (IRQS_OFF, 2, "d..2."),
            (IRQS_OFF | BH_OFF, 0x31, "D..13"),
            (BH_OFF, 0xb, "b..b."),
            (NEED_RESCHED | PREEMPT_RESCHED, 0, ".N..."),
            (NEED_RESCHED_LAZY | PREEMPT_RESCHED, 0, ".L..."),
            (NEED_RESCHED | NEED_RESCHED_LAZY | PREEMPT_RESCHED, 0, ".B..."),
            (NEED_RESCHED | NEED_RESCHED_LAZY, 0, ".b..."),
            (NEED_RESCHED, 0, ".n..."),
            (NEED_RESCHED_LAZY, 0, ".l..."),
            (PREEMPT_RESCHED, 0, ".p..."),
            (NMI | HARDIRQ, 0, "..Z.."),
            (NMI | SOFTIRQ, 0, "..z.."),
            (HARDIRQ | SOFTIRQ, 0, "..H.."),
            (HARDIRQ, 0xf0, "..h.f"),
            (SOFTIRQ, 0, "..s.."),
        ] {
            assert_eq!(kernel(flags, count), shown.as_bytes(), "{flags:#x} {count:#x}");
        }
    }

    #[test]
    fn flags_of_trace_cmd_tell_less() {
        assert_eq!(&trace_cmd(NEED_RESCHED, 4), b".N.4.");
        assert_eq!(&trace_cmd(NEED_RESCHED_LAZY | NMI, 0x10), b"....1");
        assert_eq!(&trace_cmd(IRQS_OFF | HARDIRQ | SOFTIRQ, 0), b"d.H..");
        assert_eq!(&trace_cmd(SOFTIRQ, 0), b"..s..");
        assert_eq!(&trace_cmd(HARDIRQ, 0), b"..h..");
    }
}

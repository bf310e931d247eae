//! `per_cpu/cpuN/stats`: the counts of a CPU's ring (kernel/trace/trace.c, `tracing_stats_read`).

/// Returns the number of records that were written and cannot be read: overwritten by newer ones (`overrun`),
/// interrupted on a full page (`commit overrun`) or refused by a full ring (`dropped events`). `None` if the text has
/// another format.
pub(crate) fn lost(text: &str) -> Option<u64> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let losses = lines.filter(|(name, _)| matches!(*name, "overrun" | "commit overrun" | "dropped events"));
    let counts = losses.map(|(_, count)| count.trim().parse::<u64>().ok());
    counts.reduce(|sum, count| Some(sum?.saturating_add(count?)))?
}

/// Returns the size in bytes of one CPU's ring from `buffer_size_kb`: `1408`, `7 (expanded: 1408)`, or `X` where they
/// differ.
pub(crate) fn ring_bytes(text: &str) -> Option<u64> {
    let kib = text.split([' ', '\n']).next()?;
    let expanded = text.split_once("expanded: ").and_then(|(_, rest)| rest.split(')').next());
    expanded.unwrap_or(kib).trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS: &str = "entries: 5\noverrun: 7\ncommit overrun: 2\nbytes: 180\noldest event ts:  1737.5\n\
        now ts:  1737.681913\ndropped events: 30\nread events: 9\n";

    #[test]
    fn lost_is_the_sum_of_three_counts() {
        assert_eq!(lost(STATS), Some(39));
        assert_eq!(lost("entries: 5\n"), None);
        assert_eq!(lost("overrun: many\n"), None);
        assert_eq!(lost("overrun: 18446744073709551615\ndropped events: 1\n"), Some(u64::MAX));
    }

    #[test]
    fn ring_size_is_read_from_each_spelling() {
        assert_eq!(ring_bytes("1410\n"), Some(1410 * 1024));
        assert_eq!(ring_bytes("7 (expanded: 1408)\n"), Some(1408 * 1024));
        assert_eq!(ring_bytes("X\n"), None);
        assert_eq!(ring_bytes(""), None);
    }
}

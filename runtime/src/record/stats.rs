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

/// Returns the number of bytes that are in a CPU's ring; `None` if the text has another format.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    number(text, "bytes")
}

/// Returns the number of records that are in a CPU's ring; `None` if the text has another format.
pub(crate) fn entries(text: &str) -> Option<u64> {
    number(text, "entries")
}

fn number(text: &str, wanted: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(name, _)| *name == wanted)?.1.trim().parse().ok()
}

/// What a ring of a CPU that keeps its newest records says of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overwritten {
    /// Records that newer ones have replaced.
    pub(crate) records: u64,
    /// Seconds from the oldest record to now; `None` where the clock does not count time.
    pub(crate) covered: Option<f64>,
}

/// Returns what the text of a CPU's `stats` says of overwritten records; `None` if it has another format.
pub(crate) fn overwritten(text: &str) -> Option<Overwritten> {
    let value = |wanted: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| *name == wanted).map(|(_, value)| value.trim())
    };
    let seconds =
        |name| value(name).filter(|text| text.contains('.')).and_then(|text| text.parse::<f64>().ok());
    let covered =
        seconds("now ts").zip(seconds("oldest event ts")).map(|(now, oldest)| (now - oldest).max(0.0));
    Some(Overwritten { records: value("overrun")?.parse().ok()?, covered })
}

/// Returns the time of the clock, in nanoseconds; `None` where the clock does not count time.
pub(crate) fn now(text: &str) -> Option<u64> {
    let now = text.lines().find_map(|line| line.strip_prefix("now ts:"))?.trim();
    let (seconds, fraction) = now.split_once('.')?;
    let micros = format!("{fraction:0<6}");
    let micros: u64 = micros.get(..6)?.parse().ok()?;
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(micros * 1000)
}

/// Returns the number of records that a CPU has lost while its newest records were kept: see [`lost`].
pub(crate) fn lost_beside_overwritten(text: &str) -> Option<u64> {
    Some(lost(text)?.saturating_sub(overwritten(text)?.records))
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
        assert_eq!((entries(STATS), bytes(STATS), bytes("entries: 5\n")), (Some(5), Some(180), None));
        assert_eq!(lost("entries: 5\n"), None);
        assert_eq!(lost("overrun: many\n"), None);
        assert_eq!(lost("overrun: 18446744073709551615\ndropped events: 1\n"), Some(u64::MAX));
    }

    #[test]
    fn overwritten_records_are_not_lost() {
        let Overwritten { records, covered } = overwritten(STATS).unwrap();
        assert_eq!((records, lost_beside_overwritten(STATS)), (7, Some(32)));
        assert!((covered.unwrap() - 0.181_913).abs() < 1e-9);
        assert_eq!(now(STATS), Some(1_737_681_913_000));
        let counter = STATS.replace("1737.5\n", "17\n").replace("1737.681913", "99");
        assert_eq!(overwritten(&counter), Some(Overwritten { records: 7, covered: None }));
        assert_eq!((overwritten("entries: 5\n"), now(&counter)), (None, None));
    }

    #[test]
    fn ring_size_is_read_from_each_spelling() {
        assert_eq!(ring_bytes("1410\n"), Some(1410 * 1024));
        assert_eq!(ring_bytes("7 (expanded: 1408)\n"), Some(1408 * 1024));
        assert_eq!(ring_bytes("X\n"), None);
        assert_eq!(ring_bytes(""), None);
    }
}

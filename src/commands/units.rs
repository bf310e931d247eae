//! Counts and times in the summary of `tracec run`.

use std::time::Duration;

use tracec_kernel::grouped::Grouped;

/// Returns a count of records: `1 record`, `1,024 records`.
pub(super) fn records(count: u64) -> String {
    let word = if count == 1 { "record" } else { "records" };
    format!("{} {word}", Grouped(count))
}

/// Returns a time: `300 ms`, `9.8 s`.
pub(super) fn human(duration: Duration) -> String {
    match duration.as_millis() {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
    }
}

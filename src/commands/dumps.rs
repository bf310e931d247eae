//! What the summary of `tracec run` says of dumps.

use std::time::Duration;

use tracec_kernel::grouped::Grouped;
use tracec_kernel::plan::Plan;
use tracec_runtime::session::{Covered, Dump, Dumped};

use super::units::{human, records};

/// Returns how many there were: `1 dump`, `12 dumps`.
pub(super) fn count(dumped: &Dumped) -> String {
    let word = if dumped.count == 1 { "dump" } else { "dumps" };
    let missed = match dumped.missed {
        0 => String::new(),
        1 => " (its event came once more while one was written)".to_owned(),
        missed => format!(" (its event came {} times more while one was written)", Grouped(missed)),
    };
    format!("{} {word}{missed}", Grouped(dumped.count))
}

/// Returns a line for each dump, and one for what was missed between them.
pub(super) fn lines(dumped: &Dumped, plan: &Plan) -> String {
    let last = plan.life.ring.and_then(|ring| ring.last);
    let mut text: String = dumped.listed.iter().map(|dump| line(dump, last)).collect();
    match dumped.count + dumped.snapshots - dumped.listed.len() as u64 {
        0 => {}
        more => text.push_str(&format!("and {} more\n", Grouped(more))),
    }
    if dumped.is_snapshot_empty {
        text.push_str("the snapshot is empty: the event of `trigger snapshot` has not come\n");
    }
    if !dumped.off.is_zero() {
        let off = match dumped.off {
            off if off < Duration::from_millis(1) => format!("{} us", off.as_micros()),
            off => human(off),
        };
        text.push_str(&format!(
            "recording was off for {off} in all while the ring was read: this kernel has no snapshots\n"
        ));
    }
    text
}

/// Returns the line of a dump, of a session that keeps its records for a time.
pub(super) fn line(Dump { path, records: count, covered }: &Dump, last: Option<Duration>) -> String {
    let covers = match (*covered, last) {
        (Covered::Newest(Some(covered)), Some(last)) if covered < last => {
            format!("covers {} of the {}: `buffer` is too small", human(covered), human(last))
        }
        (Covered::Newest(Some(_)), Some(last)) => format!("covers the last {}", human(last)),
        (Covered::Newest(Some(covered)), None) => format!("covers the last {}", human(covered)),
        (Covered::Newest(None), _) => "covers the newest records".to_owned(),
        (Covered::SinceDump(Some(since)), Some(last)) if since >= last => {
            format!("covers the last {}", human(last))
        }
        (Covered::SinceDump(Some(since)), _) => format!("covers the {} since the dump before", human(since)),
        (Covered::SinceDump(None), _) => "covers the time since the dump before".to_owned(),
        (Covered::All(since), Some(last)) if since >= last => format!("covers the last {}", human(last)),
        (Covered::All(since), _) => format!("covers all {} since the session began", human(since)),
    };
    format!("{}: {}, {covers}\n", path.escape_debug(), records(*count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_that_falls_short_is_said() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let said = |covered, last| line(&Dump { path: "a-1.dat".to_owned(), records: 7, covered }, last);
        assert_eq!(
            said(Covered::Newest(ms(9800)), ms(10_000)),
            "a-1.dat: 7 records, covers 9.8 s of the 10 s: `buffer` is too small\n"
        );
        assert_eq!(
            said(Covered::Newest(ms(12_000)), ms(10_000)),
            "a-1.dat: 7 records, covers the last 10 s\n"
        );
        assert_eq!(said(Covered::Newest(ms(12_000)), None), "a-1.dat: 7 records, covers the last 12 s\n");
        assert_eq!(
            said(Covered::SinceDump(ms(300)), ms(10_000)),
            "a-1.dat: 7 records, covers the 300 ms since the dump before\n"
        );
        let all = |last| said(Covered::All(Duration::from_secs(3)), last);
        assert_eq!(all(None), "a-1.dat: 7 records, covers all 3 s since the session began\n");
        assert_eq!(all(ms(2000)), "a-1.dat: 7 records, covers the last 2 s\n");
    }

    #[test]
    fn events_that_came_meanwhile_are_counted() {
        let said = |count, missed| super::count(&Dumped { count, missed, ..Dumped::default() });
        assert_eq!(said(0, 0), "0 dumps");
        assert_eq!(said(1, 1), "1 dump (its event came once more while one was written)");
        assert_eq!(said(2, 1200), "2 dumps (its event came 1,200 times more while one was written)");
    }
}

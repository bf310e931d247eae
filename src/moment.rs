//! Times of a recording on the command line: as reports print them, or as durations from its start.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The number of digits behind the point in reports: records print the nearest microsecond.
const PRINTED_DIGITS: usize = 6;

/// The number of digits of a nanosecond.
const DIGITS: usize = 9;

/// A time of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Seconds with a fraction, as a report prints them, or the plain number of a clock that does not count nanoseconds.
    Printed {
        /// The text.
        text: String,
        /// The time in nanoseconds.
        nanoseconds: u64,
        /// Whether it has more digits than reports print.
        is_exact: bool,
    },
    /// A duration from the first record on.
    After {
        /// The text.
        text: String,
        /// The duration.
        after: Duration,
    },
}

/// An end of a range, which both belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The first time.
    First,
    /// The last time.
    Last,
}

impl Moment {
    /// Returns whether it counts from the start of the recording.
    pub(crate) fn is_relative(&self) -> bool {
        matches!(self, Moment::After { .. })
    }

    /// Returns the time in nanoseconds as an end of a range of a recording that begins at `begin`. A time with as many digits
    /// as reports print stands for all times that they print so.
    pub(crate) fn nanoseconds(&self, begin: u64, end: End) -> u64 {
        match self {
            Moment::After { after, .. } => {
                begin.saturating_add(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX))
            }
            Moment::Printed { nanoseconds, is_exact, .. } => match (is_exact, end) {
                (true, _) => *nanoseconds,
                (false, End::First) => nanoseconds.saturating_sub(500),
                (false, End::Last) => nanoseconds.saturating_add(499),
            },
        }
    }

    /// Returns the time of a clock that does not count nanoseconds; `None` if it is not a plain number.
    pub(crate) fn count(&self) -> Option<u64> {
        let Moment::Printed { text, .. } = self else { return None };
        text.parse().ok()
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if !is_number(seconds) || !is_number(fraction) {
            let duration = humantime::parse_duration(text);
            let after = duration.map(|after| Moment::After { text: text.to_owned(), after });
            return after.map_err(|_| {
                "it is not a time: expected seconds as a report prints them, `1234.567890`, or a duration from the first \
                 record, `250ms`"
                    .to_owned()
            });
        }
        if fraction.len() > DIGITS {
            return Err("a time has at most nine digits behind the point".to_owned());
        }
        let (whole, part) = (seconds.parse::<u64>(), format!("{fraction:0<DIGITS$}").parse::<u64>());
        let nanoseconds =
            whole.ok().and_then(|whole| whole.checked_mul(1_000_000_000)?.checked_add(part.ok()?));
        // A plain number may be one of a clock that does not count nanoseconds.
        let nanoseconds = match nanoseconds {
            None if text == seconds && seconds.parse::<u64>().is_ok() => u64::MAX,
            None => return Err("it has more than 64 bits".to_owned()),
            Some(nanoseconds) => nanoseconds,
        };
        Ok(Moment::Printed { text: text.to_owned(), nanoseconds, is_exact: fraction.len() > PRINTED_DIGITS })
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Printed { text, .. } | Moment::After { text, .. } => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Moment {
        text.parse().expect("a time")
    }

    #[test]
    fn printed_time_stands_for_all_that_reports_print_so() {
        let ends = |text| [End::First, End::Last].map(|end| of(text).nanoseconds(0, end));
        assert_eq!(ends("1.5"), [1_499_999_500, 1_500_000_499]);
        assert_eq!(ends("2266.954788"), [2_266_954_787_500, 2_266_954_788_499]);
        assert_eq!(ends("2266.9547881"), [2_266_954_788_100; 2]);
        assert_eq!(ends("0"), [0, 499]);
    }

    #[test]
    fn duration_counts_from_the_begin() {
        assert_eq!(of("250ms").nanoseconds(1000, End::First), 250_001_000);
        assert!(of("2s").is_relative() && !of("2").is_relative());
    }

    #[test]
    fn clock_that_counts_something_else_has_plain_numbers() {
        assert_eq!(of("18446744073709551615").count(), Some(u64::MAX));
        assert_eq!(of("2266.95s").to_string(), "2266.95s");
        assert_eq!((of("1.5").count(), of("2s").count()), (None, None));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "x", "-1", "1.", ".5", "1.0000000001", "1,5", "99999999999999999999", "20000000000.5"]
        {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}

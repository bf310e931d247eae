//! Counts in sentences for people: `4,095 bytes`.
//!
//! Values of the language, which a user may copy into a text, keep the form of the language; so does output for
//! programs.

use std::fmt;

/// An integer that prints with its digits in groups of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouped<N>(pub N);

impl<N: fmt::Display> fmt::Display for Grouped<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0.to_string();
        let digits = number.trim_start_matches('-');
        f.write_str(&number[..number.len() - digits.len()])?;
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Grouped;

    #[test]
    fn digits_stand_in_groups_of_three() {
        for (number, shown) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (4095, "4,095"),
            (1_000_000, "1,000,000"),
            (-123_456, "-123,456"),
            (-1234, "-1,234"),
            (i64::MAX, "9,223,372,036,854,775,807"),
        ] {
            assert_eq!(Grouped(number).to_string(), shown);
        }
    }
}

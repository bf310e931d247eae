//! The difference of two texts as a unified diff, which `patch` applies.

use std::fmt::Write;

use similar::TextDiff;

/// The number of equal lines around a change.
const CONTEXT: usize = 3;

/// Returns the unified diff from `old` to `new`; empty if they are equal.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    // `similar` would also end a line at a carriage return, which `patch` does not do.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (old, new) = (lines(old), lines(new));
    let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let mut out = String::new();
    for hunk in TextDiff::from_slices(&old, &new).unified_diff().context_radius(CONTEXT).iter_hunks() {
        if out.is_empty() {
            out = format!("--- {name}\n+++ {name}\n");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", hunk.header());
        for change in hunk.iter_changes() {
            let _ = write!(out, "{}{}", change.tag(), change.value());
            if !change.value().ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies a diff to its old text.
    fn applied(old: &str, diff: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut out, mut at) = (String::new(), 0);
        let mut lines = diff.split_inclusive('\n').skip(2).peekable();
        while let Some(line) = lines.next() {
            if let Some(ranges) = line.strip_prefix("@@ -") {
                let range = ranges.split(' ').next().unwrap();
                let (start, length) = range.split_once(',').unwrap_or((range, "1"));
                // An empty range is named by the line before it.
                let start = start.parse::<usize>().unwrap() - usize::from(length != "0");
                out.extend(old[at..start].iter().copied());
                at = start;
                continue;
            }
            let (sign, mut text) = line.split_at(1);
            if lines.next_if(|next| next.starts_with('\\')).is_some() {
                text = text.strip_suffix('\n').unwrap();
            }
            if sign != "+" {
                assert_eq!(old[at], text, "{diff}");
                at += 1;
            }
            if sign != "-" {
                out.push_str(text);
            }
        }
        out.extend(old[at..].iter().copied());
        out
    }

    #[test]
    fn diff_turns_the_old_text_into_the_new() {
        // A linear congruential generator: the same texts in every run.
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..3000 {
            let mut text = || -> String {
                let length = random(30);
                let mut text: String =
                    (0..length).map(|_| ["a\n", "b\n", "c\r\n", "\rd\n"][random(4)]).collect();
                text.push_str(["", "e", "\r"][random(3)]);
                text
            };
            let (old, new) = (text(), text());
            let diff = unified("a", &old, &new);
            assert_eq!(applied(&old, &diff), new, "{old:?} {diff}");
            assert_eq!(diff.is_empty(), old == new);
        }
    }

    #[test]
    fn hunks_have_context_and_line_numbers() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("\n3\n", "\nthree\n").replace("\n16\n", "\n").replace("20\n", "20");
        let expected = "--- a?\n+++ a?\n\
            @@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n\
            @@ -13,8 +13,7 @@\n 13\n 14\n 15\n-16\n 17\n 18\n 19\n-20\n+20\n\\ No newline at end of file\n";
        assert_eq!(unified("a\u{1b}", &old, &new), expected);
        assert_eq!(unified("a", &old, &old), "");
        assert_eq!(unified("a", "", "x\n"), "--- a\n+++ a\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(unified("a", "x\n", ""), "--- a\n+++ a\n@@ -1 +0,0 @@\n-x\n");
    }

    #[test]
    fn texts_with_little_in_common_are_one_change() {
        let text = |from: usize| -> String { (from..from + 100_000).map(|n| format!("{n}\n")).collect() };
        let diff = unified("a", &text(0), &text(1_000_000));
        assert_eq!(diff.matches("@@ -1,100000 +1,100000 @@").count(), 1);
    }
}

//! The difference of two texts as a unified diff, which `patch` applies.

use std::fmt::Write;
use std::ops::Range;

/// How many equal lines are shown around a change.
const CONTEXT: usize = 3;

/// The most lines that are taken out and put in one by one; texts that differ in more are shown as one change.
const MOST: usize = 2000;

/// The unified diff from `old` to `new`; empty where they are equal.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    if changes.is_empty() {
        return String::new();
    }
    let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let mut out = format!("--- {name}\n+++ {name}\n");
    let mut rest = changes.as_slice();
    while let [first, ..] = rest {
        // Changes whose context would meet stand in one hunk.
        let apart = |pair: &[Change]| pair[1].old.start - pair[0].old.end > 2 * CONTEXT;
        let together = rest.windows(2).position(apart).map_or(rest.len(), |last| last + 1);
        let (these, behind) = rest.split_at(together);
        hunk(&mut out, &old, &new, these, first);
        rest = behind;
    }
    out
}

/// Lines of the old text, and those that stand in their place in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// The lines with their ends; the last may have none.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(out: &mut String, old: &[&str], new: &[&str], changes: &[Change], first: &Change) {
    let last = changes.last().unwrap_or(first);
    let before = first.old.start.min(CONTEXT);
    let behind = (old.len() - last.old.end).min(CONTEXT);
    let old_range = first.old.start - before..last.old.end + behind;
    let new_range = first.new.start - before..last.new.end + behind;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "@@ -{} +{} @@", range(&old_range), range(&new_range));
    let mut at = old_range.start;
    for change in changes {
        body(out, ' ', &old[at..change.old.start]);
        body(out, '-', &old[change.old.clone()]);
        body(out, '+', &new[change.new.clone()]);
        at = change.old.end;
    }
    body(out, ' ', &old[at..old_range.end]);
}

/// `start,count`, from 1. An empty range is named by the line before it, as in POSIX.
fn range(lines: &Range<usize>) -> String {
    let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{start},{}", lines.len())
}

fn body(out: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// What differs, in order.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old_rest[..old_rest.len() - suffix], &new_rest[..new_rest.len() - suffix]);
    if old_rest.is_empty() && new_rest.is_empty() {
        return Vec::new();
    }
    let whole = || vec![Change { old: 0..old_rest.len(), new: 0..new_rest.len() }];
    let mut changes = shortest(old_rest, new_rest).unwrap_or_else(whole);
    for Change { old, new } in &mut changes {
        *old = old.start + prefix..old.end + prefix;
        *new = new.start + prefix..new.end + prefix;
    }
    changes
}

/// The shortest way from one text to the other (E. Myers, An O(ND) Difference Algorithm, 1986); `None` where it is
/// longer than [`MOST`] lines.
fn shortest(old: &[&str], new: &[&str]) -> Option<Vec<Change>> {
    let size = old.len() + new.len();
    let middle = MOST.min(size) + 1;
    // How far down `old` one comes on each diagonal, which is the place in `old` less that in `new`.
    let mut furthest = vec![0usize; 2 * middle + 1];
    let mut history: Vec<Vec<usize>> = Vec::new();
    for steps in 0..=MOST.min(size) {
        history.push(furthest[middle - steps..=middle + steps].to_vec());
        for diagonal in (middle - steps..=middle + steps).step_by(2) {
            let down = goes_down(&furthest, diagonal, middle, steps);
            let mut x = if down { furthest[diagonal + 1] } else { furthest[diagonal - 1] + 1 };
            let Some(mut y) = (x + middle).checked_sub(diagonal) else { continue };
            while x < old.len() && y < new.len() && old[x] == new[y] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[diagonal] = x;
            if x >= old.len() && y >= new.len() {
                return Some(backtrack(&history, old.len(), new.len()));
            }
        }
    }
    None
}

/// Whether the best way to a diagonal comes from the one above, by a line put in, and not from the one below.
fn goes_down(furthest: &[usize], diagonal: usize, middle: usize, steps: usize) -> bool {
    diagonal == middle - steps
        || (diagonal != middle + steps && furthest[diagonal - 1] < furthest[diagonal + 1])
}

/// The changes of the way that was found, from its end. `history[n]` holds the diagonals from `-n` to `n` as they were
/// before step `n`.
fn backtrack(history: &[Vec<usize>], mut x: usize, mut y: usize) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (steps, before) in history.iter().enumerate().skip(1).rev() {
        let diagonal = x + steps - y;
        let down = goes_down(before, diagonal, steps, steps);
        let from_x = if down { before[diagonal + 1] } else { before[diagonal - 1] };
        let from_y = if down { from_x + steps - (diagonal + 1) } else { from_x + steps - (diagonal - 1) };
        let to = if down { (from_x, from_y + 1) } else { (from_x + 1, from_y) };
        match changes.last_mut() {
            Some(next) if (next.old.start, next.new.start) == to => {
                (next.old.start, next.new.start) = (from_x, from_y);
            }
            _ => changes.push(Change { old: from_x..to.0, new: from_y..to.1 }),
        }
        (x, y) = (from_x, from_y);
    }
    changes.reverse();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies changes, so that no test trusts the algorithm for its own result.
    fn applied(old: &[&str], new: &[&str], changes: &[Change]) -> String {
        let mut out = String::new();
        let mut at = 0;
        for change in changes {
            assert!(at <= change.old.start && change.old.end <= old.len(), "{changes:?}");
            out.extend(old[at..change.old.start].iter().copied());
            out.extend(new[change.new.clone()].iter().copied());
            at = change.old.end;
        }
        out.extend(old[at..].iter().copied());
        out
    }

    #[test]
    fn changes_lead_from_one_text_to_the_other() {
        // A linear congruential generator: the same texts in every run.
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..3000 {
            let mut text = || -> String {
                let length = random(12);
                (0..length).map(|_| ["a\n", "b\n", "c\n"][random(3)]).collect()
            };
            let (old, new) = (text(), text());
            let (old, new) = (lines(&old), lines(&new));
            let changes = changes(&old, &new);
            assert_eq!(applied(&old, &new, &changes), new.concat(), "{old:?} {new:?} {changes:?}");
            let length: usize = changes.iter().map(|change| change.old.len() + change.new.len()).sum();
            assert_eq!(length, old.len() + new.len() - 2 * common(&old, &new), "not the shortest");
        }
    }

    /// The length of the longest common subsequence, by the textbook.
    fn common(old: &[&str], new: &[&str]) -> usize {
        let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
        for (i, a) in old.iter().enumerate() {
            for (j, b) in new.iter().enumerate() {
                table[i + 1][j + 1] =
                    if a == b { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[old.len()][new.len()]
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
        assert_eq!(unified("a", "", "x\n"), "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x\n");
        assert_eq!(unified("a", "x\n", ""), "--- a\n+++ a\n@@ -1,1 +0,0 @@\n-x\n");
    }

    #[test]
    fn texts_that_have_little_in_common_are_one_change() {
        let text = |from: usize| -> String { (from..from + 3000).map(|n| format!("{n}\n")).collect() };
        let (old, new) = (text(0), text(10_000));
        let (old, new) = (lines(&old), lines(&new));
        assert_eq!(changes(&old, &new), [Change { old: 0..3000, new: 0..3000 }]);
    }
}

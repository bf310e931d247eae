//! The names most similar to one that was not found.

/// The longest word that is compared: the time grows with the square of the length, and longer words are not mistyped
/// names.
const LONGEST_WORD: usize = 128;

/// The similarity of a candidate; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Equal except for case.
    Case,
    /// Equal except for case, `-` and `_`.
    Spelling,
    /// Some letters differ.
    Distance(usize),
    /// The word is a run of whole segments of the candidate, which is this much longer: `openat` of `sys_enter_openat`.
    Segments(usize),
    /// The candidate begins with the word and is this much longer.
    Prefix(usize),
    /// Some letters of a run of the candidate's last segments differ: `openatt` of `sys_enter_openat`.
    NearSegments(usize, usize),
}

/// Returns the candidates nearest to `word`, best first, at most `max`.
///
/// A candidate is near if up to a third of the letters are mistyped (Damerau-Levenshtein, exchanged neighbours count
/// once), if `-` stands for `_`, if the case differs, or if the word is a part of the name cut at `_`, `-` or `:`.
/// Equal fits are in alphabetical order. Where one differs by its case alone, no other is meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, max: usize) -> Vec<&'a str> {
    if word.is_empty() || word.len() > LONGEST_WORD {
        return Vec::new();
    }
    let lower = word.to_lowercase();
    let word = Word::new(&lower);
    let mut spelling = String::new();
    let mut fits: Vec<(Fit, &str)> = Vec::new();
    for candidate in candidates {
        if candidate.len() > LONGEST_WORD {
            continue;
        }
        // A kernel has thousands of names, and their letters are those of ASCII.
        spelling.clear();
        match candidate.is_ascii() {
            true => spelling.extend(candidate.chars().map(|letter| letter.to_ascii_lowercase())),
            false => spelling.push_str(&candidate.to_lowercase()),
        }
        let fit = if spelling == lower {
            Some(Fit::Case)
        } else {
            normalise(&mut spelling);
            word.fit(&spelling)
        };
        fits.extend(fit.map(|fit| (fit, candidate)));
    }
    fits.sort_unstable();
    fits.dedup();
    if fits.first().is_some_and(|(fit, _)| *fit == Fit::Case) {
        fits.retain(|(fit, _)| *fit == Fit::Case);
    }
    fits.into_iter().take(max).map(|(_, candidate)| candidate).collect()
}

/// Makes every separator of a name the same.
fn normalise(lower: &mut String) {
    if lower.contains('-') {
        *lower = lower.replace('-', "_");
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, '_' | ':')
}

/// A mistyped word, in lower case, with what is asked of each candidate.
struct Word {
    text: String,
    /// How many characters it has.
    length: usize,
    letters: Letters,
}

impl Word {
    fn new(lower: &str) -> Word {
        let mut text = lower.to_owned();
        normalise(&mut text);
        Word { length: text.chars().count(), letters: Letters::of(&text), text }
    }

    fn fit(&self, candidate: &str) -> Option<Fit> {
        let word = self.text.as_str();
        if word == candidate {
            return Some(Fit::Spelling);
        }
        // A word of one or two letters is near to everything; only its position in the name can distinguish candidates.
        let cutoff = self.length / 3;
        if cutoff > 0
            && let Some(distance) = self.distance(candidate, cutoff)
        {
            return Some(Fit::Distance(distance));
        }
        let more = candidate.len().checked_sub(word.len())?;
        let tails = || candidate.match_indices(is_separator).map(|(at, _)| &candidate[at + 1..]);
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(is_separator);
        if tails().chain([candidate]).any(|tail| tail.strip_prefix(word).is_some_and(ends)) {
            return Some(Fit::Segments(more));
        }
        if self.length >= 3 && candidate.starts_with(word) {
            return Some(Fit::Prefix(more));
        }
        let cutoff = cutoff.min(2);
        let near = tails().filter(|_| cutoff > 0).filter_map(|tail| {
            Some(Fit::NearSegments(self.distance(tail, cutoff)?, candidate.len() - tail.len()))
        });
        near.min()
    }

    /// Returns the optimal string alignment distance, if it is at most `cutoff`.
    fn distance(&self, other: &str, cutoff: usize) -> Option<usize> {
        // The distance costs the product of the lengths; most names differ by more than the cutoff in length, or in their
        // letters, alone.
        let near = self.length.abs_diff(other.chars().count()) <= cutoff
            && self.letters.least_distance(Letters::of(other)) <= cutoff as u32;
        near.then(|| strsim::osa_distance(&self.text, other)).filter(|&distance| distance <= cutoff)
    }
}

/// The characters that a text has, as a set of bits: different ones may share a bit.
#[derive(Clone, Copy)]
struct Letters(u64);

impl Letters {
    fn of(text: &str) -> Letters {
        Letters(text.chars().fold(0, |bits, letter| bits | 1 << (u32::from(letter) % 64)))
    }

    /// Returns a number of edits that two texts differ by at least: each letter that only one of them has takes one edit, and
    /// an edit can replace a letter of one by a letter of the other.
    fn least_distance(self, other: Letters) -> u32 {
        (self.0 & !other.0).count_ones().max((other.0 & !self.0).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const NAMES: &[&str] = &[
        "sched_switch",
        "sched_wakeup",
        "sched_waking",
        "sys_enter_openat",
        "sys_exit_openat",
        "sys_enter_open_tree",
        "overwrite",
        "sym-offset",
        "prev_comm",
        "next_comm",
        "pid",
    ];

    fn near(word: &str) -> Vec<&'static str> {
        nearest(word, NAMES.iter().copied(), 3)
    }

    #[test]
    fn mistyped_names_are_found() {
        assert_eq!(near("sched_swich"), ["sched_switch"]);
        assert_eq!(near("shced_switch"), ["sched_switch"]);
        assert_eq!(near("overwirte"), ["overwrite"]);
        assert_eq!(near("sym_offset"), ["sym-offset"]);
        assert_eq!(near("SCHED_SWITCH"), ["sched_switch"]);
        assert_eq!(near("sched_wakeing")[0], "sched_waking");
    }

    #[test]
    fn a_name_that_differs_by_case_alone_is_the_only_one() {
        assert_eq!(nearest("enoent", ["ENOANO", "ENOENT", "ENONET"], 3), ["ENOENT"]);
        assert_eq!(nearest("first", ["fist", "FIRST", "First"], 3), ["FIRST", "First"]);
        assert_eq!(nearest("Sym_offset", ["SYM-OFFSET", "sym_offset"], 3), ["sym_offset"]);
        assert_eq!(nearest("ÄB", ["äb", "ab"], 3), ["äb"]);
        // A name that is the word itself is not what was mistyped, but can stand elsewhere.
        assert_eq!(nearest("pid", ["pid", "pic"], 3), ["pid"]);
    }

    #[test]
    fn parts_of_names_are_found() {
        assert_eq!(near("openat"), ["sys_exit_openat", "sys_enter_openat"]);
        assert_eq!(near("opneat"), ["sys_exit_openat", "sys_enter_openat"]);
        assert_eq!(near("switch"), ["sched_switch"]);
        assert_eq!(near("sched_sw"), ["sched_switch"]);
        assert_eq!(near("comm"), ["next_comm", "prev_comm"]);
        assert_eq!(nearest("switch", ["sched:sched_switch"], 1), ["sched:sched_switch"]);
    }

    #[test]
    fn what_is_far_is_left_out() {
        assert!(near("completely_different").is_empty());
        assert!(near("x").is_empty());
        assert!(near("").is_empty());
        assert!(near(&"sched_switch".repeat(1_000_000)).is_empty());
        assert!(nearest("pid", NAMES.iter().copied(), 0).is_empty());
        assert!(nearest("pid", [], 3).is_empty());
        assert_eq!(nearest("ä_switch", ["ö_switch"], 3), ["ö_switch"]);
    }

    #[test]
    fn neighbours_exchanged_count_once() {
        let distance = |a: &str, b: &str, cutoff| super::Word::new(a).distance(b, cutoff);
        assert_eq!(distance("abc", "bac", 3), Some(1));
        assert_eq!(distance("ca", "abc", 3), Some(3));
        assert_eq!(distance("aaaaaaaaaa", "bbbbbbbbbb", 3), None);
        assert_eq!(distance("", "b", 1), Some(1));
        assert_eq!(distance("abc", "xyz", 3), Some(3));
        assert_eq!(distance("abc", "xyz", 2), None);
    }
}

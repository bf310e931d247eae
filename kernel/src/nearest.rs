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
    let word = normal(&lower);
    let fit_of = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        if candidate == lower { Some(Fit::Case) } else { fit(&word, &normal(&candidate)) }
    };
    let mut fits: Vec<(Fit, &str)> = candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST_WORD)
        .filter_map(|candidate| Some((fit_of(candidate)?, candidate)))
        .collect();
    fits.sort_unstable();
    fits.dedup();
    if fits.first().is_some_and(|(fit, _)| *fit == Fit::Case) {
        fits.retain(|(fit, _)| *fit == Fit::Case);
    }
    fits.into_iter().take(max).map(|(_, candidate)| candidate).collect()
}

/// Returns a name in lower case with every separator the same.
fn normal(lower: &str) -> String {
    lower.replace('-', "_")
}

fn is_separator(c: char) -> bool {
    matches!(c, '_' | ':')
}

fn fit(word: &str, candidate: &str) -> Option<Fit> {
    if word == candidate {
        return Some(Fit::Spelling);
    }
    let letters = word.chars().count();
    // A word of one or two letters is near to everything; only its position in the name can distinguish candidates.
    let cutoff = letters / 3;
    if cutoff > 0
        && let Some(distance) = distance(word, candidate, cutoff)
    {
        return Some(Fit::Distance(distance));
    }
    let more = candidate.len().checked_sub(word.len())?;
    let tails = || candidate.match_indices(is_separator).map(|(at, _)| &candidate[at + 1..]);
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(is_separator);
    if tails().chain([candidate]).any(|tail| tail.strip_prefix(word).is_some_and(ends)) {
        return Some(Fit::Segments(more));
    }
    if letters >= 3 && candidate.starts_with(word) {
        return Some(Fit::Prefix(more));
    }
    let cutoff = cutoff.min(2);
    let near = tails().filter(|_| cutoff > 0).filter_map(|tail| {
        Some(Fit::NearSegments(distance(word, tail, cutoff)?, candidate.len() - tail.len()))
    });
    near.min()
}

/// Returns the optimal string alignment distance, if it is at most `cutoff`.
fn distance(a: &str, b: &str, cutoff: usize) -> Option<usize> {
    // The distance costs the product of the lengths; most names differ by more than the cutoff in length alone.
    let near = a.chars().count().abs_diff(b.chars().count()) <= cutoff;
    near.then(|| strsim::osa_distance(a, b)).filter(|&distance| distance <= cutoff)
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
        assert_eq!(super::distance("abc", "bac", 3), Some(1));
        assert_eq!(super::distance("ca", "abc", 3), Some(3));
        assert_eq!(super::distance("aaaaaaaaaa", "bbbbbbbbbb", 3), None);
        assert_eq!(super::distance("", "b", 1), Some(1));
    }
}

//! Habits of wording that plain technical English does without, and where the tree has them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use regex::Regex;

use crate::workspace;

/// A wording to avoid.
pub struct Habit {
    /// Its name in reports.
    pub name: &'static str,
    /// A regular expression. A space stands for any white space, also for the end of a line of a comment.
    wording: &'static str,
    /// A regular expression of matches that are fine; empty where every match counts.
    except: &'static str,
    /// The wording that is meant.
    pub instead: &'static str,
}

const fn habit(name: &'static str, wording: &'static str, instead: &'static str) -> Habit {
    Habit { name, wording, except: "", instead }
}

/// All habits. Case matters: a capital letter finds the beginning of a sentence.
pub const HABITS: &[Habit] = &[
    habit("Of what ...", r"\bOf what\b", "begin with the subject"),
    habit("What of ...", r"\bWhat of\b", "begin with the subject"),
    habit("Whoever ...", r"\bWhoever\b", "name the person or program"),
    habit("Whatever ...", r"\bWhatever\b", "name the thing"),
    Habit {
        name: "is no X",
        wording: r"(?:\b[Tt]here )?\b(?:is|are|was|were) no [a-z]+",
        except: r"^[Tt]here|no (?:longer|more|less|such)$",
        instead: "`is not a X`",
    },
    Habit {
        name: "is none of X",
        wording: r"(?:\b[Tt]here )?\b(?:is|are|was|were) none of\b",
        except: "^[Tt]here",
        instead: "`is not one of X`, `is not a X`",
    },
    habit("without sign", r"\bwithout (?:a )?sign\b", "`unsigned`"),
    habit("text that is held", r"\btexts? that (?:is|are) held\b", "`string`"),
    Habit {
        name: "tell",
        wording: r"\b(?:[Tt]ells?|[Tt]old)\b(?: (?:[a-z]+ ){0,2}(?:apart|from)\b)?",
        except: "(?:apart|from)$",
        instead: "`report`, `say`, `state`",
    },
    habit(
        "carries it out",
        r"\bcarr(?:y|ies) (?:it|them|this|that) out\b",
        "`implements it`, `not implemented yet`",
    ),
    habit("the begin", r"\bthe begin\b", "`the beginning`, `the start`"),
    habit("but for", r"\bbut for\b", "`except`"),
    habit("a comment that repeats the name", r"(?m)/// (?:The code|Raises it)\.$", "remove it"),
];

/// The extensions of files that are read whole: documents, and scripts for a shell.
const WHOLE: &[&str] = &["md", "sh"];

/// The extensions of files of which comments and strings are read.
const COMMENTED: &[&str] = &["rs", "lalrpop", "trc"];

/// This file quotes what it looks for.
const SELF: &str = "xtask/src/words.rs";

/// A place where the tree has a habit.
#[derive(Debug, PartialEq, Eq)]
pub struct Hit {
    /// The file, relative to the root of the workspace.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The words, on one line.
    pub words: String,
}

/// Returns where the comments, strings and documents of the tree have each habit, in the order of [`HABITS`].
///
/// # Errors
/// A file that cannot be read.
pub fn check() -> Result<Vec<(&'static Habit, Vec<Hit>)>> {
    let root = workspace::root();
    let mut paths = Vec::new();
    workspace::files_below(&root, &["target", "node_modules"], &is_text, &mut paths)?;
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let text = if is_one_of(&path, WHOLE) { text } else { comments_and_strings(&text)? };
        files.push((path.strip_prefix(&root)?.to_path_buf(), text));
    }
    files.retain(|(path, _)| path != Path::new(SELF));
    HABITS.iter().map(|habit| Ok((habit, hits(habit, &files)?))).collect()
}

/// Returns whether a file is read.
fn is_text(path: &Path) -> bool {
    is_one_of(path, WHOLE) || is_one_of(path, COMMENTED)
}

/// Returns whether a path has one of some extensions.
fn is_one_of(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known))
}

/// Returns the number of hits in each directory of the root.
pub fn by_directory(hits: &[Hit]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for hit in hits {
        let mut parts = hit.file.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let first = parts.next().unwrap_or_default();
        let directory = if parts.next().is_some() { format!("{first}/") } else { first };
        *counts.entry(directory).or_default() += 1;
    }
    counts
}

/// Blanks the code of a file in Rust, or with comments and strings as in Rust. Lines keep their numbers, and comments
/// their place in them.
fn comments_and_strings(text: &str) -> Result<String> {
    // A character is matched so that the quote in `'"'` does not begin a string.
    let prose = Regex::new(
        r####"(?s)(?<character>b?'(?:[^'\\]|\\[^']+|\\')')|//[^\n]*|/\*.*?\*/|r"[^"]*"|r#".*?"#|r##".*?"##|"(?:[^"\\]|\\.)*""####,
    )?;
    let blank = |code: &str| code.replace(|c: char| !c.is_whitespace(), ";");
    let mut out = String::with_capacity(text.len());
    let mut behind = 0;
    for found in prose.captures_iter(text).filter(|found| found.name("character").is_none()) {
        let range = found.get_match().range();
        out.push_str(&blank(&text[behind..range.start]));
        out.push_str(&text[range.clone()]);
        behind = range.end;
    }
    out.push_str(&blank(&text[behind..]));
    Ok(out)
}

/// A regular expression of what separates two words: white space, with the sign of a comment at the start of a line.
const GAP: &str = r"\s+(?:(?://[/!]?|#)\s*)?";

fn hits(habit: &Habit, files: &[(PathBuf, String)]) -> Result<Vec<Hit>> {
    let wording = Regex::new(&habit.wording.replace(' ', GAP))?;
    let except = Regex::new(habit.except)?;
    let gap = Regex::new(GAP)?;
    let mut hits = Vec::new();
    for (file, text) in files {
        for found in wording.find_iter(text) {
            let words = gap.replace_all(found.as_str(), " ").into_owned();
            let fine = !habit.except.is_empty() && except.is_match(&words);
            // A word in backquotes is quoted, as in a list of words to avoid; one in braces is a name in a format
            // string.
            if !fine && !text[..found.start()].ends_with(['`', '{']) {
                let line = text[..found.start()].matches('\n').count() + 1;
                hits.push(Hit { file: file.clone(), line, words });
            }
        }
    }
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<(usize, String)> {
        let habit = HABITS.iter().find(|habit| habit.name == name).unwrap();
        let hits = hits(habit, &[("a/b.rs".into(), text.to_owned())]).unwrap();
        hits.into_iter().map(|hit| (hit.line, hit.words)).collect()
    }

    #[test]
    fn wordings_are_found_across_lines_of_comments() {
        let text = "a\n    /// A name is\n    /// no word. It is no longer used.\nx(\"that is  no name\");\n";
        assert_eq!(found("is no X", text), [(2, "is no word".to_owned()), (4, "is no name".to_owned())]);
        assert_eq!(found("without sign", "// without\n// a sign"), [(1, "without a sign".to_owned())]);
        assert_eq!(found("but for", "# all but\n# for x"), [(1, "but for".to_owned())]);
    }

    #[test]
    fn what_is_fine_or_quoted_or_code_is_not_found() {
        for text in ["There is no file.", "if there is\n// no file", "never `is no X`", "this no", "is_no x"]
        {
            assert!(found("is no X", text).is_empty(), "{text}");
        }
        assert!(found("Whatever ...", "take whatever comes").is_empty());
        assert!(
            found("tell", "tell_all; it tells the two apart; it tells one from another; {told}").is_empty()
        );
    }

    #[test]
    fn code_is_blank_and_lines_keep_their_numbers() {
        let text = "let told = '\"'; // told\nf(b'\\'', \"told \\\" told\", r#\"a \" told\"#); told<'a>(&'a x)\n/* told */ told\n";
        let prose = comments_and_strings(text).unwrap();
        assert_eq!(prose.lines().count(), text.lines().count());
        let counts: Vec<usize> = prose.lines().map(|line| line.matches("told").count()).collect();
        assert_eq!(counts, [1, 3, 1], "{prose}");
    }

    #[test]
    fn sessions_and_scripts_are_read() {
        for name in ["a.rs", "a.md", "a.lalrpop", "tests/live/bits.trc", "a/body.sh"] {
            assert!(is_text(Path::new(name)), "{name}");
        }
        assert!(!is_text(Path::new("tests/live/bits.txt")));
    }

    #[test]
    fn every_habit_is_a_regular_expression() {
        for habit in HABITS {
            assert!(hits(habit, &[]).unwrap().is_empty());
        }
    }

    #[test]
    fn hits_are_counted_by_directory_of_the_root() {
        let hit = |file: &str| Hit { file: file.into(), line: 1, words: String::new() };
        let counts = by_directory(&[hit("a/b/c.rs"), hit("README.md"), hit("a/d.rs")]);
        assert_eq!(counts, BTreeMap::from([("README.md".to_owned(), 1), ("a/".to_owned(), 2)]));
    }
}

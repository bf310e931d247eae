//! Fixes of diagnostics: edits of the text, and how certain their meaning is.

use tracec_span::{FileId, Span};

use super::{Code, Diagnostic, Severity};
use crate::source::SourceText;

/// How often fixes are applied and the text is checked again. A fix can uncover a mistake that has a fix of its own;
/// fixes that undo one another must come to an end.
const ROUNDS: usize = 32;

/// How certain the meaning of a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// The meaning is certain: only the spelling was wrong.
    Always,
    /// A guess, such as the nearest name.
    Maybe,
}

impl Applicability {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Applicability::Always => "always",
            Applicability::Maybe => "maybe",
        }
    }
}

/// A replacement of a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; an empty span inserts.
    pub span: Span,
    /// The replacement; an empty text removes.
    pub text: String,
}

/// A change of the text that removes the cause of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Its title, an order or a question: ``write `"bash"` ``.
    pub title: String,
    /// How certain its meaning is.
    pub applicability: Applicability,
    /// What to replace: in the order of the text, none touching another, all to be made or none.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Creates a fix that replaces one part.
    pub fn new(
        applicability: Applicability,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        Fix::several(applicability, title, vec![Edit { span, text: replacement.into() }])
    }

    /// Creates a fix that replaces several parts, which do not touch one another.
    pub fn several(applicability: Applicability, title: impl Into<String>, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.span);
        Fix { title: title.into(), applicability, edits }
    }
}

/// The result of applying fixes to a text.
#[derive(Clone, Debug)]
pub struct Mended {
    /// The new text.
    pub text: String,
    /// The titles of the applied fixes, in order.
    pub mended: Vec<&'static Code>,
    /// The diagnostics of the new text.
    pub remaining: Vec<Diagnostic>,
}

/// Applies the fixes that are as sure as `applicability` demands, checks again, and so on until none is left.
///
/// A text with errors has no meaning yet, and a guess gives it one. A warning is about a text that has a meaning, and a
/// guess for it is another one. Both are not done in one run: who has the errors of a text repaired has not asked for
/// another meaning of what was right.
///
/// Only the text itself is changed, not what it imports.
pub fn mend(
    source: &SourceText,
    applicability: Applicability,
    mut check: impl FnMut(&SourceText) -> Vec<Diagnostic>,
) -> Mended {
    let mut source = source.clone();
    let mut mended = Vec::new();
    let mut remaining = check(&source);
    let warnings = match remaining.iter().any(|said| said.severity == Severity::Error) {
        true => Applicability::Always,
        false => applicability,
    };
    for _ in 0..ROUNDS {
        let chosen = choose(&remaining, applicability, warnings);
        if chosen.is_empty() {
            break;
        }
        mended.extend(chosen.iter().map(|(code, _)| *code));
        let edits: Vec<&Edit> = chosen.iter().flat_map(|(_, fix)| &fix.edits).collect();
        source.text = apply(&source.text, &edits);
        remaining = check(&source);
    }
    Mended { text: source.text, mended, remaining }
}

/// Returns the text after edits that do not overlap.
pub fn apply(text: &str, edits: &[&Edit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| edit.span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.range().start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.span.range().end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// One fix of each error as sure as `errors` demands, and of each warning as `warnings` does, as long as it keeps clear
/// of those chosen before. What touches another is left for the next round: between two edits at one place there is no
/// order.
fn choose(
    diagnostics: &[Diagnostic],
    errors: Applicability,
    warnings: Applicability,
) -> Vec<(&'static Code, &Fix)> {
    let mut chosen: Vec<(&'static Code, &Fix)> = Vec::new();
    for diagnostic in diagnostics {
        let applicability = if diagnostic.severity == Severity::Error { errors } else { warnings };
        let sure = diagnostic.fixes.iter().filter(|fix| fix.applicability <= applicability);
        let Some(fix) = sure.min_by_key(|fix| fix.applicability) else { continue };
        let outside = fix.edits.iter().any(|edit| edit.span.file != FileId::MAIN);
        if !outside && !chosen.iter().any(|(_, other)| touch(fix, other)) {
            chosen.push((diagnostic.code, fix));
        }
    }
    chosen
}

fn touch(one: &Fix, other: &Fix) -> bool {
    let close = |a: Span, b: Span| a.file == b.file && a.start <= b.end && b.start <= a.end;
    one.edits.iter().any(|a| other.edits.iter().any(|b| close(a.span, b.span)))
}

/// What the fixes offer. Names that could stand in one place are one question.
pub(super) fn offers(fixes: &[Fix]) -> Vec<String> {
    let titles = || fixes.iter().map(|fix| fix.title.clone()).collect();
    let [first, _, ..] = fixes else { return titles() };
    let edit = |fix: &Fix| match fix.edits.as_slice() {
        [edit] if fix.applicability == Applicability::Maybe => Some(edit.clone()),
        _ => None,
    };
    let edits: Option<Vec<Edit>> = fixes.iter().map(edit).collect();
    match edits {
        Some(edits) if edits.iter().all(|edit| edit.span == first.edits[0].span) => {
            let names: Vec<String> = edits.iter().map(|edit| format!("`{}`", edit.text)).collect();
            vec![format!("did you mean one of {}?", names.join(", "))]
        }
        _ => titles(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::codes::unexpected::CODE;

    fn source(text: &str) -> SourceText {
        SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false }
    }

    /// A diagnostic for each `x`, mended by a `y`.
    fn each_x(source: &SourceText, applicability: Applicability) -> Vec<Diagnostic> {
        let places = source.text.match_indices('x').map(|(at, _)| Span::new(at, at + 1));
        let fix = |span| Fix::new(applicability, "write `y`", span, "y");
        places.map(|span| Diagnostic::error(&CODE, "x").at(span, "").offer(fix(span))).collect()
    }

    #[test]
    fn fixes_that_touch_are_made_one_after_the_other() {
        let mut rounds = Vec::new();
        let mended = mend(&source("xx x\u{1f980}x"), Applicability::Always, |source| {
            rounds.push(source.text.clone());
            each_x(source, Applicability::Always)
        });
        assert_eq!(rounds, ["xx x\u{1f980}x", "yx y\u{1f980}y", "yy y\u{1f980}y"]);
        assert_eq!((mended.text.as_str(), mended.mended.len()), ("yy y\u{1f980}y", 4));
        assert!(mended.remaining.is_empty());
    }

    #[test]
    fn guesses_are_made_only_if_asked_for() {
        let check = |source: &SourceText| each_x(source, Applicability::Maybe);
        let certain = mend(&source("ax"), Applicability::Always, check);
        assert_eq!((certain.text.as_str(), certain.remaining.len()), ("ax", 1));
        assert_eq!(mend(&source("ax"), Applicability::Maybe, check).text, "ay");
    }

    #[test]
    fn guesses_for_warnings_are_not_made_where_errors_are_repaired() {
        let check = |source: &SourceText| {
            let mut found = each_x(source, Applicability::Maybe);
            let warning = source.text.find('w').map(|at| Span::new(at, at + 1));
            found.extend(warning.map(|span| {
                let said = Diagnostic::lint(&crate::diagnostic::codes::hidden_pseudo_field::CODE, "w");
                said.at(span, "").guess("", span, "v")
            }));
            found
        };
        assert_eq!(mend(&source("x w"), Applicability::Maybe, check).text, "y w");
        assert_eq!(mend(&source("y w"), Applicability::Maybe, check).text, "y v");
    }

    #[test]
    fn of_several_fixes_the_surest_is_made_and_of_equals_the_first() {
        let span = Span::new(0, 1);
        let said = Diagnostic::error(&CODE, "x").at(span, "").guess("", span, "g").guess("", span, "h");
        let check = |said: Diagnostic| {
            move |source: &SourceText| {
                if source.text == "x" { vec![said.clone()] } else { Vec::new() }
            }
        };
        assert_eq!(mend(&source("x"), Applicability::Maybe, check(said.clone())).text, "g");
        let said = said.fix("", span, "f");
        assert_eq!(mend(&source("x"), Applicability::Maybe, check(said)).text, "f");
    }

    #[test]
    fn all_edits_of_a_fix_are_made_or_none() {
        let insert = |at, text: &str| Edit { span: Span::new(at, at), text: text.to_owned() };
        let pair = |from, to| {
            let edits = vec![insert(to, ")"), insert(from, "(")];
            Diagnostic::error(&CODE, "").offer(Fix::several(Applicability::Always, "", edits))
        };
        let mended = mend(&source("abcd"), Applicability::Always, |source| {
            if source.text.contains('(') { Vec::new() } else { vec![pair(0, 2), pair(2, 4)] }
        });
        assert_eq!(mended.text, "(ab)cd", "the second pair touches the first");
    }

    #[test]
    fn fixes_that_undo_one_another_come_to_an_end() {
        let turn = |source: &SourceText| {
            let other = if source.text == "a" { "b" } else { "a" };
            vec![Diagnostic::error(&CODE, "").fix("", Span::new(0, 1), other)]
        };
        let mended = mend(&source("a"), Applicability::Always, turn);
        assert_eq!((mended.mended.len(), mended.remaining.len()), (ROUNDS, 1));
    }

    #[test]
    fn what_is_imported_is_not_changed() {
        let said = Diagnostic::error(&CODE, "").fix("", FileId(1).span(0, 1), "y");
        assert_eq!(mend(&source("x"), Applicability::Always, |_| vec![said.clone()]).text, "x");
    }
}

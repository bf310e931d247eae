//! Fixes are tried before they are offered: what a fix writes has to check.
//!
//! The translation of a mistake is made where it is found, from a part of the text. Whether the whole still checks is
//! known only if the fix is made and the text analysed again.

use std::ops::Range;

use tracec_span::{FileId, Span};

use super::fix::{Applicability, apply};
use super::{Diagnostic, Edit, Fix, Severity};
use crate::source::SourceText;

/// The length in bytes of the longest text whose fixes are tried.
const LONGEST: usize = 32 << 10;

/// How often a text is analysed for its fixes. Those that were not tried by then stay.
const MOST: usize = 64;

/// How many fixes are tried one after the other: a fix can uncover a mistake that has a fix of its own.
const DEPTH: usize = 3;

/// The length in bytes of the longest text of a fix that a note repeats.
const SHORT: usize = 160;

/// Returns whether the fixes of a text are tried.
pub(crate) fn are_fixes_tried(text: &str) -> bool {
    text.len() <= LONGEST
}

/// Removes each fix that leads to a new mistake, of which a note is left if the mistake is not one of syntax.
pub(crate) fn keep_fixes_that_check(
    source: &SourceText,
    diagnostics: &mut [Diagnostic],
    check: &dyn Fn(&SourceText) -> Vec<Diagnostic>,
) {
    if !are_fixes_tried(&source.text) || diagnostics.iter().all(|said| said.fixes.is_empty()) {
        return;
    }
    let before: Vec<Place> = diagnostics.iter().filter_map(place).collect();
    let mut trial = Trial { check, left: MOST };
    for said in diagnostics {
        let fixes = std::mem::take(&mut said.fixes);
        for fix in fixes {
            match trial.of(source, &before, &fix, DEPTH) {
                Ok(fix) => said.fixes.push(fix),
                Err(mistake) => said.notes.extend(note(&fix, &mistake)),
            }
        }
    }
}

/// Returns what is left of a fix that leads to a mistake.
fn note(fix: &Fix, mistake: &Diagnostic) -> Option<String> {
    let [edit] = fix.edits.as_slice() else { return None };
    if edit.text.is_empty() || edit.text.contains('\n') || mistake.code.is_of_syntax() {
        return None;
    }
    Some(match edit.text.len() {
        ..SHORT => format!("as `{}` it is refused: {}", edit.text, mistake.message),
        _ => format!("its translation is refused: {}", mistake.message),
    })
}

/// An error by its code and its place.
type Place = (&'static str, Option<Span>);

fn place(said: &Diagnostic) -> Option<Place> {
    let span = said.primary.as_ref().map(|label| label.span);
    (said.severity == Severity::Error).then_some((said.code.id, span))
}

struct Trial<'c> {
    check: &'c dyn Fn(&SourceText) -> Vec<Diagnostic>,
    /// How often the text may still be analysed.
    left: usize,
}

impl Trial<'_> {
    /// Returns a fix as it can be offered: with what mends the mistakes that it leads to, where that is a part of what
    /// it writes. A fix that cannot be tried is left as it is.
    ///
    /// # Errors
    /// The mistake that a fix leads to: one of syntax, or one in what the fix writes, that was not there before and that
    /// no further fix mends.
    fn of(
        &mut self,
        source: &SourceText,
        before: &[Place],
        fix: &Fix,
        depth: usize,
    ) -> Result<Fix, Box<Diagnostic>> {
        if self.left == 0 || fix.edits.iter().any(|edit| edit.span.file != FileId::MAIN) {
            return Ok(fix.clone());
        }
        self.left -= 1;
        let edits: Vec<_> = fix.edits.iter().collect();
        let fixed = SourceText { text: apply(&source.text, &edits), ..source.clone() };
        let after = (self.check)(&fixed);
        let places: Vec<Place> = after.iter().filter_map(place).collect();
        let written = written(fix);
        let is_new = |said: &Diagnostic| {
            let Some((code, span)) = place(said) else { return false };
            let concerns = said.code.is_of_syntax() || span.is_some_and(|span| written.overlaps(span));
            concerns && !before.contains(&(code, span.and_then(|span| written.before(span))))
        };
        for said in after.iter().filter(|said| is_new(said)) {
            let further = if depth == 0 { &[][..] } else { &said.fixes };
            // A guess mends only what was in the text before: what the fix has made has to be right.
            let found = said.primary.as_ref().and_then(|label| fixed.text.get(label.span.range()));
            let is_repeated = found
                .and_then(|found| found.split_whitespace().next())
                .is_some_and(|word| source.text.contains(word));
            let can_mend = |fix: &&Fix| is_repeated || fix.applicability == Applicability::Always;
            let mut is_mended = false;
            for further in further.iter().filter(can_mend) {
                if let Some(both) = together(fix, further, &written)
                    && let Ok(both) = self.of(source, before, &both, depth - 1)
                {
                    return Ok(both);
                }
                is_mended |= self.of(&fixed, &places, further, depth - 1).is_ok();
            }
            if !is_mended {
                return Err(Box::new(said.clone()));
            }
        }
        Ok(fix.clone())
    }
}

/// Returns a fix that also does what a further one changes in the text that it writes; `None` where its title does not
/// have that text.
fn together(fix: &Fix, further: &Fix, written: &Written) -> Option<Fix> {
    let ([edit], [(part, _)]) = (&fix.edits[..], &written.parts[..]) else { return None };
    let inside = |more: &Edit| {
        let Range { start, end } = more.span.range();
        let is_inside = more.span.file == FileId::MAIN && part.start <= start && end <= part.end;
        is_inside.then(|| Edit { span: Span::new(start - part.start, end - part.start), ..more.clone() })
    };
    let more: Vec<Edit> = further.edits.iter().map(inside).collect::<Option<_>>()?;
    let text = apply(&edit.text, &more.iter().collect::<Vec<_>>());
    let quoted = format!("`{}`", edit.text);
    let title = fix.title.contains(&quoted).then(|| fix.title.replace(&quoted, &format!("`{text}`")))?;
    let edits = vec![Edit { span: edit.span, text }];
    Some(Fix { title, applicability: fix.applicability.max(further.applicability), edits })
}

/// The parts of a text that a fix has written.
struct Written {
    /// Where each stands, and how many bytes it replaced.
    parts: Vec<(Range<usize>, usize)>,
}

fn written(fix: &Fix) -> Written {
    let (mut from, mut to) = (0, 0);
    let parts = fix.edits.iter().map(|edit| {
        let old = edit.span.range();
        let start = to + (old.start - from);
        (from, to) = (old.end, start + edit.text.len());
        (start..to, old.len())
    });
    Written { parts: parts.collect() }
}

impl Written {
    fn overlaps(&self, span: Span) -> bool {
        let Range { start, end } = span.range();
        span.file == FileId::MAIN
            && self.parts.iter().any(|(part, _)| start < part.end && part.start < end.max(start + 1))
    }

    /// Returns where a span was before the fix; `None` if the fix wrote a part of it.
    fn before(&self, span: Span) -> Option<Span> {
        if span.file != FileId::MAIN {
            return Some(span);
        }
        let at = |offset: usize| {
            let before = self.parts.iter().filter(|(part, _)| part.end <= offset);
            before.fold(offset, |at, (part, replaced)| at + replaced - part.len())
        };
        let Range { start, end } = span.range();
        (!self.overlaps(span)).then(|| Span::new(at(start), at(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::diagnostic::codes::{unexpected, unknown_event};

    /// A checker for which `x` is a mistake that a `y` mends, `z` one that a `w` mends, and `w` one without a fix.
    fn check(code: &'static Code) -> impl Fn(&SourceText) -> Vec<Diagnostic> {
        move |source| {
            let letters = source.text.char_indices().filter(|(_, letter)| "xzw".contains(*letter));
            let said = letters.map(|(at, letter)| {
                let said = Diagnostic::error(code, letter.to_string()).at(Span::new(at, at + 1), "");
                match letter {
                    'x' => said.guess("", Span::new(at, at + 1), "y"),
                    'z' => said.guess("", Span::new(at, at + 1), "w"),
                    _ => said,
                }
            });
            said.collect()
        }
    }

    fn source(text: &str) -> SourceText {
        SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false }
    }

    /// Returns the message, the number of fixes and the notes of each diagnostic of a text.
    fn kept(text: &str, code: &'static Code, fix: Option<Fix>) -> Vec<(String, usize, Vec<String>)> {
        let source = source(text);
        let check = check(code);
        let mut found = check(&source);
        if let Some(fix) = fix {
            found[0].fixes = vec![fix];
        }
        keep_fixes_that_check(&source, &mut found, &check);
        found.into_iter().map(|said| (said.message, said.fixes.len(), said.notes)).collect()
    }

    #[test]
    fn fix_that_leads_to_a_mistake_is_not_offered() {
        let note = || vec!["as `w` it is refused: w".to_owned()];
        let expected =
            [("x".to_owned(), 1, vec![]), ("z".to_owned(), 0, note()), ("w".to_owned(), 0, vec![])];
        assert_eq!(kept("a x z w", &unknown_event::CODE, None), expected);
        // Where a form is not even understood, its mistake explains nothing.
        let expected =
            [("x".to_owned(), 1, vec![]), ("z".to_owned(), 0, vec![]), ("w".to_owned(), 0, vec![])];
        assert_eq!(kept("a x z w", &unexpected::CODE, None), expected);
    }

    /// What is offered checks as it is offered, and not only when a further fix is made.
    #[test]
    fn further_fix_is_made_with_the_first() {
        let source = source("x");
        let check = check(&unknown_event::CODE);
        let mut found = check(&source);
        found[0].fixes = vec![Fix::new(Applicability::Always, "write `bxb`", Span::new(0, 1), "bxb")];
        keep_fixes_that_check(&source, &mut found, &check);
        let [Fix { title, applicability, edits }] = &found[0].fixes[..] else { panic!("{found:?}") };
        let expected = ("write `byb`", Applicability::Maybe, "byb");
        assert_eq!((title.as_str(), *applicability, edits[0].text.as_str()), expected);
    }

    #[test]
    fn mistake_that_a_further_fix_mends_does_not_count() {
        let fix = |text| Some(Fix::new(Applicability::Maybe, "", Span::new(0, 1), text));
        assert_eq!(kept("x", &unknown_event::CODE, fix("xyx"))[0].1, 1);
        assert_eq!(kept("x", &unknown_event::CODE, fix("xzx"))[0].1, 0);
    }

    /// Only a mistake of syntax can be elsewhere because of what a fix writes.
    #[test]
    fn mistake_elsewhere_counts_if_it_is_one_of_syntax() {
        let edits = |text: &str| {
            let edit = |at, text: &str| Edit { span: Span::new(at, at + 1), text: text.to_owned() };
            Some(Fix::several(Applicability::Maybe, "", vec![edit(0, text), edit(4, "")]))
        };
        // The `w` behind the edits was there before, and has moved.
        for (code, fixes) in [(&unknown_event::CODE, 1), (&unexpected::CODE, 1)] {
            assert_eq!(kept("x w x w", code, edits("long"))[0].1, fixes);
        }
        let check = |source: &SourceText| {
            let fixed = source.text.starts_with('y');
            let at = if fixed { 2 } else { 0 };
            let code = if fixed { &unexpected::CODE } else { &unknown_event::CODE };
            let said = Diagnostic::error(code, "").at(Span::new(at, at + 1), "");
            vec![if fixed { said } else { said.guess("", Span::new(0, 1), "y") }]
        };
        let source = source("x b");
        let mut found = check(&source);
        keep_fixes_that_check(&source, &mut found, &check);
        assert!(found[0].fixes.is_empty() && found[0].notes.is_empty(), "{found:?}");
    }
}

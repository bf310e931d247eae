//! Diagnostics for people: the line, the place under it, notes and help.

use std::borrow::Cow;

use codespan_reporting::diagnostic::{Diagnostic as Report, Label as Mark, LabelStyle, Severity as Shown};
use codespan_reporting::files::{Files, SimpleFiles};
use codespan_reporting::term;

use super::{one_line, printable};
use crate::diagnostic::fix::offers;
use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::SourceMap;

/// A source line longer than this is not quoted: nobody finds a place in it.
const LONGEST_LINE: usize = 500;

/// Renders diagnostics as text, with ANSI colours if asked for.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic], colour: bool) -> String {
    if diagnostics.is_empty() {
        // The texts need not be read.
        return String::new();
    }
    let mut files = SimpleFiles::new();
    for file in sources.files() {
        files.add(one_line(&file.name), printable(&file.text));
    }
    let page = Page { sources, files, config: term::Config::default(), colour };
    diagnostics.iter().map(|diagnostic| page.render(diagnostic)).collect()
}

/// What all diagnostics are rendered with.
struct Page<'s> {
    sources: &'s SourceMap,
    /// As in the map, and by the same index.
    files: SimpleFiles<String, Cow<'s, str>>,
    config: term::Config,
    colour: bool,
}

impl Page<'_> {
    fn render(&self, diagnostic: &Diagnostic) -> String {
        let report = self.report(diagnostic);
        let mut out = Vec::new();
        let written = if self.colour {
            let mut writer = term::termcolor::Ansi::new(&mut out);
            term::emit_to_write_style(&mut writer, &self.config, &self.files, &report)
        } else {
            term::emit_to_io_write(&mut out, &self.config, &self.files, &report)
        };
        match written {
            Ok(()) => String::from_utf8_lossy(&out).into_owned(),
            // A label that cannot be drawn is a bug of ours; the message must still reach the user.
            Err(_) => {
                format!("{}[{}]: {}\n", diagnostic.severity.word(), diagnostic.code.id, report.message)
            }
        }
    }

    fn report(&self, diagnostic: &Diagnostic) -> Report<usize> {
        let primary = diagnostic.primary.iter().map(|label| self.mark(LabelStyle::Primary, label));
        let secondary = diagnostic.secondary.iter().map(|label| self.mark(LabelStyle::Secondary, label));
        let mut marks: Vec<Mark<usize>> = primary.chain(secondary).collect();
        let mut notes = Vec::new();
        if marks.iter().any(|mark| self.is_on_long_line(mark)) {
            notes.extend(marks.first().map(|mark| self.location(mark)));
            marks.clear();
        }
        notes.extend(
            diagnostic.kernels.iter().map(|kernels| format!("note: {}", printable(&kernels.to_string()))),
        );
        notes.extend(diagnostic.notes.iter().map(|note| format!("note: {}", printable(note))));
        notes.extend(diagnostic.helps.iter().map(|help| format!("help: {}", printable(help))));
        notes.extend(offers(&diagnostic.fixes).iter().map(|offer| format!("help: {}", printable(offer))));
        let shown = match diagnostic.severity {
            Severity::Error => Shown::Error,
            Severity::Warning => Shown::Warning,
        };
        Report::new(shown)
            .with_code(diagnostic.code.id)
            .with_message(printable(&diagnostic.message))
            .with_labels(marks)
            .with_notes(notes)
    }

    fn mark(&self, style: LabelStyle, label: &Label) -> Mark<usize> {
        let (_, range) = self.sources.locate(label.span);
        Mark::new(style, label.span.file.index(), range).with_message(printable(&label.text))
    }

    /// Whether a label lies in a line that is too long to be quoted.
    fn is_on_long_line(&self, mark: &Mark<usize>) -> bool {
        let text = self.files.source(mark.file_id).unwrap_or_default();
        let before = text.get(..mark.range.start).unwrap_or_default();
        let behind = text.get(mark.range.end..).unwrap_or_default();
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        let to = behind.find('\n').map_or(text.len(), |at| mark.range.end + at);
        to.saturating_sub(from) > LONGEST_LINE
    }

    /// `at FILE:LINE:COLUMN`.
    fn location(&self, mark: &Mark<usize>) -> String {
        let name = self.files.name(mark.file_id).unwrap_or_default();
        match self.files.location(mark.file_id, mark.range.start) {
            Ok(at) => format!("at {name}:{}:{}", at.line_number, at.column_number),
            Err(_) => format!("at {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tracec_grammar::span::Span;

    use super::*;
    use crate::diagnostic::codes::unexpected::CODE;
    use crate::source::SourceText;

    fn source(name: &str, text: &str) -> SourceText {
        SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false }
    }

    fn rendered(text: &str, start: usize, end: usize) -> String {
        let said = Diagnostic::error(&CODE, "message").at(Span::new(start, end), "here");
        render(&source("a.trc", text).into(), &[said], false)
    }

    fn check(text: &str, start: usize, end: usize, expected: Expect) {
        expected.assert_eq(&rendered(text, start, end));
    }

    #[test]
    fn a_source_does_not_speak_to_the_terminal() {
        let out = rendered("a \u{1b}]0;title\u{7} \u{9b}2J b\u{202e}", 0, 1);
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{out:?}");
        assert!(out.contains("a ?]0;title? ??2J b???"), "{out}");
        let said = Diagnostic::error(&CODE, "m\u{1b}").at(Span::new(0, 1), "l\u{1b}").note("n\u{1b}");
        let out = render(&source("f\u{1b}\n", "a").into(), &[said.help("h\u{1b}")], false);
        assert!(!out.contains('\u{1b}') && out.contains("f??:1:1"), "{out:?}");
    }

    #[test]
    fn a_long_line_is_not_quoted_but_its_place_is_said() {
        let text = format!("x\n{}", "y".repeat(100_000));
        let out = rendered(&text, 50_002, 50_003);
        assert!(out.len() < 200 && out.contains("at a.trc:2:50001"), "{out}");
    }

    #[test]
    fn places_stand_under_what_they_mean() {
        check(
            "a\r\n\tb \u{1f980}\u{e4} c\r\nd",
            13,
            14,
            expect![[r#"
                error[T0012]: message
                  ┌─ a.trc:2:7
                  │
                2 │     b 🦀ä c
                  │           ^ here

            "#]],
        );
        check(
            "abc",
            3,
            3,
            expect![[r#"
                error[T0012]: message
                  ┌─ a.trc:1:4
                  │
                1 │ abc
                  │    ^ here

            "#]],
        );
        check(
            "",
            0,
            0,
            expect![[r#"
                error[T0012]: message
                  ┌─ a.trc:1:1
                  │
                1 │ 
                  │ ^ here

            "#]],
        );
    }

    #[test]
    fn labels_may_lie_in_several_files() {
        let mut sources = SourceMap::new(source("a.trc", "one"));
        let other = sources.add(source("b.trc", "x\ntwo"));
        let there = other.span(2, 5);
        let said = Diagnostic::error(&CODE, "message").at(Span::new(0, 3), "here").and_at(there, "there");
        expect![[r#"
            error[T0012]: message
              ┌─ a.trc:1:1
              │
            1 │ one
              │ ^^^ here
              │
              ┌─ b.trc:2:1
              │
            2 │ two
              │ --- there

        "#]]
        .assert_eq(&render(&sources, &[said], false));
    }

    #[test]
    fn names_for_one_place_are_one_question() {
        let at = Span::new(0, 1);
        let said = Diagnostic::error(&CODE, "message").suggest(at, &["b".to_owned(), "c".to_owned()]);
        assert_eq!(offers(&said.fixes), ["did you mean one of `b`, `c`?"]);
        let said = said.fix("write `d`", at, "d");
        assert_eq!(offers(&said.fixes), ["did you mean `b`?", "did you mean `c`?", "write `d`"]);
    }
}

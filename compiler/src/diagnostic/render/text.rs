//! Diagnostics for people: the line, the place under it, notes and help.

use std::borrow::Cow;

use codespan_reporting::diagnostic::{Diagnostic as Report, Label as Mark, Severity as Level};
use codespan_reporting::files::{Files, SimpleFile};
use codespan_reporting::term;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::SourceText;

/// A source line longer than this is not quoted: nobody finds a place in it.
const LONGEST_LINE: usize = 500;

/// Renders diagnostics as text, with ANSI colours if asked for.
pub fn render(source: &SourceText, diagnostics: &[Diagnostic], colour: bool) -> String {
    let text = printable(&source.text);
    let file = SimpleFile::new(source.name.as_str(), text.as_ref());
    let config = term::Config::default();
    diagnostics.iter().map(|diagnostic| render_one(&file, diagnostic, &config, colour)).collect()
}

fn render_one(
    file: &SimpleFile<&str, &str>,
    diagnostic: &Diagnostic,
    config: &term::Config,
    colour: bool,
) -> String {
    let report = report(diagnostic, file);
    let mut out = Vec::new();
    let written = if colour {
        let mut writer = term::termcolor::Ansi::new(&mut out);
        term::emit_to_write_style(&mut writer, config, file, &report)
    } else {
        term::emit_to_io_write(&mut out, config, file, &report)
    };
    match written {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        // A label outside the text is a bug of the checker; the message must still reach the user.
        Err(_) => format!("error[{}]: {}\n", diagnostic.code.id, diagnostic.message),
    }
}

/// The text with control characters replaced, byte for byte: a source must not speak to the terminal.
fn printable(text: &str) -> Cow<'_, str> {
    let speaks = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(speaks) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if speaks(c) { clean.extend(std::iter::repeat_n('?', c.len_utf8())) } else { clean.push(c) }
    }
    Cow::Owned(clean)
}

/// Whether a line that a diagnostic points into is too long to be quoted.
fn is_long(diagnostic: &Diagnostic, text: &str) -> bool {
    let mut labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
    labels.any(|label| {
        let before = text[..label.span.range().start].rfind('\n').map_or(0, |at| at + 1);
        let after =
            text[label.span.range().end..].find('\n').map_or(text.len(), |at| at + label.span.range().end);
        after - before > LONGEST_LINE
    })
}

fn report(diagnostic: &Diagnostic, file: &SimpleFile<&str, &str>) -> Report<()> {
    let level = match diagnostic.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    };
    let primary = diagnostic.primary.iter().map(|l| Mark::primary((), l.span.range()).with_message(&l.text));
    let secondary =
        diagnostic.secondary.iter().map(|l| Mark::secondary((), l.span.range()).with_message(&l.text));
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let labels =
        if is_long(diagnostic, file.source()) { Vec::new() } else { primary.chain(secondary).collect() };
    let place = labels.is_empty().then_some(diagnostic.primary.as_ref()).flatten().and_then(|label| {
        let at = file.location((), label.span.range().start).ok()?;
        Some(format!("at {}:{}:{}", file.name(), at.line_number, at.column_number))
    });
    let helps = diagnostic.helps.iter().map(|help| format!("help: {help}"));
    let fixes = diagnostic.fixes.iter().map(|fix| format!("help: {}", fix.title));
    Report::new(level)
        .with_code(diagnostic.code.id)
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(place.into_iter().chain(notes).chain(helps).chain(fixes).collect())
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::Span;

    use super::*;
    use crate::diagnostic::codes;

    fn rendered(text: &str, start: usize, end: usize) -> String {
        let source = SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false };
        let said = Diagnostic::error(&codes::unexpected::CODE, "message").at(Span::new(start, end), "here");
        render(&source, &[said], false)
    }

    #[test]
    fn a_source_does_not_speak_to_the_terminal() {
        let out = rendered("a \u{1b}]0;title\u{7} \u{9b}2J b", 0, 1);
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{out:?}");
        assert!(out.contains("a ?]0;title? ??2J b"), "{out}");
    }

    #[test]
    fn a_long_line_is_not_quoted_but_its_place_is_said() {
        let text = format!("x\n{}", "y".repeat(100_000));
        let out = rendered(&text, 50_002, 50_003);
        assert!(out.len() < 200 && out.contains("at a.trc:2:50001"), "{out}");
    }
}

//! Diagnostics for people: the line, the place under it, notes and help.

use codespan_reporting::diagnostic::{Diagnostic as Report, Label as Mark, Severity as Level};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::SourceText;

/// Renders diagnostics as text, with ANSI colours if asked for.
pub fn render(source: &SourceText, diagnostics: &[Diagnostic], colour: bool) -> String {
    let file = SimpleFile::new(source.name.as_str(), source.text.as_str());
    let config = term::Config::default();
    diagnostics.iter().map(|diagnostic| render_one(&file, diagnostic, &config, colour)).collect()
}

fn render_one(
    file: &SimpleFile<&str, &str>,
    diagnostic: &Diagnostic,
    config: &term::Config,
    colour: bool,
) -> String {
    let report = report(diagnostic);
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

fn report(diagnostic: &Diagnostic) -> Report<()> {
    let level = match diagnostic.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    };
    let primary = diagnostic.primary.iter().map(|l| Mark::primary((), l.span.range()).with_message(&l.text));
    let secondary =
        diagnostic.secondary.iter().map(|l| Mark::secondary((), l.span.range()).with_message(&l.text));
    let notes = diagnostic.notes.iter().map(|note| format!("note: {note}"));
    let helps = diagnostic.helps.iter().map(|help| format!("help: {help}"));
    let fixes = diagnostic.fixes.iter().map(|fix| format!("help: {}", fix.title));
    Report::new(level)
        .with_code(diagnostic.code.id)
        .with_message(&diagnostic.message)
        .with_labels(primary.chain(secondary).collect())
        .with_notes(notes.chain(helps).chain(fixes).collect())
}

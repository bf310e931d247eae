//! Diagnostics in the chosen format.

use std::io::{IsTerminal, Write};
use std::path::Path;

use tracec_compiler::diagnostic::render;
use tracec_compiler::{Diagnostic, Severity, SourceMap, SourceText};
use tracec_kernel::escaped::in_json;
use tracec_lsp::diagnostics as lsp;

use crate::out::out;

/// The format of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The message with the line and a caret under the span, on standard error.
    #[default]
    Text,
    /// One line each, `path:line:column: error[T0102]: message`, on standard error.
    Short,
    /// One JSON object per line, on standard output.
    Json,
    /// The diagnostics of the Language Server Protocol, one JSON object per file, on standard output.
    Lsp,
}

impl Format {
    /// Returns whether the format is for programs, and has standard output to itself.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Format::Json | Format::Lsp)
    }
}

/// Prints diagnostics as text and, if there are several, their number.
pub(crate) fn diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    complain(&rendered(sources, diagnostics, colour));
}

/// Returns diagnostics as text and, if there are several, their number.
pub(crate) fn rendered(sources: &SourceMap, diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut rendered = render::text::render(sources, diagnostics, colour);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if diagnostics.len() > 1 {
        rendered.push_str(&format!("{}\n", count(errors, diagnostics.len() - errors)));
    }
    rendered
}

/// Prints diagnostics in a format.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn report(sources: &SourceMap, said: &[Diagnostic], format: Format) -> std::io::Result<()> {
    match format {
        Format::Text => diagnostics(sources, said),
        Format::Short => complain(&render::short::render(sources, said)),
        Format::Json => out().write_all(render::json::render(sources, said)?.as_bytes())?,
        Format::Lsp => {
            for file in lsp::render(sources, said, lsp::Encoding::default(), &uri) {
                let line = serde_json::to_string(&file).map_err(std::io::Error::other)?;
                writeln!(out(), "{}", in_json(&line))?;
            }
        }
    }
    Ok(())
}

/// Writes to standard error.
pub(crate) fn complain(text: &str) {
    // If standard error is closed, only the exit status reports the failure.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Returns the URI of a text: a `file:` URI for a path, else one that does not name a file.
fn uri(text: &SourceText) -> String {
    if text.name.is_empty() || text.name == "-" || text.one_liner {
        return "untitled:tracec".to_owned();
    }
    let path = std::path::absolute(&text.name).unwrap_or_else(|_| Path::new("/").join(&text.name));
    let mut uri = "file://".to_owned();
    for &byte in path.to_string_lossy().as_bytes() {
        // RFC 3986: a byte is encoded unless it is unreserved or a separator of a path.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

fn count(errors: usize, warnings: usize) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_absolute_and_encoded() {
        let named = |name: &str, one_liner| {
            uri(&SourceText { name: name.to_owned(), one_liner, ..Default::default() })
        };
        assert_eq!(named("/a b/\u{e4}#1%.trc", false), "file:///a%20b/%C3%A4%231%25.trc");
        assert!(named("a.trc", false).starts_with("file:///") && named("a.trc", false).ends_with("/a.trc"));
        assert_eq!((named("-", false), named("-e", true)), (named("", false), "untitled:tracec".to_owned()));
    }
}

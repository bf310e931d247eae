//! Diagnostics in the form that was asked for.

use std::io::{IsTerminal, Write};
use std::path::Path;

use tracec_compiler::diagnostic::render;
use tracec_compiler::{Diagnostic, Severity, SourceMap, SourceText};
use tracec_lsp::diagnostics as lsp;

/// The form of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// With the line and the place under it, on standard error.
    #[default]
    Text,
    /// One line each, `path:line:column: error[T0102]: message`, on standard error.
    Short,
    /// One JSON object a line, on standard output.
    Json,
    /// What a language server publishes, one JSON object per file, on standard output.
    Lsp,
}

impl Format {
    /// Whether it is for programs, and has standard output to itself.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Format::Json | Format::Lsp)
    }
}

/// Prints diagnostics as text and, where there are several, how many.
pub(crate) fn diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut rendered = render::text::render(sources, diagnostics, colour);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if diagnostics.len() > 1 {
        rendered.push_str(&format!("{}\n", count(errors, diagnostics.len() - errors)));
    }
    complain(&rendered);
}

/// Prints diagnostics in a form.
///
/// # Errors
/// Where standard output takes no more.
pub(crate) fn report(sources: &SourceMap, said: &[Diagnostic], format: Format) -> std::io::Result<()> {
    match format {
        Format::Text => diagnostics(sources, said),
        Format::Short => complain(&render::short::render(sources, said)),
        Format::Json => std::io::stdout().write_all(render::json::render(sources, said)?.as_bytes())?,
        Format::Lsp => {
            for file in lsp::render(sources, said, lsp::Encoding::default(), &uri) {
                let line = serde_json::to_string(&file).map_err(std::io::Error::other)?;
                writeln!(std::io::stdout(), "{line}")?;
            }
        }
    }
    Ok(())
}

/// Writes to standard error.
pub(crate) fn complain(text: &str) {
    // Where standard error is gone there is nobody left to tell; the exit status still does.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The URI of a text: a `file:` one for a path, else one that names no file.
fn uri(text: &SourceText) -> String {
    if text.name.is_empty() || text.name == "-" || text.one_liner {
        return "untitled:tracec".to_owned();
    }
    let path = std::path::absolute(&text.name).unwrap_or_else(|_| Path::new("/").join(&text.name));
    let mut uri = "file://".to_owned();
    for &byte in path.to_string_lossy().as_bytes() {
        // RFC 3986: what is neither unreserved nor a separator of a path is encoded.
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

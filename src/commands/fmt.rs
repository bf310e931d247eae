//! `tracec fmt`: formats texts.

mod files;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_compiler::diagnostic::codes::unreadable_source::unreadable_source;
use tracec_compiler::diagnostic::syntax::from_syntax_error;
use tracec_compiler::{Diagnostic, SourceMap, SourceText};

use super::Failure;
use crate::cli::Fmt;
use crate::out::out;
use crate::{diff, print, read, replace};

/// Formats the files that the command line names. A text with mistakes is reported and left unchanged; the others are
/// formatted nevertheless.
pub(crate) fn fmt(arguments: &Fmt) -> Result<ExitCode, Failure> {
    let mut summary = Summary::default();
    for path in &arguments.paths {
        if path.as_os_str() == "-" {
            summary.add(standard_input(arguments))?;
        } else if path.is_dir() {
            for found in files::below(path) {
                match found {
                    Ok(file) => summary.add(one(&file, arguments))?,
                    Err((path, error)) => summary.add(Err(unreadable(&path, &error).into()))?,
                }
            }
        } else {
            summary.add(one(path, arguments))?;
        }
    }
    let failed = summary.failed || (arguments.check && summary.changed);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The counts of the texts so far.
#[derive(Default)]
struct Summary {
    failed: bool,
    changed: bool,
}

impl Summary {
    /// Adds a text, given whether its layout would change. A mistake in one text does not stop the command.
    fn add(&mut self, result: Result<bool, Failure>) -> Result<(), Failure> {
        match result {
            Ok(changed) => self.changed |= changed,
            Err(Failure::Diagnostics(text, diagnostics)) => {
                print::diagnostics(&text, &diagnostics);
                self.failed = true;
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }
}

/// Formats standard input to standard output.
fn standard_input(arguments: &Fmt) -> Result<bool, Failure> {
    let bytes = read::limited(std::io::stdin().lock());
    let text = read::text("-", bytes)?;
    let formatted = formatted("-", &text)?;
    if arguments.check || arguments.diff {
        return report("-", &text, &formatted, arguments);
    }
    out().write_all(formatted.as_bytes())?;
    Ok(formatted != text)
}

/// Formats a file in place.
fn one(path: &Path, arguments: &Fmt) -> Result<bool, Failure> {
    let name = path.display().to_string();
    let text = read::text(&name, files::read(path))?;
    let formatted = formatted(&name, &text)?;
    if arguments.check || arguments.diff {
        return report(&name, &text, &formatted, arguments);
    }
    if formatted == text {
        return Ok(false);
    }
    replace::replace(path, text.as_bytes(), formatted.as_bytes())
        .map_err(|error| output_failed(None, &name, &error.to_string()))?;
    Ok(true)
}

/// Reports whether and how a text would change.
fn report(name: &str, text: &str, formatted: &str, arguments: &Fmt) -> Result<bool, Failure> {
    if formatted == text {
        return Ok(false);
    }
    let mut out = out();
    if arguments.diff {
        out.write_all(diff::unified(name, text, formatted).as_bytes())?;
    } else {
        writeln!(out, "{name}")?;
    }
    Ok(true)
}

fn formatted(name: &str, text: &str) -> Result<String, Failure> {
    let formatted = tracec_grammar::format(text).map_err(|errors| {
        let source = SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false };
        let said = errors.iter().map(|error| from_syntax_error(error, text)).collect();
        Failure::Diagnostics(SourceMap::new(source), said)
    })?;
    if !keeps_text(text, &formatted) {
        return Err(output_failed(None, name, "its layout would lose text, which is a bug of tracec").into());
    }
    Ok(formatted)
}

/// Returns whether one text has all that the other has, except for what the formatter may add, leave out or move. This
/// is the last check before a user's file is replaced.
fn keeps_text(old: &str, new: &str) -> bool {
    let content = |text| str::chars(text).filter(|c| !c.is_ascii_whitespace() && !"(){,;".contains(*c));
    content(old).eq(content(new))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    unreadable_source(&path.display().to_string(), &error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_text_is_found() {
        assert!(keeps_text("a{b // c\r\n;(x==1)}", "a {\n b; // c\n x == 1\n}\n"));
        for lost in ["a {", "a { b }", "a { c b }", "a { b c d }"] {
            assert!(!keeps_text("a{b c}", lost), "{lost}");
        }
    }
}

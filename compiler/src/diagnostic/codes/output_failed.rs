//! T0509: output-failed. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::escaped::is_unprintable;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0509", "output-failed", include_str!("output_failed.md"));

/// Returns the error for a file that cannot be written; `span` is the clause that names it, if one does.
pub fn output_failed(span: Option<Span>, path: &str, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, visible(&format!("cannot write {path}: {reason}")));
    match span {
        Some(span) => diagnostic.at(span, "this output"),
        None => diagnostic,
    }
}

/// Returns the error for a file that cannot be written any more. About so many records were written to so many files before,
/// of which it is the last.
pub fn output_full(
    span: Option<Span>,
    path: &str,
    reason: &str,
    (records, files): (u64, u64),
    is_recording: bool,
) -> Diagnostic {
    let diagnostic = output_failed(span, path, reason);
    let (records, path) = (Grouped(records), visible(path));
    let written = format!("about {records} records were written before");
    match (is_recording, files) {
        (true, ..2) => diagnostic.note(format!("{written}, and can be read")).help(format!(
            "`tracec report {path}` shows them, and `tracec convert {path} -o NEW.dat` writes them elsewhere"
        )),
        (true, files) => diagnostic.note(format!("{written}, to {files} files: all but the last are whole")),
        (false, _) => diagnostic.note(format!("{written}; the last line may be cut short")),
    }
}

/// Returns the error for a file that cannot be written from another one, `file`, which is as before.
pub fn copy_failed(path: &str, reason: &str, file: &str) -> Diagnostic {
    let note = format!("nothing of it is left, and {file} has all that it had");
    output_failed(None, path, reason).note(visible(&note))
}

/// Returns the error for a dump that was not written, while its session went on; `span` is its clause.
pub fn dump_failed(span: Option<Span>, path: &str, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, visible(&format!("the dump {path} was not written: {reason}")))
        .note("nothing is left of it; the session went on");
    match span {
        Some(span) => diagnostic.at(span, "this dump"),
        None => diagnostic,
    }
}

/// Returns a text with its unprintable characters escaped. The name of a file can contain any of them.
fn visible(text: &str) -> String {
    let escaped = |c: char| if is_unprintable(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_output_says_what_was_written_and_how_it_is_read() {
        let said = |files, is_recording| output_full(None, "x.dat", "no space", (1234, files), is_recording);
        let one = said(1, true);
        assert_eq!(one.notes, ["about 1,234 records were written before, and can be read"]);
        assert!(one.helps[0].starts_with("`tracec report x.dat` shows them, and `tracec convert x.dat "));
        assert_eq!(
            said(3, true).notes,
            ["about 1,234 records were written before, to 3 files: all but the last are whole"]
        );
        assert!(said(1, false).notes[0].ends_with("; the last line may be cut short"));
    }

    #[test]
    fn control_characters_of_a_name_are_escaped() {
        let message = output_failed(None, "a\nb\u{1b}[2J", "a \"b\" \u{e4}").message;
        assert_eq!(message, "cannot write a\\nb\\u{1b}[2J: a \"b\" \u{e4}");
    }
}

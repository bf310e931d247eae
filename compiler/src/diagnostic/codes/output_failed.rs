//! T0509: output-failed. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::escaped::is_unprintable;

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
    fn control_characters_of_a_name_are_escaped() {
        let message = output_failed(None, "a\nb\u{1b}[2J", "a \"b\" \u{e4}").message;
        assert_eq!(message, "cannot write a\\nb\\u{1b}[2J: a \"b\" \u{e4}");
    }
}

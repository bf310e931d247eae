//! T0018: misplaced-doc. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

pub(crate) static CODE: Code = Code::error("T0018", "misplaced-doc", include_str!("misplaced_doc.md"));

pub(crate) fn misplaced_doc(error: &SyntaxError, text: &str) -> Diagnostic {
    let edits = markers(error.span, text);
    let diagnostic = Diagnostic::from_grammar(&CODE, error, "describes nothing");
    diagnostic.offer(Fix::several(Applicability::Always, "make it a comment: `//`", edits))
}

/// Drops the third character of `///` and `//!` in each line of a doc comment.
fn markers(doc: Span, text: &str) -> Vec<Edit> {
    let start = doc.range().start;
    let slashes = text.get(doc.range()).unwrap_or_default().match_indices("//").map(|(at, _)| start + at);
    let begins_line = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        *at == start || before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    };
    let third = |at: usize| doc.part(at + 2 - start..at + 3 - start);
    slashes.filter(begins_line).map(|at| Edit { span: third(at), text: String::new() }).collect()
}

#[cfg(test)]
mod tests {
    use tracec_span::FileId;

    use super::*;

    #[test]
    fn each_line_loses_its_marker() {
        let edits = markers(FileId(2).span(3, 21), "x; /// a // b\n  /// c\n");
        let places: Vec<Span> = edits.iter().map(|edit| edit.span).collect();
        assert_eq!(places, [FileId(2).span(5, 6), FileId(2).span(18, 19)]);
    }
}

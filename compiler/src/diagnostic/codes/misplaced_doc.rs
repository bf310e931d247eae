//! T0018: misplaced-doc. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

/// The code.
pub static CODE: Code = Code::error("T0018", "misplaced-doc", include_str!("misplaced_doc.md"));

/// Raises it.
pub fn misplaced_doc(error: &SyntaxError, text: &str) -> Diagnostic {
    let edits = markers(error.span, text);
    let diagnostic = Diagnostic::from_grammar(&CODE, error, "describes nothing");
    diagnostic.offer(Fix::several(Applicability::Always, "make it a comment: `//`", edits))
}

/// Drops the third character of `///` and `//!` in each line of a doc comment.
fn markers(doc: Span, text: &str) -> Vec<Edit> {
    let range = doc.range();
    let starts = text.get(range.clone()).unwrap_or_default().match_indices("//").filter_map(|(at, _)| {
        let at = range.start + at;
        let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        (at == range.start || text.get(line..at)?.trim().is_empty()).then_some(at)
    });
    starts.map(|at| Edit { span: Span::new(at + 2, at + 3), text: String::new() }).collect()
}

//! T0018: misplaced-doc. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};
use crate::source::SourceMap;

/// The code.
pub static CODE: Code = Code::error("T0018", "misplaced-doc", include_str!("misplaced_doc.md"));

/// Raises it.
pub fn misplaced_doc(error: &SyntaxError, sources: &SourceMap) -> Diagnostic {
    let edits = markers(error.span, sources.text_of(error.span));
    let diagnostic = Diagnostic::from_grammar(&CODE, error, "describes nothing");
    diagnostic.offer(Fix::several(Applicability::Always, "make it a comment: `//`", edits))
}

/// Drops the third character of `///` and `//!` in each line of a doc comment.
fn markers(doc: Span, text: &str) -> Vec<Edit> {
    let begins_line = |at: &usize| {
        let line = text.get(..*at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        text.get(line..*at).is_some_and(|before| before.trim().is_empty())
    };
    let starts = text.match_indices("//").map(|(at, _)| at).filter(begins_line);
    let third = |at: usize| Span::new(doc.start as usize + at + 2, doc.start as usize + at + 3);
    starts.map(|at| Edit { span: third(at), text: String::new() }).collect()
}

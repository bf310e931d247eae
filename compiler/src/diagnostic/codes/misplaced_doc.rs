//! T0018: misplaced-doc. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

/// The code.
pub static CODE: Code = Code::error("T0018", "misplaced-doc", include_str!("misplaced_doc.md"));

/// Raises it for a text that lies at `base`.
pub fn misplaced_doc(error: &SyntaxError, text: &str, base: u32) -> Diagnostic {
    let edits = markers(error.span, text, base);
    let diagnostic = Diagnostic::from_grammar(&CODE, error, "describes nothing");
    diagnostic.offer(Fix::several(Applicability::Always, "make it a comment: `//`", edits))
}

/// Drops the third character of `///` and `//!` in each line of a doc comment.
fn markers(doc: Span, text: &str, base: u32) -> Vec<Edit> {
    let (start, end) = (doc.start.saturating_sub(base) as usize, doc.end.saturating_sub(base) as usize);
    let slashes = text.get(start..end).unwrap_or_default().match_indices("//").map(|(at, _)| start + at);
    let begins_line = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        *at == start || before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    };
    let third = |at: usize| Span::new(base as usize + at + 2, base as usize + at + 3);
    slashes.filter(begins_line).map(|at| Edit { span: third(at), text: String::new() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_loses_its_marker_wherever_the_text_lies() {
        let text = "x; /// a // b\n  /// c\n";
        for base in [0u32, 100] {
            let edits = markers(Span { start: base + 3, end: base + 21 }, text, base);
            let places: Vec<u32> = edits.iter().map(|edit| edit.span.start - base).collect();
            assert_eq!(places, [5, 18]);
        }
    }
}

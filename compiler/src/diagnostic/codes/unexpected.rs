//! T0012: unexpected. The page beside this file says what it means.

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind};
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0012", "unexpected", include_str!("unexpected.md"));

/// Raises it.
pub fn unexpected(error: &SyntaxError) -> Diagnostic {
    if is_surplus_semicolon(error) {
        // The grammar's hint says why; here it is the title of the fix.
        let title = error.hint().unwrap_or_else(|| "remove it".to_owned());
        return Diagnostic::error(&CODE, error.to_string()).at(error.span, "here").fix(title, error.span, "");
    }
    Diagnostic::from_grammar(&CODE, error, "here")
}

/// Raises it where a condition is missing behind `connector`, which stands at `at`.
pub fn dangling(error: &SyntaxError, connector: &str, at: Span) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "here")
        .and_at(at, format!("`{connector}` needs a condition on each side"))
}

/// A `;` where a clause could begin: behind a block or another `;`.
fn is_surplus_semicolon(error: &SyntaxError) -> bool {
    matches!(&error.kind, SyntaxErrorKind::Unexpected { found, expected }
        if found == "`;`" && expected.iter().any(|class| matches!(*class, "a clause" | "an item" | "a session")))
}

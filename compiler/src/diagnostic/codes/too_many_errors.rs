//! T0002: too-many-errors. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic, Severity};

/// The code.
pub static CODE: Code = Code::error("T0002", "too-many-errors", include_str!("too_many_errors.md"));

/// Raises it for errors that are not shown.
pub fn more_errors() -> Diagnostic {
    Diagnostic::error(&CODE, "too many mistakes; the rest is not shown")
}

/// Raises it for warnings that are not shown. That is a warning itself: the text may be right.
pub fn more_warnings(count: usize) -> Diagnostic {
    let warnings =
        if count == 1 { "1 more warning is".to_owned() } else { format!("{count} more warnings are") };
    Diagnostic { severity: Severity::Warning, ..Diagnostic::error(&CODE, format!("{warnings} not shown")) }
}

/// Raises it for what the parser stopped at.
pub fn too_many_errors(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "")
}

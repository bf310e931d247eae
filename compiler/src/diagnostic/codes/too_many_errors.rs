//! T0002: too-many-errors. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic, Severity};

pub(crate) static CODE: Code = Code::error("T0002", "too-many-errors", include_str!("too_many_errors.md"));

/// Reports that errors are not shown.
pub(crate) fn more_errors() -> Diagnostic {
    Diagnostic::error(&CODE, "too many errors; the rest is not shown")
}

/// Reports that warnings are not shown. It is a warning: the text may be right.
pub(crate) fn more_warnings(count: usize) -> Diagnostic {
    let warnings =
        if count == 1 { "1 more warning is".to_owned() } else { format!("{count} more warnings are") };
    Diagnostic { severity: Severity::Warning, ..Diagnostic::error(&CODE, format!("{warnings} not shown")) }
}

/// Reports the error at which the parser stopped.
pub(crate) fn too_many_errors(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "")
}

//! T0902: not-a-lint. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0902", "not-a-lint", include_str!("not_a_lint.md"));

/// Reports a level for an error; a name on the command line has no span.
pub(crate) fn not_a_lint(span: Option<Span>, code: &Code) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(&CODE, format!("`{}` is an error, whose level cannot be set", code.name))
            .help(format!("`tracec explain {}` says how to fix it", code.id));
    match span {
        Some(span) => diagnostic.at(span, "not a lint"),
        None => diagnostic,
    }
}

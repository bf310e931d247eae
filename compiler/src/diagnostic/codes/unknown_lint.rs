//! T0901: unknown-lint. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0901", "unknown-lint", include_str!("unknown_lint.md"));

/// Reports an unknown lint; a name on the command line has no span.
pub(crate) fn unknown_lint(span: Option<Span>, name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no lint `{name}`"));
    let near = nearest(name, Code::lints().map(|code| code.name), 3);
    let all = || Code::lints().map(|code| code.name).collect::<Vec<_>>().join(", ");
    match (span, near.as_slice()) {
        (Some(span), []) => diagnostic.at(span, "unknown lint").note(format!("the lints are {}", all())),
        (Some(span), near) => diagnostic.at(span, "unknown lint").suggest(span, near),
        (None, []) => diagnostic.note(format!("the lints are {}", all())),
        (None, near) => diagnostic.help(format!("the nearest are {}", near.join(", "))),
    }
}

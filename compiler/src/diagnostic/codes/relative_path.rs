//! T0745: relative-path. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0745", "relative-path", include_str!("relative_path.md"));

pub(crate) fn relative_path(span: Span, path: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, "the path of the file must be absolute")
        .at(span, "expected a path that begins with `/`");
    if path.contains('/') {
        diagnostic
    } else {
        diagnostic.help("`command -v NAME` prints the path of a program")
    }
}

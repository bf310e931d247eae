//! T0125: unknown-feature. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0125", "unknown-feature", include_str!("unknown_feature.md"));

pub(crate) fn unknown_feature(span: Span, name: &str, near: &[&str], known: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`when has` cannot ask for `{name}`"))
        .at(span, "unknown")
        .suggest(span, near)
        .note(format!("it can ask for {}", known.join(", ")))
}

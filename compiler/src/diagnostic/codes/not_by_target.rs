//! T0408: not-by-target. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0408", "not-by-target", include_str!("not_by_target.md"));

/// Reports a clause that `target` does not implement and another target does; `instead` is an order.
pub(crate) fn not_by_target(span: Span, what: &str, target: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the target `{target}` does not support {what}"))
        .at(span, format!("unsupported by `{target}`"))
        .help(instead)
}

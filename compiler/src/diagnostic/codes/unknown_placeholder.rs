//! T0738: unknown-placeholder. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0738", "unknown-placeholder", include_str!("unknown_placeholder.md"));

pub(crate) fn unknown_placeholder(
    span: Span,
    name: &str,
    is_argument: bool,
    nearest: &[String],
) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(&CODE, format!("the record has no field `{name}`")).at(span, "unknown field");
    if is_argument {
        diagnostic
            .note("it is an argument, and arguments do not exist when the record is printed")
            .help(format!("record it: add a field `{name}` to `entry`"))
    } else {
        diagnostic.suggest(span, nearest)
    }
}

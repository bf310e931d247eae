//! T0242: unknown-function. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::source::FunctionList;

pub(crate) static CODE: Code =
    Code::lint("T0242", "unknown-function", Level::Deny, include_str!("unknown_function.md"));

/// Reports a function that `list` does not hold.
pub(crate) fn unknown_function(
    span: Span,
    name: &str,
    kernel: &str,
    nearest: &[String],
    list: FunctionList,
) -> Diagnostic {
    let said = Diagnostic::lint(&CODE, format!("{kernel} lists no function `{name}`"))
        .at(span, "unknown function")
        .suggest(span, nearest);
    said.note(match list {
        FunctionList::Traceable => {
            "the list is its `available_filter_functions`, which has no functions that cannot be traced"
        }
        FunctionList::Symbols => {
            "the list is `/proc/kallsyms`, which the kernel's filter also uses: it would refuse the name"
        }
    })
}

//! T0221: cpu-list-operator. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0221", "cpu-list-operator", include_str!("cpu_list_operator.md"));

pub(crate) fn cpu_list_operator(span: Span, op: &str, field: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` cannot compare a list of CPUs")).at(span, "a list of CPUs").help(format!(
        "write `{field} & CPUS{{..}}` to test whether it is one of them; compare with one CPU by its number"
    ))
}

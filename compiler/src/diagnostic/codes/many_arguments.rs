//! T0727: many-arguments. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0727", "many-arguments", Level::Warn, include_str!("many_arguments.md"));

pub(crate) fn many_arguments(span: Span, count: usize, most: usize) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("{} arguments are more than a BPF program can have", Grouped(count)))
        .at(span, format!("the {}th", most + 1))
        .help("pass a pointer to a struct")
}

//! T0757: unchecked-function. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0757", "unchecked-function", Level::Warn, include_str!("unchecked_function.md"));

/// Reports the first function of a text whose kernel does not list its functions, with the number of `others`.
pub(crate) fn unchecked_function(span: Span, name: &str, kernel: &str, others: usize) -> Diagnostic {
    let diagnostic =
        Diagnostic::lint(&CODE, format!("whether {kernel} has the function `{name}` is not checked"))
            .at(span, "not checked")
            .note("its profile holds no list of functions");
    match others {
        0 => diagnostic,
        1 => diagnostic.note("nor is one more function of this file"),
        more => diagnostic.note(format!("nor are {more} more functions of this file")),
    }
}

//! T0720: reserved-name. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0720", "reserved-name", include_str!("reserved_name.md"));

pub(crate) fn reserved_name(span: Span, name: &str, what: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be called `{name}`")).at(span, why)
}

/// Reports a name of which the macros of a trace header make one that the kernel's headers have.
pub(crate) fn of_headers(span: Span, name: &str, what: &str, made: &str) -> Diagnostic {
    reserved_name(span, name, what, &format!("it becomes `{made}`, which the kernel's headers have already"))
}

/// Reports a name of which the macros of a trace header make one that they make of another too.
pub(crate) fn of_another(span: Span, name: &str, what: &str, first: (Span, &str), made: &str) -> Diagnostic {
    let (at, first) = first;
    let why = format!("in C there is a `{made}` already, which `{first}` becomes");
    reserved_name(span, name, what, &why).and_at(at, "becomes the same name")
}

//! T0112: unknown-module. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0112", "unknown-module", include_str!("unknown_module.md"));

pub(crate) fn unknown_module(span: Span, path: &str, near: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no module `{path}`"))
        .at(span, "unknown module")
        .suggest(span, near)
        .help("modules of the language begin with `std::`; a file is named in quotes: `use \"common.trc\";`")
}

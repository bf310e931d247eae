//! T0116: duplicate-import. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0116", "duplicate-import", include_str!("duplicate_import.md"));

pub(crate) fn duplicate_import(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is imported twice"))
        .at(span, "again")
        .and_at(first, "first here")
        .help("rename one of them: `use .. as NAME;`")
}

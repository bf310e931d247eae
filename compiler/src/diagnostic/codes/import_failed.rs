//! T0114: import-failed. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0114", "import-failed", include_str!("import_failed.md"));

pub(crate) fn import_failed(span: Span, path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot import {path:?}: {reason}")).at(span, "cannot be read")
}

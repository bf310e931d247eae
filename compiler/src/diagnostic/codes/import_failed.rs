//! T0114: import-failed. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};
use crate::source::ImportError;

pub(crate) static CODE: Code = Code::error("T0114", "import-failed", include_str!("import_failed.md"));

pub(crate) fn import_failed(span: Span, path: &str, error: &ImportError) -> Diagnostic {
    let ImportError { reason, help } = error;
    let said = Diagnostic::error(&CODE, format!("cannot import {path:?}: {reason}")).at(span, "not imported");
    match help {
        Some(help) => said.help(help),
        None => said,
    }
}

//! T0746: probe-values. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0746", "probe-values", include_str!("probe_values.md"));

/// Raises it for arguments where there are none.
pub fn no_arguments(span: Span, kind: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` sees no arguments")).at(span, "not here").help(instead)
}

/// Raises it for arguments inside a function.
pub fn inside(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "arguments are where a function begins")
        .at(span, "the probe is inside it")
        .help("name registers: `{ a = %di: u64; }`")
}

/// Raises it for a result where there is none.
pub fn no_result(span: Span, kind: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` sees no result")).at(span, "not here").help(instead)
}

/// Raises it for a probe of nothing but a result that does not name it.
pub fn result_missing(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` records what a function returns"))
        .at(span, "no `-> (name: type)` behind the function")
        .help("write `-> (ret: int)`")
}

//! T0746: probe-values. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0746", "probe-values", include_str!("probe_values.md"));

/// Reports arguments in a kind of probe that has none.
pub(crate) fn no_arguments(span: Span, kind: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` has no arguments")).at(span, "not here").help(instead)
}

/// Reports arguments of a probe inside of a function.
pub(crate) fn inside(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "arguments exist only where a function begins")
        .at(span, "the probe is inside the function")
        .help("name registers: `{ a = %di: u64; }`")
}

/// Reports a result in a kind of probe that has none.
pub(crate) fn no_result(span: Span, kind: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` has no result")).at(span, "not here").help(instead)
}

/// Reports a probe that can record only a result and does not name one.
pub(crate) fn result_missing(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` records what a function returns"))
        .at(span, "no `-> (name: type)` behind the function")
        .help("write `-> (ret: int)`")
}

//! T0730: no-source. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0730", "no-source", include_str!("no_source.md"));

/// Reports the field of a tracepoint.
pub(crate) fn no_source(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the field `{name}` has no value"))
        .at(span, "no argument has this name")
        .suggest(span, nearest)
        .help(format!("write `{name}: TYPE = VALUE;`"))
}

/// Reports the field of a probe, which names something at `span` that is not there.
pub(crate) fn no_probe_source(span: Span, field: &str, nearest: &[String], has_fetch: bool) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("the field `{field}` has no source"))
        .at(span, "no argument has this name")
        .suggest(span, nearest);
    if has_fetch {
        diagnostic.help(format!("declare the argument in the parentheses, or write `{field} = %di: u64;`"))
    } else {
        diagnostic.help("declare the argument in the parentheses")
    }
}

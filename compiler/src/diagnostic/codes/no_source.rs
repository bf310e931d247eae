//! T0730: no-source. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0730", "no-source", include_str!("no_source.md"));

/// Reports the field of a tracepoint.
pub(crate) fn no_source(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("nothing says what `{name}` is set to"))
        .at(span, "no argument of this name, and no value")
        .suggest(span, nearest)
        .help(format!("write `{name}: TYPE = VALUE;`"))
}

/// Reports the field of a probe.
pub(crate) fn no_probe_source(span: Span, name: &str, nearest: &[String], has_fetch: bool) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("nothing says what `{name}` is fetched from"))
        .at(span, "no argument of this name")
        .suggest(span, nearest);
    if has_fetch {
        diagnostic.help(format!("name the argument in the parentheses, or write `{name} = %di: u64;`"))
    } else {
        diagnostic.help("name the argument in the parentheses")
    }
}

//! T0702: constant-cycle. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0702", "constant-cycle", include_str!("constant_cycle.md"));

/// Reports constants that need each other; `names` are in the order of use.
pub(crate) fn constant_cycle(names: &[(&str, Span)]) -> Diagnostic {
    let [(first, span), others @ ..] = names else {
        return Diagnostic::error(&CODE, "the value of a constant depends on itself");
    };
    let whole = Diagnostic::error(&CODE, format!("the value of `{first}` depends on itself"));
    let used = others.first().map_or("itself".to_owned(), |(name, _)| format!("`{name}`"));
    let diagnostic = whole.at(*span, format!("uses {used}"));
    // Of a long cycle only the beginning is shown.
    others.iter().enumerate().take(8).fold(diagnostic, |diagnostic, (index, (_, span))| {
        let next = others.get(index + 1).map_or(first, |(name, _)| name);
        diagnostic.and_at(*span, format!("uses `{next}`"))
    })
}

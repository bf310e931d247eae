//! T0227: redundant-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use super::contradiction::Other;
use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0227", "redundant-condition", Level::Warn, include_str!("redundant_condition.md"));

/// Reports `text`, in quotes, which `other` implies.
pub(crate) fn redundant_condition(span: Span, text: &str, other: &Other) -> Diagnostic {
    let diagnostic = Diagnostic::lint(&CODE, format!("{text} is redundant beside {}", other.text));
    if other.is_at(span) {
        return diagnostic.at(span, "a part of this is redundant");
    }
    other.mark(diagnostic.at(span, format!("redundant beside {}", other.text)))
}

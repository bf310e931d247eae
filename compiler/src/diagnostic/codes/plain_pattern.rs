//! T0248: plain-pattern. The page beside this file says what it means.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::BinaryOp;

use crate::diagnostic::quoted::quoted;
use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0248", "plain-pattern", Level::Warn, include_str!("plain_pattern.md"));

/// Reports `x ~ "text"`, whose pattern has no wildcard.
pub(crate) fn plain_pattern(span: Span, text: &str, op: &Spanned<BinaryOp>) -> Diagnostic {
    let equal = if op.value == BinaryOp::Match { "==" } else { "!=" };
    let anywhere = quoted(&format!("*{text}*"));
    Diagnostic::lint(&CODE, "the pattern has no wildcard: it matches this text alone")
        .at(span, format!("the same as `{equal}`"))
        .guess(format!("write `{anywhere}` for the text anywhere in it"), span, anywhere)
        .guess(format!("write `{equal}` for this text alone"), op.span, equal)
}

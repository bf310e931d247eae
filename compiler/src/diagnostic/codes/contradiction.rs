//! T0226: contradiction. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

/// The code.
pub static CODE: Code = Code::lint("T0226", "contradiction", Level::Warn, include_str!("contradiction.md"));

/// What a condition is held against.
#[derive(Clone, Debug)]
pub struct Other {
    /// As it is written, in quotes.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// Raises it; `text` is what is never true, in quotes, and `several` whether it is more than one part.
pub fn contradiction(span: Span, text: &str, several: bool, other: &Other) -> Diagnostic {
    let (hold, contradict) = if several { ("hold", "contradict") } else { ("holds", "contradicts") };
    let diagnostic = Diagnostic::lint(&CODE, format!("{text} never {hold} together with {}", other.text));
    if other.span == span {
        return diagnostic.at(span, "contradicts itself");
    }
    diagnostic.at(span, format!("{contradict} {}", other.text)).and_at(other.span, "this")
}

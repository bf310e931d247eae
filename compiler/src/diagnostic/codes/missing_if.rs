//! T0130: missing-if. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Applicability, Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0130", "missing-if", include_str!("missing_if.md"));

/// Reports a condition without `if`.
///
/// Behind `system:name` or an action only a condition can be meant. A word alone may not be an event: `latency x = ..`
/// is a line of another tool, to which an `if` does not belong.
pub(crate) fn missing_if(error: &SyntaxError, text: &str) -> Diagnostic {
    let mut said = Diagnostic::from_grammar(&CODE, error, "begins a condition");
    let before = text.get(..error.span.range().start).unwrap_or_default();
    let behind = text.get(error.span.range().end..).unwrap_or_default().trim_start();
    if !is_behind_word_alone(before) {
        return said;
    }
    if before.trim_end().ends_with("filter") {
        said.fixes.clear();
        return said.help("a condition of its own belongs to no event: write `trace EVENTS if CONDITION;`");
    }
    if behind.starts_with('=') && !behind.starts_with("==") {
        said.fixes.clear();
    }
    for fix in &mut said.fixes {
        fix.applicability = Applicability::Maybe;
    }
    said
}

/// Returns whether a text ends with a name that is neither a part of a path nor an action of `trigger`.
fn is_behind_word_alone(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = text.trim_end();
    let rest = text.trim_end_matches(is_word);
    rest.len() < text.len() && !rest.ends_with(':') && !rest.trim_end().ends_with("trigger")
}

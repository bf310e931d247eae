//! The statement at a mistake, as text, and where it could stand.

use tracec_grammar::span::Span;

/// Returns the span from a mistake to the end of its statement, without the semicolon.
pub(super) fn at(span: Span, text: &str) -> Span {
    let rest = text.get(span.range().start..).unwrap_or_default();
    let length = rest.find([';', '}', '\n']).unwrap_or(rest.len());
    let length = rest[..length].trim_end().len();
    Span { end: span.start + u32::try_from(length).unwrap_or_default(), ..span }
}

/// Returns the event of the clause before a mistake, `system:name`, if the clause says nothing else: a text that is built
/// from the event alone would lose the rest.
pub(super) fn events_before(span: Span, text: &str) -> Option<&str> {
    let before = text.get(..span.range().start)?;
    let colon = before.rfind(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*';
    let first = before[..colon].trim_end_matches(is_name).len();
    let behind = before[colon + 1..].find(|c| !is_name(c)).map_or(before.len(), |length| colon + 1 + length);
    let path = &before[first..behind];
    let clause = before[..first].rsplit([';', '{', '}']).next()?.trim();
    let is_whole = matches!(clause, "" | "trace" | "on") && matches!(before[behind..].trim(), "" | ";");
    (is_whole && first < colon && colon + 1 < behind && !path.contains("::")).then_some(path)
}

/// Returns whether a text is a file without syntax errors.
pub(super) fn is_file(text: &str) -> bool {
    tracec_grammar::parse(text).errors.is_empty()
}

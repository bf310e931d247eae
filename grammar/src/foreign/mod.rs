//! What people write who know other tools and languages: a [table], each form with its translation, and its [matcher].
//!
//! The table is read only at a token that the grammar has refused, and at a text that begins as no text of the language
//! can. A translation means the same as the form; where that is likely and not certain, the form says so.

mod matcher;
pub(crate) mod pattern;
mod table;

use crate::lexer::{Kind, Token};
use crate::span::{Source, Span};

use matcher::{LONGEST_CONDITION, Matcher, end_of_condition, filled};
use table::{FORMS, JSON, TEXTS};

pub(crate) use table::Context;

/// A form that was found.
pub(crate) struct Found {
    /// The index of the token behind it.
    pub(crate) end: usize,
    /// Its span.
    pub(crate) span: Span,
    /// Its translation.
    pub(crate) instead: String,
    /// Whether the translation certainly means the same.
    pub(crate) certain: bool,
}

/// Returns the form around the token at `index`, which the grammar refused.
pub(crate) fn form(
    source: Source<'_>,
    tokens: &[Token],
    index: usize,
    contexts: &[Context],
) -> Option<Found> {
    FORMS.iter().filter(|form| contexts.contains(&form.context)).find_map(|form| {
        let first = index.checked_sub(form.before)?;
        // A form with a name before the refused token takes all of the operand.
        let begins_with_name = matches!(form.written.first(), Some(table::Part::Name)) && form.before > 0;
        let before = first.checked_sub(1).and_then(|before| tokens.get(before));
        let cuts = |kind| !matches!(kind, Kind::If | Kind::Filter | Kind::AndAnd | Kind::OrOr | Kind::LParen);
        if begins_with_name && before.is_some_and(|token| cuts(token.kind)) {
            return None;
        }
        let mut matcher = Matcher { source, tokens, at: first, kept: Vec::new() };
        matcher.parts(form.written)?;
        let span = tokens.get(first)?.span.to(tokens.get(matcher.at.checked_sub(1)?)?.span);
        // A form that begins before the refused token reaches to it.
        let reaches = matcher.at > index;
        reaches.then(|| Found {
            end: matcher.at,
            span,
            instead: filled(form.instead, &matcher.kept),
            certain: form.certain,
        })
    })
}

/// Returns the tool for which a text is written that begins with these tokens, and what to do.
pub(crate) fn text(source: Source<'_>, tokens: &[Token]) -> Option<(&'static str, String)> {
    TEXTS.iter().find_map(|known| {
        let mut matcher = Matcher { source, tokens, at: 0, kept: Vec::new() };
        matcher.parts(known.written)?;
        Some((known.tool, filled(known.advice, &matcher.kept)))
    })
}

/// Returns whether a text is JSON.
pub(crate) fn is_json(source: Source<'_>, tokens: &[Token]) -> bool {
    Matcher { source, tokens, at: 0, kept: Vec::new() }.parts(JSON).is_some()
}

/// Returns the span of the condition that begins at a token: up to the end of its clause, or up to the connector after
/// it. `None` if the condition is broken.
pub(crate) fn condition(
    source: Source<'_>,
    tokens: &[Token],
    first: usize,
    up_to_connector: bool,
) -> Option<Span> {
    let end = end_of_condition(source, tokens, first, up_to_connector)?;
    let span = tokens.get(first)?.span.to(tokens.get(end.checked_sub(1)?)?.span);
    (end > first && span.end - span.start <= LONGEST_CONDITION).then_some(span)
}

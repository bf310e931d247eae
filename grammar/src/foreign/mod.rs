//! What people write who know other tools and languages: a [table], each form with its translation, and its [matcher].
//!
//! The table is read only at a token that the grammar has refused, and at a text that begins as no text of the language
//! can. A translation means the same as the form; where that is likely and not certain, the form says so.

mod matcher;
pub(crate) mod pattern;
mod table;

use crate::error::Remark;
use crate::lexer::{Kind, Token};
use crate::span::{Source, Span};

use matcher::{LONGEST_CONDITION, Matcher, end_of_condition, filled};
use table::{CLAUSES, COMMANDS, FORMS, ForeignForm, JSON, TEXTS, Takes};

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
    /// What the translation does not show.
    pub(crate) remark: Option<Remark>,
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
        let is_operand = form.context == Context::Operand;
        let begins_with_name = matches!(form.written.first(), Some(table::Part::Name)) && form.before > 0;
        let before = first.checked_sub(1).and_then(|before| tokens.get(before));
        let cuts = |kind| !matches!(kind, Kind::If | Kind::Filter | Kind::AndAnd | Kind::OrOr | Kind::LParen);
        if is_operand && begins_with_name && before.is_some_and(|token| cuts(token.kind)) {
            return None;
        }
        // The words of C have one case.
        let any_case = form.context != Context::Field;
        let mut matcher = Matcher { source, tokens, at: first, kept: Vec::new(), any_case };
        matcher.parts(form.written)?;
        if !is_complete(form, &matcher) {
            return None;
        }
        let span = tokens.get(first)?.span.to(tokens.get(matcher.at.checked_sub(1)?)?.span);
        // A form that begins before the refused token reaches to it.
        let reaches = matcher.at > index;
        let turned = turn_range(form.instead, &mut matcher.kept);
        let certain = form.certain && turned.is_none();
        reaches.then(|| Found {
            end: matcher.at,
            span,
            instead: filled(form.instead, &matcher.kept),
            certain,
            remark: turned.or_else(|| form.remark.cloned()),
        })
    })
}

/// Returns whether the text behind a form can follow its translation: the rest of a longer form is left over otherwise.
fn is_complete(form: &ForeignForm, matcher: &Matcher<'_>) -> bool {
    use table::Part::{Condition, Device, Name, Path, Value, Values, Words};
    match (form.context, form.written.last()) {
        (Context::Action, Some(Name | Path | Words(_) | Condition)) => matcher.ends(true),
        // A word that stands for an operator alone.
        (Context::Operand, Some(Words(_))) if form.written.len() == 1 => true,
        (Context::Operand | Context::Set | Context::Condition | Context::Action, _) => matcher.ends(false),
        (_, Some(Value | Values | Device)) => matcher.ends(false),
        _ => true,
    }
}

/// Exchanges the ends of the range of a template, `{0}..={1}`, if the first is above the last: as written the range is
/// empty. Returns what is remarked then.
fn turn_range(template: &str, kept: &mut [String]) -> Option<Remark> {
    let placeholder = |text: Option<&str>| text?.parse::<usize>().ok();
    let at = template.find("}..={")?;
    let low = placeholder(template.get(at.saturating_sub(1)..at))?;
    let high = placeholder(template.get(at + 5..at + 6))?;
    let number = |index: usize| kept.get(index)?.replace('_', "").parse::<i128>().ok();
    if number(low)? <= number(high)? {
        return None;
    }
    let remark = Remark::Turned { first: kept[low].clone(), last: kept[high].clone() };
    kept.swap(low, high);
    Some(remark)
}

/// Returns the tool whose command line or program begins with these tokens.
pub(crate) fn command(source: Source<'_>, tokens: &[Token]) -> Option<&'static str> {
    COMMANDS.iter().find_map(|known| {
        let mut matcher = Matcher { source, tokens, at: 0, kept: Vec::new(), any_case: false };
        matcher.parts(known.written).map(|()| known.tool)
    })
}

/// Returns for what a text of C is written that begins with these tokens, and what to do.
pub(crate) fn text(source: Source<'_>, tokens: &[Token]) -> Option<(&'static str, String)> {
    TEXTS.iter().find_map(|known| {
        let mut matcher = Matcher { source, tokens, at: 0, kept: Vec::new(), any_case: false };
        matcher.parts(known.written)?;
        Some((known.tool, filled(known.advice, &matcher.kept)))
    })
}

/// A clause of another tool.
pub(crate) enum FoundClause {
    /// It becomes this clause.
    Clause(String),
    /// It becomes this part of each clause with events.
    Part(String),
}

/// Returns what the statement of `word` and `rest` becomes.
pub(crate) fn clause(word: &str, rest: &str) -> Option<FoundClause> {
    CLAUSES.iter().filter(|known| known.words.contains(&word)).find_map(|known| {
        let text = filled(known.instead, &[taken(known.takes, rest)?.to_owned()]);
        Some(if known.is_clause { FoundClause::Clause(text) } else { FoundClause::Part(text) })
    })
}

/// Returns what follows the word of a clause, if it is what the clause takes.
fn taken(takes: Takes, rest: &str) -> Option<&str> {
    let rest = rest.trim().trim_start_matches(['=', ':']).trim_start();
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match takes {
        Takes::Nothing => rest.is_empty().then_some(rest),
        Takes::Duration => {
            let is_duration =
                matches!(digits, "ns" | "us" | "ms" | "s" | "min" | "h") && digits.len() < rest.len();
            is_duration.then_some(rest)
        }
        Takes::Number => (digits.is_empty() && !rest.is_empty()).then_some(rest),
        Takes::Name => (!rest.is_empty() && rest.chars().all(is_name)).then_some(rest),
        Takes::Text => {
            let text = rest.trim_matches(['"', '\'']);
            let is_plain =
                !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "\"\\`'".contains(c));
            is_plain.then_some(text)
        }
        Takes::Condition => rest.contains(['=', '<', '>', '~', '&']).then_some(rest),
        Takes::Events => {
            let (system, name) = rest.split_once(':')?;
            let begins_name = name.starts_with(|c: char| is_name(c) || c == '*');
            (!system.is_empty() && system.chars().all(is_name) && begins_name).then_some(rest)
        }
    }
}

/// Returns whether a text is JSON.
pub(crate) fn is_json(source: Source<'_>, tokens: &[Token]) -> bool {
    Matcher { source, tokens, at: 0, kept: Vec::new(), any_case: false }.parts(JSON).is_some()
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

//! The lexer of templates: `"dev={dev:#x} {bytes > 4096 ? "big" : "small"}"`.
//!
//! The text between the placeholders is read here; the tokens in them are read as everywhere, so that a string in a
//! placeholder needs no escapes. A template is on one line.

use logos::Lexer;

use super::span;
use super::{Kind, Token};
use crate::error::SyntaxErrorKind;
use crate::errors::Errors;
use crate::literal::{self, Literal};
use crate::span::{Source, Span};

/// An open placeholder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placeholder {
    /// The span of its brace.
    open: Span,
    /// The span of the quote of its template.
    template: Span,
    /// The number of open parentheses and square brackets in it.
    brackets: u32,
    /// The number of open braces in it.
    braces: u32,
    /// The number of `?` that have no `:` yet.
    choices: u32,
}

/// Reads text from after the quote at `template`, or from after a placeholder of it, to the next placeholder or the
/// closing quote.
pub(super) fn text(lexer: &mut Lexer<Kind>, tokens: &mut Vec<Token>, template: Span) {
    let rest = lexer.remainder();
    let body = span(lexer).behind();
    let mut value = String::new();
    let mut problems = Vec::new();
    let mut at = 0;
    let end = loop {
        let stop = rest[at..].find(['{', '}', '"', '\\', '\n']).map(|offset| at + offset);
        value.push_str(&rest[at..stop.unwrap_or(rest.len())]);
        at = stop.unwrap_or(rest.len());
        let here = &rest[at..];
        if here.starts_with("{{") || here.starts_with("}}") {
            value.push_str(&here[..1]);
            at += 2;
        } else if here.starts_with('\\') && !here.starts_with("\\\n") {
            let (length, meaning) = literal::escape(here);
            let span = body.part(at..at + length);
            match meaning {
                Ok(character) => value.push(character),
                Err(reason) => {
                    let escape = here[..length].to_owned();
                    problems.push((SyntaxErrorKind::InvalidEscape { escape, reason }, span));
                }
            }
            at += length;
        } else if here.starts_with('}') {
            let span = body.part(at..at + 1);
            problems.push((SyntaxErrorKind::LoneBrace, span));
            at += 1;
        } else {
            break at;
        }
    };
    let is_closed = rest[end..].starts_with(['{', '"']);
    let end = if is_closed { end } else { super::unterminated_end(rest) };
    for (kind, span) in problems.into_iter().filter(|_| is_closed) {
        lexer.extras.errors.push(kind, span);
    }
    if !value.is_empty() && end > 0 {
        lexer.extras.literals.push(body.start, Literal::Text(value));
        tokens.push(Token { kind: Kind::TemplateText, span: body.part(0..end) });
    }
    let span = body.part(end..end + 1);
    match rest[end..].chars().next().filter(|_| is_closed) {
        Some('{') => {
            tokens.push(Token { kind: Kind::PlaceholderOpen, span });
            let placeholder = Placeholder { open: span, template, brackets: 0, braces: 0, choices: 0 };
            lexer.extras.placeholder = Some(placeholder);
            lexer.bump(end + 1);
        }
        Some('"') => {
            tokens.push(Token { kind: Kind::TemplateClose, span });
            lexer.bump(end + 1);
        }
        _ => {
            let end_of_text = span.before();
            let whole = template.to(end_of_text);
            lexer.extras.errors.push(SyntaxErrorKind::UnterminatedString, whole);
            tokens.push(Token { kind: Kind::TemplateClose, span: end_of_text });
            lexer.bump(end);
        }
    }
}

/// Handles a token while a placeholder is open.
pub(super) fn inside(lexer: &mut Lexer<Kind>, tokens: &mut Vec<Token>, source: Source<'_>, token: Token) {
    let Some(mut placeholder) = lexer.extras.placeholder.take() else {
        return tokens.push(token);
    };
    let before = tokens.last().map_or(placeholder.open, |last| last.span).behind();
    if source.slice(before.to(token.span.before())).contains('\n') {
        close(&mut lexer.extras.errors, tokens, placeholder, before);
        return tokens.push(token);
    }
    let nested = placeholder.brackets + placeholder.braces > 0;
    match token.kind {
        Kind::TemplateClose => {
            close(&mut lexer.extras.errors, tokens, placeholder, token.span);
            if let Some(last) = tokens.last_mut() {
                last.span = token.span;
            }
            return;
        }
        Kind::RBrace if placeholder.braces == 0 => {
            tokens.push(Token { kind: Kind::PlaceholderClose, span: token.span });
            return text(lexer, tokens, placeholder.template);
        }
        Kind::Colon if !nested && placeholder.choices == 0 => {
            return format(lexer, tokens, placeholder);
        }
        Kind::LBrace => {
            placeholder.braces += 1;
            tokens.push(Token { kind: Kind::ListOpen, span: token.span });
        }
        Kind::RBrace => {
            placeholder.braces -= 1;
            tokens.push(Token { kind: Kind::ListClose, span: token.span });
        }
        kind => {
            match kind {
                Kind::LParen | Kind::LBracket => placeholder.brackets += 1,
                Kind::RParen | Kind::RBracket => {
                    placeholder.brackets = placeholder.brackets.saturating_sub(1);
                }
                Kind::Question if !nested => placeholder.choices += 1,
                Kind::Colon if !nested => placeholder.choices -= 1,
                _ => {}
            }
            tokens.push(token);
        }
    }
    lexer.extras.placeholder = Some(placeholder);
}

/// Reads the text between the colon of a placeholder and its end. Strings are allowed in its parentheses.
fn format(lexer: &mut Lexer<Kind>, tokens: &mut Vec<Token>, placeholder: Placeholder) {
    let rest = lexer.remainder();
    let colon = span(lexer);
    let body = colon.behind();
    let (mut depth, mut quoted) = (0u32, false);
    let end = rest.find(|character: char| {
        match character {
            '\n' => return true,
            '"' if depth > 0 => quoted = !quoted,
            '"' | '}' if !quoted => return true,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        false
    });
    let end = end.unwrap_or(rest.len());
    let text = rest[..end].trim_end_matches('\r');
    let span = body.part(0..text.len());
    if text.is_empty() {
        lexer.extras.errors.push(SyntaxErrorKind::EmptyFormat, Span { start: colon.end - 1, ..colon });
    } else {
        lexer.extras.literals.push(body.start, Literal::Text(text.to_owned()));
        tokens.push(Token { kind: Kind::Format, span });
    }
    let stop = body.part(end..end + 1);
    match rest[end..].chars().next() {
        Some('}') => {
            lexer.bump(end + 1);
            tokens.push(Token { kind: Kind::PlaceholderClose, span: stop });
            self::text(lexer, tokens, placeholder.template);
        }
        Some('"') => {
            lexer.bump(end + 1);
            close(&mut lexer.extras.errors, tokens, placeholder, stop);
            if let Some(last) = tokens.last_mut() {
                last.span = stop;
            }
        }
        _ => {
            lexer.bump(end);
            close(&mut lexer.extras.errors, tokens, placeholder, stop);
        }
    }
}

/// Ends a template in one of its placeholders, where `at` begins. If a broken string took the rest of the line, that is
/// the mistake.
fn close(errors: &mut Errors, tokens: &mut Vec<Token>, placeholder: Placeholder, at: Span) {
    if tokens.last().is_none_or(|last| last.kind != Kind::Broken) {
        errors.push(SyntaxErrorKind::UnclosedPlaceholder, placeholder.open);
    }
    let span = at.before();
    tokens.extend((0..placeholder.braces).map(|_| Token { kind: Kind::ListClose, span }));
    tokens.push(Token { kind: Kind::PlaceholderClose, span });
    tokens.push(Token { kind: Kind::TemplateClose, span });
}

/// Ends a template that the end of the text cuts off.
pub(super) fn end(extras: &mut super::Extras, tokens: &mut Vec<Token>, end: Span) {
    if let Some(placeholder) = extras.placeholder.take() {
        let at = tokens.last().map_or(end, |last| last.span.behind());
        close(&mut extras.errors, tokens, placeholder, at);
    }
}

//! Patterns, rewritten so that the kernel's two matchers agree with the language.
//!
//! `filter_parse_regex` sorts a pattern by its look: a leading `!` inverts, a leading digit makes it a plain text, a `?`,
//! `[`, `\` or a `*` inside makes it a full glob (lib/glob.c), and else it is a prefix, a suffix or a part, each
//! with a matcher of its own. A full glob stops at the NUL and has no quirks; so whenever another matcher would differ,
//! one character is written as `[c]` or `\c`, which changes the sort and not the meaning.
//!
//! The unit is the byte: `?` takes one byte, in the kernel and here.

use super::error::{Leaf, LowerError};
use super::filter::Filter;
use super::{TextPlace, equality, quote};
use crate::condition::ir::Operand;

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// `*`: any run of bytes. Never two in a row.
    Star,
    /// `?`: one byte.
    One,
    /// `[..]`, brackets included: one byte.
    Class(&'a str),
    /// A character that stands for itself.
    Literal(char),
}

impl Token<'_> {
    /// Bytes it takes at least.
    fn shortest(self) -> usize {
        match self {
            Token::Star => 0,
            Token::One | Token::Class(_) => 1,
            Token::Literal(c) => c.len_utf8(),
        }
    }
}

/// `operand ~ pattern`.
pub(super) fn lower(leaf: &Leaf, operand: &Operand, pattern: &str) -> Result<Filter, LowerError> {
    let place = TextPlace::of(leaf, operand)?;
    let tokens = parse(pattern).map_err(|reason| LowerError::Pattern { leaf: leaf.clone(), reason })?;
    place.check_room(leaf, tokens.iter().map(|token| token.shortest()).sum())?;
    if let Some(text) = plain_text(&tokens) {
        // A pattern without wildcards is the text itself; `==` knows no special characters.
        return equality(leaf, operand, "==", &text);
    }
    if tokens == [Token::Star] && place != TextPlace::Pointed {
        // Behind a pointer even `*` says something: that the text could be read.
        return Ok(Filter::Const(true));
    }
    let pattern = write(&tokens, place);
    Ok(Filter::Predicate(format!("{} ~ {}", leaf.operand, quote(leaf, &pattern)?)))
}

fn parse(pattern: &str) -> Result<Vec<Token<'_>>, &'static str> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let token = match c {
            '*' => Token::Star,
            '?' => Token::One,
            '\\' => {
                let escaped = rest[1..].chars().next().ok_or("ends in a backslash that escapes nothing")?;
                length += escaped.len_utf8();
                Token::Literal(escaped)
            }
            '[' => match class_length(rest) {
                Some(end) if rest[..end].is_ascii() => {
                    length = end;
                    Token::Class(&rest[..end])
                }
                Some(_) => return Err("has a character in brackets that takes more than one byte"),
                None => return Err("has a `[` that is not closed; write `\\[` for the character"),
            },
            c => Token::Literal(c),
        };
        if token != Token::Star || tokens.last() != Some(&Token::Star) {
            tokens.push(token);
        }
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// The length of the class that `text` begins with. As in lib/glob.c: `!` first inverts, a `]` first is a member, there
/// are no escapes.
fn class_length(text: &str) -> Option<usize> {
    let start = if text.starts_with("[!") { 2 } else { 1 };
    // The first member is skipped whatever it is; the closing bracket comes after.
    let first = text[start..].chars().next()?.len_utf8();
    let end = text[start + first..].find(']')?;
    Some(start + first + end + 1)
}

fn plain_text(tokens: &[Token<'_>]) -> Option<String> {
    let literal = |token: &Token<'_>| if let Token::Literal(c) = token { Some(*c) } else { None };
    tokens.iter().map(literal).collect()
}

fn write(tokens: &[Token<'_>], place: TextPlace) -> String {
    let mut pattern = String::new();
    let mut force = needs_full_glob(tokens, place);
    for (index, &token) in tokens.iter().enumerate() {
        match token {
            Token::Star => pattern.push('*'),
            Token::One => pattern.push('?'),
            Token::Class(class) => pattern.push_str(class),
            // At the front `!` would invert and a digit would make the rest literal.
            Token::Literal(c) if force || (index == 0 && (c == '!' || c.is_ascii_digit())) => {
                push_marked(&mut pattern, c);
                force = false;
            }
            Token::Literal(c @ ('*' | '?' | '[' | '\\')) => pattern.extend(['\\', c]),
            Token::Literal(c) => pattern.push(c),
        }
    }
    pattern
}

/// Whether the pattern would go to a matcher that differs from a full glob.
///
/// - A suffix is compared with the end of the field, not of the text (`regex_match_end`): wrong in any field that has
///   room behind its text.
/// - A part is looked for in the whole of a fixed field (`strnstr`), behind the NUL too, where older texts are left.
fn needs_full_glob(tokens: &[Token<'_>], place: TextPlace) -> bool {
    let [Token::Star, inner @ ..] = tokens else { return false };
    match inner {
        [part @ .., Token::Star] => matches!(place, TextPlace::Fixed { .. }) && is_text(part),
        suffix => is_text(suffix),
    }
}

fn is_text(tokens: &[Token<'_>]) -> bool {
    !tokens.is_empty() && tokens.iter().all(|token| matches!(token, Token::Literal(_)))
}

/// Writes a character so that it still stands for itself and makes the pattern a full glob.
fn push_marked(pattern: &mut String, c: char) {
    if c.is_ascii_alphanumeric() {
        pattern.extend(['[', c, ']']);
    } else {
        pattern.extend(['\\', c]);
    }
}

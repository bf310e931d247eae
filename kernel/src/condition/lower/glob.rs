//! Rewriting of patterns so that the kernel's matchers agree with the language.
//!
//! `filter_parse_regex` classifies a pattern by its characters: a leading `!` inverts it, a leading digit makes it a
//! plain text, a `?`, `[`, `\` or an inner `*` makes it a full glob (lib/glob.c), and otherwise it is a prefix, a
//! suffix or a part, each with a matcher of its own. Where another matcher than the full glob would differ
//! ([`text`](super::text)), one character is written as `[c]` or `\c`, which changes the class of the pattern and not
//! its meaning.
//!
//! The unit is the byte: `?` matches one byte, in the kernel and here.

use super::LowerError;
use super::filter::Filter;
use super::operand::TextOperand;
use crate::condition::glob::{CharClass, GlobToken};
use crate::condition::ir::TextStorage;

/// Lowers `operand ~ pattern`, for a pattern with wildcards that is more than a star.
pub(super) fn lower(operand: &TextOperand<'_>, tokens: &[GlobToken]) -> Result<Filter, LowerError> {
    let force = match operand.storage {
        TextStorage::Dynamic => true,
        // In a fixed array only a prefix is exact.
        TextStorage::Fixed { .. } => tokens.first() == Some(&GlobToken::Star),
        TextStorage::Kernel | TextStorage::User => false,
    };
    let mut pattern = write(tokens, false);
    if force && !is_full(&pattern) {
        pattern = write(tokens, true);
    }
    if is_full(&pattern) && !operand.bounded {
        return Err(operand.unbounded());
    }
    if operand.class_takes_nul && tokens.iter().any(is_inverted) {
        return without_inverted_classes(operand, tokens);
    }
    operand.glob(pattern)
}

/// Returns a text as a full glob.
pub(super) fn full(text: &[u8]) -> Vec<u8> {
    let tokens: Vec<GlobToken> = text.iter().copied().map(GlobToken::Byte).collect();
    write(&tokens, true)
}

/// Returns the text of tokens that are all bytes.
pub(super) fn text(tokens: &[GlobToken]) -> Option<String> {
    let byte = |token: &GlobToken| if let GlobToken::Byte(byte) = token { Some(*byte) } else { None };
    String::from_utf8(tokens.iter().map(byte).collect::<Option<Vec<u8>>>()?).ok()
}

/// Returns whether the kernel parses a pattern as a full glob (`filter_parse_regex`). It begins with neither a digit
/// nor `!`.
fn is_full(pattern: &[u8]) -> bool {
    let inner = pattern.strip_prefix(b"*").unwrap_or(pattern);
    let inner = inner.strip_suffix(b"*").unwrap_or(inner);
    inner.iter().any(|byte| b"*?[\\".contains(byte))
}

/// Returns whether a token is an inverted class: `[!a]`.
pub(super) fn is_inverted(token: &GlobToken) -> bool {
    matches!(token, GlobToken::Class(class) if class.negated)
}

/// Rewrites a pattern for a kernel whose inverted classes match the NUL at the end of the text.
///
/// With at most one star, each other token matches a byte at a fixed place in the text, counted from the front or from
/// the end. So `ab[!x]*` is `ab?*`, and not `??[x]*`.
fn without_inverted_classes(operand: &TextOperand<'_>, tokens: &[GlobToken]) -> Result<Filter, LowerError> {
    let refused = || LowerError::InvertedClass { leaf: operand.leaf.clone() };
    if tokens.iter().filter(|token| **token == GlobToken::Star).count() > 1 {
        return Err(refused());
    }
    let any_byte = |token: &GlobToken| if is_inverted(token) { GlobToken::One } else { token.clone() };
    let without: Vec<GlobToken> = tokens.iter().map(any_byte).collect();
    let mut parts = vec![operand.glob(write(&without, false))?];
    for (index, token) in tokens.iter().enumerate() {
        let GlobToken::Class(CharClass { negated: true, ranges }) = token else { continue };
        // A `!` in front of the members would invert the class again.
        if ranges.first().is_some_and(|(first, _)| *first == b'!') {
            return Err(refused());
        }
        let only_here = |(at, token): (usize, &GlobToken)| match token {
            GlobToken::Star => GlobToken::Star,
            _ if at == index => GlobToken::Class(CharClass { negated: false, ranges: ranges.clone() }),
            _ => GlobToken::One,
        };
        let taken = tokens.iter().enumerate().map(only_here).collect::<Vec<_>>();
        parts.push(Filter::not(operand.glob(write(&taken, false))?));
    }
    Ok(Filter::all(parts))
}

/// Returns the pattern's text; with `force`, the first plain byte is marked to make it a full glob.
fn write(tokens: &[GlobToken], mut force: bool) -> Vec<u8> {
    let mut pattern = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            GlobToken::Star => pattern.push(b'*'),
            GlobToken::One => pattern.push(b'?'),
            GlobToken::Class(class) => push_class(&mut pattern, class),
            // At the front `!` would invert the pattern and a digit would make the rest literal.
            GlobToken::Byte(c) if force || (index == 0 && (*c == b'!' || c.is_ascii_digit())) => {
                push_marked(&mut pattern, *c);
                force = false;
            }
            GlobToken::Byte(c @ (b'*' | b'?' | b'[' | b'\\')) => pattern.extend([b'\\', *c]),
            GlobToken::Byte(c) => pattern.push(*c),
        }
    }
    pattern
}

/// Appends a class as lib/glob.c reads it, where a range stands as it was written.
fn push_class(pattern: &mut Vec<u8>, class: &CharClass) {
    pattern.extend(if class.negated { &b"[!"[..] } else { b"[" });
    for (index, &(first, last)) in class.ranges.iter().enumerate() {
        pattern.push(first);
        // `a-a-z` is `a`, `-` and `z`; as `a-z` it would be a range.
        let joins = match class.ranges[index + 1..] {
            [] | [(b'-', b'-')] => false,
            [(next, _), ..] => next == b'-',
        };
        if first != last || joins {
            pattern.extend([b'-', last]);
        }
    }
    pattern.push(b']');
}

/// Writes a byte so that it still stands for itself and makes the pattern a full glob.
fn push_marked(pattern: &mut Vec<u8>, byte: u8) {
    if byte.is_ascii_alphanumeric() {
        pattern.extend([b'[', byte, b']']);
    } else {
        pattern.extend([b'\\', byte]);
    }
}

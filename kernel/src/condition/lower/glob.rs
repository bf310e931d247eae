//! Patterns, rewritten so that the kernel's two matchers agree with the language.
//!
//! `filter_parse_regex` sorts a pattern by its look: a leading `!` inverts, a leading digit makes it a plain text, a `?`,
//! `[`, `\` or a `*` inside makes it a full glob (lib/glob.c), and else it is a prefix, a suffix or a part, each
//! with a matcher of its own. A full glob stops at the NUL and has no quirks; so whenever another matcher would differ,
//! one character is written as `[c]` or `\c`, which changes the sort and not the meaning.
//!
//! The unit is the byte: `?` takes one byte, in the kernel and here.

use super::error::Leaf;
use super::filter::Filter;
use super::{LowerError, check_room, equality, quote};
use crate::condition::glob::{Class, Glob, Token};
use crate::condition::ir::TextPlace;

/// `operand ~ pattern`.
pub(super) fn lower(leaf: &Leaf, place: TextPlace, pattern: &Glob) -> Result<Filter, LowerError> {
    check_room(leaf, place, pattern.shortest())?;
    if let Some(text) = pattern.literal() {
        // A pattern without wildcards is the text itself; `==` knows no special characters.
        return equality(leaf, place, "==", &text);
    }
    if pattern.tokens() == [Token::Star] && matches!(place, TextPlace::Fixed { .. } | TextPlace::Dynamic) {
        // Behind a pointer even `*` says something: that the text could be read.
        return Ok(Filter::Const(true));
    }
    let pattern = String::from_utf8(write(pattern.tokens(), place))
        .map_err(|_| LowerError::Bytes { leaf: leaf.clone() })?;
    Ok(Filter::Predicate(format!("{} ~ {}", leaf.operand, quote(leaf, &pattern)?)))
}

fn write(tokens: &[Token], place: TextPlace) -> Vec<u8> {
    let mut pattern = Vec::new();
    let mut force = needs_full_glob(tokens, place);
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Star => pattern.push(b'*'),
            Token::One => pattern.push(b'?'),
            Token::Class(class) => push_class(&mut pattern, class),
            // At the front `!` would invert and a digit would make the rest literal.
            Token::Byte(c) if force || (index == 0 && (*c == b'!' || c.is_ascii_digit())) => {
                push_marked(&mut pattern, *c);
                force = false;
            }
            Token::Byte(c @ (b'*' | b'?' | b'[' | b'\\')) => pattern.extend([b'\\', *c]),
            Token::Byte(c) => pattern.push(*c),
        }
    }
    pattern
}

/// As in lib/glob.c, where a range stands as it was written.
fn push_class(pattern: &mut Vec<u8>, class: &Class) {
    pattern.extend(if class.negated { &b"[!"[..] } else { b"[" });
    for &(first, last) in &class.ranges {
        pattern.push(first);
        if first != last {
            pattern.extend([b'-', last]);
        }
    }
    pattern.push(b']');
}

/// Whether the pattern would go to a matcher that differs from a full glob.
///
/// - A suffix is compared with the end of the field, not of the text (`regex_match_end`): wrong in any field that has
///   room behind its text.
/// - A part is looked for in the whole of a fixed field (`strnstr`), behind the NUL too, where older texts are left.
fn needs_full_glob(tokens: &[Token], place: TextPlace) -> bool {
    let [Token::Star, inner @ ..] = tokens else { return false };
    match inner {
        [part @ .., Token::Star] => matches!(place, TextPlace::Fixed { .. }) && is_text(part),
        suffix => is_text(suffix),
    }
}

fn is_text(tokens: &[Token]) -> bool {
    !tokens.is_empty() && tokens.iter().all(|token| matches!(token, Token::Byte(_)))
}

/// Writes a byte so that it still stands for itself and makes the pattern a full glob.
fn push_marked(pattern: &mut Vec<u8>, byte: u8) {
    if byte.is_ascii_alphanumeric() {
        pattern.extend([b'[', byte, b']']);
    } else {
        pattern.extend([b'\\', byte]);
    }
}

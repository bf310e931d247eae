//! The tokens of the C behind a format string.

use super::error::{PrintError, PrintErrorKind};
use super::tree::Span;

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    Char,
    Str,
    Punctuator(&'static str),
}

/// Longest first, so that `<<=` is not `<<`. `++` and `--` are here for the same reason; no expression has them.
const PUNCTUATORS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "(", ")", "[", "]", "{", "}", ".", ",", ";", "?", ":", "=", "+", "-", "*",
    "/", "%", "&", "|", "^", "~", "!", "<", ">",
];

/// The tokens of `text` from `start` on.
pub(super) fn tokens(text: &str, start: usize) -> Result<Vec<Token>, PrintError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (kind, end) = token(text, at)?;
        tokens.push(Token { kind, span: Span::new(at, end) });
        at = end;
    }
    Ok(tokens)
}

fn token(text: &str, at: usize) -> Result<(TokenKind, usize), PrintError> {
    let rest = text.get(at..).unwrap_or_default();
    let bytes = rest.as_bytes();
    let length = |is: fn(&u8) -> bool| bytes.iter().take_while(|byte| is(byte)).count();
    let first = bytes.first().copied().unwrap_or_default();
    match first {
        b'"' => Ok((TokenKind::Str, quoted(text, at)?)),
        b'\'' => Ok((TokenKind::Char, quoted(text, at)?)),
        b'0'..=b'9' => Ok((TokenKind::Number, at + length(|byte| is_word(*byte)))),
        _ if is_word(first) => Ok((TokenKind::Word, at + length(|byte| is_word(*byte)))),
        _ => {
            let found = PUNCTUATORS.iter().find(|punctuator| rest.starts_with(**punctuator));
            let found = found.ok_or_else(|| {
                let character = rest.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                PrintError::new(at, PrintErrorKind::Character(character))
            })?;
            Ok((TokenKind::Punctuator(found), at + found.len()))
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The end of the string or character constant that begins at `at`, behind its closing quote.
pub(super) fn quoted(text: &str, at: usize) -> Result<usize, PrintError> {
    let bytes = text.as_bytes();
    let quote = bytes.get(at).copied();
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        end += 1;
        if byte == b'\\' {
            end += 1;
        } else if Some(byte) == quote {
            return Ok(end);
        }
    }
    Err(PrintError::new(at, PrintErrorKind::OpenQuote))
}

/// The bytes that the inside of a string or character constant stands for. A backslash before a character that needs
/// none is left out, as gcc does.
pub(super) fn unescape(inside: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            value.push(byte);
            continue;
        }
        let Some((&letter, tail)) = rest.split_first() else { break };
        match letter {
            b'x' => value.push(digits(&mut rest, 1, usize::MAX, 16)),
            b'0'..=b'7' => value.push(digits(&mut rest, 0, 3, 8)),
            _ => {
                rest = tail;
                value.push(simple_escape(letter));
            }
        }
    }
    value
}

fn simple_escape(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'v' => 11,
        other => other,
    }
}

/// The byte of up to `most` digits after `skip` bytes; `rest` is then what follows them.
fn digits(rest: &mut &[u8], skip: usize, most: usize, radix: u32) -> u8 {
    let text = rest.get(skip..).unwrap_or_default();
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let length = text.iter().take(most).take_while(is_digit).count();
    let (digits, tail) = text.split_at(length);
    *rest = tail;
    let digit = |byte: &u8| char::from(*byte).to_digit(radix).unwrap_or_default();
    digits.iter().fold(0u32, |value, byte| value.wrapping_mul(radix).wrapping_add(digit(byte))) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuators_are_as_long_as_they_can_be() {
        let text = r#"REC->a<<2>=0x1fUL?"a\"b":'\''"#;
        let found: Vec<&str> = tokens(text, 0).unwrap().iter().map(|token| token.span.of(text)).collect();
        assert_eq!(found, ["REC", "->", "a", "<<", "2", ">=", "0x1fUL", "?", r#""a\"b""#, ":", r"'\''"]);
    }

    #[test]
    fn what_is_no_token_has_its_place() {
        let error = |text| tokens(text, 0).unwrap_err();
        assert_eq!(error("a @ b"), PrintError::new(2, PrintErrorKind::Character('@')));
        assert_eq!(error("a ä"), PrintError::new(2, PrintErrorKind::Character('ä')));
        assert_eq!(error("a \"b"), PrintError::new(2, PrintErrorKind::OpenQuote));
        assert_eq!(error("'a\\'"), PrintError::new(0, PrintErrorKind::OpenQuote));
        assert_eq!(error("\"\\"), PrintError::new(0, PrintErrorKind::OpenQuote));
        assert_eq!(tokens("ab", 99).unwrap(), []);
    }

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(unescape(br#"a\n\t\"\\\x41g\1012\0\q"#), b"a\n\t\"\\AgA2\0q");
        assert_eq!(unescape(b"\\"), b"");
        assert_eq!(unescape(b"\\x"), b"\0");
        assert_eq!(unescape(b"\\xffffffff"), b"\xff");
    }
}

//! Patterns of the language: `*` matches any run of bytes, `?` one byte, `[a-z]` and `[!a-z]` one byte of a class, `\c`
//! the character c. A pattern matches the whole text, case-sensitively; its unit is the byte.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A parsed pattern. It is serialized as its text.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Glob {
    text: String,
    tokens: Vec<GlobToken>,
}

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GlobToken {
    /// `*`: any run of bytes, also an empty one. Never two in a row.
    Star,
    /// `?`: one byte.
    One,
    /// `[..]`: one byte.
    Class(CharClass),
    /// A byte that matches itself.
    Byte(u8),
}

/// `[a-z]`, `[!a-z]`: one byte that is, or is not, in one of the ranges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CharClass {
    /// `!` stands first: the class is inverted.
    pub negated: bool,
    /// The ranges of bytes, both ends included, as written; a range whose first byte is above its last is empty.
    pub ranges: Vec<(u8, u8)>,
}

/// The reason why a text is not a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// A `\` at the end of the pattern.
    #[error("ends in a backslash that escapes nothing")]
    Escape,
    /// `[` without `]`.
    #[error("has a `[` that is not closed")]
    Open,
    /// `[ä]`: a class takes one byte.
    #[error("has a character in brackets that takes more than one byte")]
    Wide,
    /// A NUL, which no text contains.
    #[error("holds a NUL")]
    Nul,
}

/// A mistake in a pattern, and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct GlobMistake {
    /// The mistake, as a clause without its subject.
    pub error: GlobError,
    /// The bytes of the mistake: the `\`, the `[`, the class or the NUL.
    pub range: Range<usize>,
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A [`GlobMistake`], the first of the pattern.
    pub fn parse(text: &str) -> Result<Glob, GlobMistake> {
        let mistake = |error, start: usize, length| GlobMistake { error, range: start..start + length };
        if let Some(at) = text.find('\0') {
            return Err(mistake(GlobError::Nul, at, 1));
        }
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let at = text.len() - rest.len();
            let mut length = c.len_utf8();
            match c {
                '*' if tokens.last() == Some(&GlobToken::Star) => {}
                '*' => tokens.push(GlobToken::Star),
                '?' => tokens.push(GlobToken::One),
                '[' => {
                    let (class, end) =
                        CharClass::parse(rest).map_err(|(error, length)| mistake(error, at, length))?;
                    length = end;
                    tokens.push(GlobToken::Class(class));
                }
                '\\' => {
                    let escaped = rest[1..].chars().next();
                    let escaped = escaped.ok_or_else(|| mistake(GlobError::Escape, at, 1))?;
                    length += escaped.len_utf8();
                    tokens.extend(rest[1..length].bytes().map(GlobToken::Byte));
                }
                _ => tokens.extend(rest[..length].bytes().map(GlobToken::Byte)),
            }
            rest = &rest[length..];
        }
        Ok(Glob { text: text.to_owned(), tokens })
    }

    /// Returns the pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the tokens of the pattern.
    pub fn tokens(&self) -> &[GlobToken] {
        &self.tokens
    }

    /// Returns the number of bytes of the shortest text that the pattern matches.
    pub fn shortest(&self) -> usize {
        self.tokens.iter().filter(|&token| *token != GlobToken::Star).count()
    }

    /// Returns whether the pattern matches no text, because one of its classes is empty.
    pub fn is_never(&self) -> bool {
        self.tokens.iter().any(|token| matches!(token, GlobToken::Class(class) if class.is_empty()))
    }

    /// Returns the only text that a pattern without wildcards matches.
    pub fn literal(&self) -> Option<String> {
        let byte = |token: &GlobToken| if let GlobToken::Byte(byte) = token { Some(*byte) } else { None };
        String::from_utf8(self.tokens.iter().map(byte).collect::<Option<Vec<u8>>>()?).ok()
    }

    /// Returns whether the pattern matches a text. The time is at most proportional to the product of both lengths.
    pub fn matches(&self, text: &[u8]) -> bool {
        matches_by(&self.tokens, text.len(), |token, at| text.get(at).is_some_and(|&byte| token.takes(byte)))
    }
}

/// Returns whether tokens match a sequence of `length` items; `takes` says whether a token other than a star matches
/// the item at an index.
pub(super) fn matches_by(
    tokens: &[GlobToken],
    length: usize,
    takes: impl Fn(&GlobToken, usize) -> bool,
) -> bool {
    let (mut token, mut at) = (0, 0);
    // Backtracking is needed only to the last star: an earlier star cannot give a better match.
    let mut again: Option<(usize, usize)> = None;
    loop {
        match tokens.get(token) {
            Some(GlobToken::Star) => {
                again = Some((token + 1, at));
                token += 1;
                continue;
            }
            Some(one) if at < length && takes(one, at) => {
                token += 1;
                at += 1;
                continue;
            }
            None if at == length => return true,
            _ => {}
        }
        match again {
            Some((resume, from)) if from < length => {
                again = Some((resume, from + 1));
                (token, at) = (resume, from + 1);
            }
            _ => return false,
        }
    }
}

impl GlobToken {
    /// Returns whether the token matches this one byte. Stars are handled by `matches_by`.
    pub(super) fn takes(&self, byte: u8) -> bool {
        match self {
            GlobToken::Star => false,
            GlobToken::One => true,
            GlobToken::Class(class) => class.contains(byte),
            GlobToken::Byte(own) => *own == byte,
        }
    }
}

impl CharClass {
    /// Parses the class that `text` begins with, and returns it with its length; or the mistake in it, with the
    /// mistake's length. As in lib/glob.c: a `!` first inverts, a `]` first is a member, there are no escapes.
    fn parse(text: &str) -> Result<(CharClass, usize), (GlobError, usize)> {
        let open = (GlobError::Open, 1);
        let negated = text.starts_with("[!");
        let start = if negated { 2 } else { 1 };
        // The first member is skipped even if it is a `]`; the closing bracket comes after it.
        let first = text[start..].chars().next().ok_or(open)?.len_utf8();
        let close = start + first + text[start + first..].find(']').ok_or(open)?;
        let members = &text[start..close];
        if !members.is_ascii() {
            return Err((GlobError::Wide, close + 1));
        }
        let mut rest = members.as_bytes();
        let mut ranges = Vec::new();
        while let [first, tail @ ..] = rest {
            match tail {
                // A `-` at the end of a class is a member.
                [b'-', last, tail @ ..] => {
                    ranges.push((*first, *last));
                    rest = tail;
                }
                tail => {
                    ranges.push((*first, *first));
                    rest = tail;
                }
            }
        }
        Ok((CharClass { negated, ranges }, close + 1))
    }

    /// Returns whether the class is empty: `[z-a]`.
    pub fn is_empty(&self) -> bool {
        !self.negated && self.ranges.iter().all(|(first, last)| first > last)
    }

    /// Returns whether a byte is in the class.
    pub fn contains(&self, byte: u8) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&byte)) != self.negated
    }
}

impl TryFrom<String> for Glob {
    type Error = GlobMistake;

    fn try_from(text: String) -> Result<Glob, GlobMistake> {
        Glob::parse(&text)
    }
}

impl From<Glob> for String {
    fn from(glob: Glob) -> String {
        glob.text
    }
}

/// The pattern as written, with its escapes.
impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Glob({:?})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Glob, GlobError, GlobMistake};

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, matched, unmatched) in [
            ("abc", &["abc"][..], &["", "ab", "abcd", "Abc"][..]),
            ("", &[""], &["a"]),
            ("*", &["", "a", "abc"], &[]),
            ("a*", &["a", "abc"], &["", "ba"]),
            ("*c", &["c", "abc", "cc"], &["", "ca"]),
            ("*b*", &["b", "abc"], &["", "ac"]),
            ("a*b*c", &["abc", "a-b-c", "abbc", "abcbc"], &["ac", "acb"]),
            ("a?c", &["abc", "a*c"], &["ac", "abbc"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x", "-x"]),
            ("[!a-c]x", &["dx", "-x"], &["ax", "x"]),
            ("[]]", &["]"], &["", "a"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[a!]", &["a", "!"], &["b"]),
            ("\\*x", &["*x"], &["ax"]),
            ("!x", &["!x"], &["y"]),
            ("1*", &["1", "12"], &["21"]),
            ("**a**", &["a", "bab"], &["b"]),
        ] {
            let glob = Glob::parse(pattern).unwrap();
            for text in matched {
                assert!(glob.matches(text.as_bytes()), "{pattern} on {text}");
            }
            for text in unmatched {
                assert!(!glob.matches(text.as_bytes()), "{pattern} on {text}");
            }
        }
    }

    #[test]
    fn invalid_pattern_is_refused() {
        for (pattern, error, range) in [
            ("a\\", GlobError::Escape, 1..2),
            ("[a", GlobError::Open, 0..1),
            ("x[ab]y[a", GlobError::Open, 6..7),
            ("[]", GlobError::Open, 0..1),
            ("[", GlobError::Open, 0..1),
            ("\\[[!]", GlobError::Open, 2..3),
            ("a[ä]", GlobError::Wide, 1..5),
            ("a\0", GlobError::Nul, 1..2),
        ] {
            assert_eq!(Glob::parse(pattern), Err(GlobMistake { error, range }), "{pattern}");
        }
    }

    #[test]
    fn many_stars_do_not_multiply_the_time_of_matching() {
        let glob = Glob::parse(&"*a".repeat(100)).unwrap();
        assert!(!glob.matches(&b"a".repeat(99)));
        assert!(!glob.matches(&[b"b".repeat(100_000), b"a".repeat(99)].concat()));
        assert!(glob.matches(&b"a".repeat(100_000)));
    }
}

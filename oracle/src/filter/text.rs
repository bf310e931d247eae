//! Strings and patterns: `filter_build_regex`, `filter_parse_regex` and the `regex_match_*` functions of
//! kernel/trace/trace_events_filter.c.

use super::ctype::is_digit;
use super::glob;

/// The memory from the start of a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    /// The readable memory; [`byte`](Text::byte) returns NUL after it.
    memory: &'a [u8],
    /// The length of the field in bytes. With 0 the kernel takes the string to end in a NUL: the comparisons then read
    /// up to one, inside the field or not.
    length: usize,
}

impl<'a> Text<'a> {
    /// Returns the string of a field; `None` if the field exceeds the readable memory.
    pub(super) fn new(memory: &'a [u8], length: usize) -> Option<Self> {
        (length <= memory.len()).then_some(Text { memory, length })
    }

    /// Returns a byte of the memory; after its end, a NUL. The kernel reads there in two cases, a field of length 0 and
    /// an unbounded glob, and finds the previous content of its buffer; a record is usually padded.
    fn byte(self, at: usize) -> u8 {
        self.memory.get(at).copied().unwrap_or(0)
    }

    /// Returns the bytes of the field, also after a NUL.
    fn field(self) -> &'a [u8] {
        &self.memory[..self.length]
    }

    /// Returns the memory before the first NUL.
    fn until_nul(self) -> &'a [u8] {
        let length = self.memory.iter().position(|&byte| byte == 0);
        &self.memory[..length.unwrap_or(self.memory.len())]
    }
}

/// `enum regex_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `MATCH_FULL`, and `MATCH_INDEX`, which only ftrace's own files use.
    Full,
    /// `MATCH_FRONT_ONLY`: `x*`.
    Front,
    /// `MATCH_MIDDLE_ONLY`: `*x*`.
    Middle,
    /// `MATCH_END_ONLY`: `*x`, and `*` alone.
    End,
    /// `MATCH_GLOB`.
    Glob,
}

/// The differences between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// See [`Model::bounded_text`](tracec_kernel::filter::Model::bounded_text).
    pub(super) bounded: bool,
    /// See [`Model::class_takes_nul`](tracec_kernel::filter::Model::class_takes_nul).
    pub(super) class_takes_nul: bool,
}

/// A string operand, ready for comparison: `struct regex`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    kind: Kind,
    bytes: Box<[u8]>,
    how: Comparison,
}

impl Pattern {
    /// Returns the operand of `==` and `!=`.
    pub(super) fn exact(operand: &[u8], how: Comparison) -> Pattern {
        Pattern { kind: Kind::Full, bytes: operand.into(), how }
    }

    /// Returns the operand of `~`, and whether it begins with the `!` that inverts it.
    pub(super) fn glob(operand: &[u8], how: Comparison) -> (Pattern, bool) {
        let (pattern, inverted) = match operand.strip_prefix(b"!") {
            Some(pattern) => (pattern, true),
            None => (operand, false),
        };
        let (kind, bytes) = classify(pattern);
        (Pattern { kind, bytes: bytes.into(), how }, inverted)
    }

    /// Returns whether the string equals the operand or is matched by the pattern.
    pub(super) fn matches(&self, text: Text<'_>) -> bool {
        match self.kind {
            Kind::Full => self.full(text),
            Kind::Front => self.front(text),
            Kind::Middle => self.middle(text),
            Kind::End => self.end(text),
            Kind::Glob => {
                let end = if self.how.bounded { text.length } else { usize::MAX };
                glob::matches(
                    &self.bytes,
                    self.how.class_takes_nul,
                    |at| if at < end { text.byte(at) } else { 0 },
                )
            }
        }
    }

    /// Matches as `regex_match_full`.
    fn full(&self, text: Text<'_>) -> bool {
        if text.length == 0 {
            return text.until_nul() == &*self.bytes;
        }
        if self.how.bounded && text.length < self.bytes.len() {
            return false;
        }
        self.is_prefix(text, text.length)
    }

    /// Matches as `regex_match_front`.
    fn front(&self, text: Text<'_>) -> bool {
        if text.length != 0 && text.length < self.bytes.len() {
            return false;
        }
        self.is_prefix(text, self.bytes.len())
    }

    /// Returns whether `strncmp` of string and pattern is 0.
    fn is_prefix(&self, text: Text<'_>, length: usize) -> bool {
        for at in 0..length {
            let byte = text.byte(at);
            if byte != self.bytes.get(at).copied().unwrap_or(0) {
                return false;
            }
            if byte == 0 {
                break;
            }
        }
        true
    }

    /// Matches as `regex_match_middle`. `strnstr` (lib/string.c) does not stop at a NUL: it finds the rest of an
    /// earlier string after it in the field.
    fn middle(&self, text: Text<'_>) -> bool {
        let within = if text.length == 0 { text.until_nul() } else { text.field() };
        self.bytes.is_empty() || within.windows(self.bytes.len()).any(|window| window == &*self.bytes)
    }

    /// Matches as `regex_match_end`. The string is taken to end in a NUL in the last byte of its field, so that in a
    /// fixed array only one that fills it is matched; and a field of length 0 is never matched, not even by `*`.
    fn end(&self, text: Text<'_>) -> bool {
        let Some(last) = text.length.checked_sub(1) else { return false };
        text.field()[..last].ends_with(&self.bytes)
    }
}

/// Classifies as `filter_parse_regex`, after the `!`: the kind, and the rest of the pattern.
fn classify(pattern: &[u8]) -> (Kind, &[u8]) {
    // It may be an index: digits alone in `set_ftrace_filter`. Here it is compared literally, stars included.
    if pattern.first().is_some_and(|&byte| is_digit(byte)) {
        return (Kind::Full, pattern);
    }
    let mut kind = Kind::Full;
    let mut end = pattern.len();
    for (at, &byte) in pattern.iter().enumerate() {
        match byte {
            b'*' if at == 0 => kind = Kind::End,
            b'*' if at == pattern.len() - 1 => {
                kind = if kind == Kind::End { Kind::Middle } else { Kind::Front };
                end = at;
            }
            b'*' | b'[' | b'?' | b'\\' => return (Kind::Glob, pattern),
            _ => {}
        }
    }
    let start = usize::from(pattern.first() == Some(&b'*'));
    (kind, &pattern[start..end])
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Kind, Pattern, Text, classify};

    const BOUNDED: Comparison = Comparison { bounded: true, class_takes_nul: false };

    #[test]
    fn patterns_are_classified_as_the_kernel_does() {
        for (pattern, kind, bytes) in [
            ("", Kind::Full, ""),
            ("abc", Kind::Full, "abc"),
            ("abc*", Kind::Front, "abc"),
            ("*abc", Kind::End, "abc"),
            ("*abc*", Kind::Middle, "abc"),
            ("*", Kind::End, ""),
            ("**", Kind::Middle, ""),
            ("***", Kind::Glob, "***"),
            ("a*c", Kind::Glob, "a*c"),
            ("a?c", Kind::Glob, "a?c"),
            ("a[bc", Kind::Glob, "a[bc"),
            ("a\\*", Kind::Glob, "a\\*"),
            ("*a?", Kind::Glob, "*a?"),
            ("a]b", Kind::Full, "a]b"),
            ("1*", Kind::Full, "1*"),
            ("1?", Kind::Full, "1?"),
            ("a1*", Kind::Front, "a1"),
        ] {
            assert_eq!(classify(pattern.as_bytes()), (kind, bytes.as_bytes()), "{pattern}");
            assert_eq!(
                Pattern::glob(pattern.as_bytes(), BOUNDED),
                (Pattern { kind, bytes: bytes.as_bytes().into(), how: BOUNDED }, false)
            );
            let inverted = format!("!{pattern}");
            assert!(Pattern::glob(inverted.as_bytes(), BOUNDED).1, "{inverted}");
        }
        // Only the first `!` inverts.
        let (pattern, inverted) = Pattern::glob(b"!!a", BOUNDED);
        assert_eq!((&*pattern.bytes, inverted), (&b"!a"[..], true));
    }

    #[test]
    fn what_lies_behind_the_text_counts_where_the_kernel_looks_at_it() {
        // (operator's pattern, memory, the field's length, bounded, unbounded)
        for (pattern, memory, length, bounded, unbounded) in [
            // A NUL ends a string in its field.
            ("ab", "ab\0d", 4, true, true),
            ("ab*", "ab\0d", 4, true, true),
            ("a[b]", "ab\0d", 4, true, true),
            // A substring is found after it too.
            ("*d*", "ab\0d", 4, true, true),
            // The suffix is compared with the bytes before the last byte.
            ("*b", "ab\0d", 4, false, false),
            ("*b", "ab\0", 3, true, true),
            ("*bc", "abcd", 4, true, true),
            ("*cd", "abcd", 4, false, false),
            ("*", "abcd", 4, true, true),
            // Without a NUL the string ends with the field, which some kernels treat differently.
            ("abcd", "abcdef", 4, true, true),
            ("abcdef", "abcdef", 4, false, true),
            ("abcdxx", "abcdef", 4, false, true),
            ("abcdef*", "abcdef", 4, false, false),
            ("a?cd", "abcdef", 4, true, false),
            ("a?cdef", "abcdef", 4, false, true),
            // A length of 0: up to the NUL, except for suffix and bounded glob.
            ("ab", "ab\0d", 0, true, true),
            ("a*", "ab\0d", 0, true, true),
            ("*b*", "ab\0d", 0, true, true),
            ("*d*", "ab\0d", 0, false, false),
            ("*b", "ab\0d", 0, false, false),
            ("*", "ab\0d", 0, false, false),
            ("**", "", 0, true, true),
            ("", "", 0, true, true),
            ("?b", "ab\0d", 0, false, true),
        ] {
            let text = Text::new(memory.as_bytes(), length).unwrap();
            for (bound, expected) in [(true, bounded), (false, unbounded)] {
                let (glob, _) = Pattern::glob(pattern.as_bytes(), Comparison { bounded: bound, ..BOUNDED });
                assert_eq!(glob.matches(text), expected, "{pattern:?} {memory:?} {length} {bound}");
            }
        }
        assert!(Text::new(b"abc", 4).is_none());
    }
}

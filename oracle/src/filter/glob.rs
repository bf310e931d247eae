//! `glob_match` of lib/glob.c.

/// Returns whether the pattern matches a whole string, of which `text` returns the byte at an index. The string ends in
/// a NUL, but where `class_takes_nul` an inverted class can match that and continue with the bytes after it
/// ([`Model::class_takes_nul`](tracec_kernel::filter::Model::class_takes_nul)).
///
/// `*` is any run of bytes, `?` one, `[a-z]` and `[!a-z]` one of a class in which a first `]` is itself, `\c` the byte
/// c. A class that is not closed is a `[`. After a mismatch the match continues one byte later at the last `*`; earlier
/// ones need not be tried again, since a `*` matches everything.
pub(super) fn matches(pattern: &[u8], class_takes_nul: bool, text: impl Fn(usize) -> u8) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut back = None;
    loop {
        let byte = text(at);
        let (matched, behind) = match token(pattern, place) {
            Token::Star => {
                if place + 1 >= pattern.len() {
                    return true;
                }
                place += 1;
                back = Some((place, at));
                continue;
            }
            // It does not match by way of the last `*` either, which does not match a NUL.
            Token::Any if byte == 0 => return false,
            Token::Any => (true, place + 1),
            Token::Class { .. } if byte == 0 && !class_takes_nul => return false,
            Token::Class { inverted, start, end } => {
                (class_holds(pattern, start, end, byte) != inverted, end + 1)
            }
            Token::Byte { value, behind } => {
                if byte == value && value == 0 {
                    return true;
                }
                (byte == value, behind)
            }
        };
        if matched {
            (place, at) = (behind, at + 1);
            continue;
        }
        // At the end of the string another attempt cannot match.
        let Some((pattern_back, text_back)) = back.filter(|_| byte != 0) else { return false };
        place = pattern_back;
        at = text_back + 1;
        back = Some((pattern_back, at));
    }
}

enum Token {
    Star,
    Any,
    Class { inverted: bool, start: usize, end: usize },
    Byte { value: u8, behind: usize },
}

/// Reads a token of the pattern. A NUL follows the pattern's end, and a `\` can escape that too.
fn token(pattern: &[u8], place: usize) -> Token {
    let byte = |at: usize| pattern.get(at).copied().unwrap_or(0);
    match byte(place) {
        b'*' => Token::Star,
        b'?' => Token::Any,
        b'\\' => Token::Byte { value: byte(place + 1), behind: place + 2 },
        b'[' => {
            let inverted = byte(place + 1) == b'!';
            let start = place + 1 + usize::from(inverted);
            match class_end(pattern, start) {
                Some(end) => Token::Class { inverted, start, end },
                None => Token::Byte { value: b'[', behind: place + 1 },
            }
        }
        value => Token::Byte { value, behind: place + 1 },
    }
}

/// Returns the index of the `]` of a class whose first span begins at `start`; `None` if the pattern ends before.
fn class_end(pattern: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        pattern.get(at)?;
        at += span(pattern, at)?.1;
        if *pattern.get(at)? == b']' {
            return Some(at);
        }
    }
}

/// Returns the last byte of the span that begins at an index, and the span's length.
fn span(pattern: &[u8], at: usize) -> Option<(u8, usize)> {
    let first = *pattern.get(at)?;
    match (pattern.get(at + 1), pattern.get(at + 2)) {
        (Some(b'-'), None) => None,
        (Some(b'-'), Some(&last)) if last != b']' => Some((last, 3)),
        _ => Some((first, 1)),
    }
}

/// Returns whether a byte is in one of the spans from `start` to the `]` at `end`.
fn class_holds(pattern: &[u8], start: usize, end: usize, byte: u8) -> bool {
    let mut at = start;
    let mut holds = false;
    while let Some((last, length)) = (at < end).then(|| span(pattern, at)).flatten() {
        holds |= (pattern[at]..=last).contains(&byte);
        at += length;
    }
    holds
}

#[cfg(test)]
mod tests {
    use super::matches;

    fn glob(pattern: &str, text: &str) -> bool {
        matches(pattern.as_bytes(), false, |at| text.as_bytes().get(at).copied().unwrap_or(0))
    }

    #[test]
    fn globs_match_as_the_kernel_does() {
        for (pattern, yes, no) in [
            ("a", &["a"][..], &["", "b", "aa"][..]),
            ("", &[""], &["a"]),
            ("*", &["", "abc"], &[]),
            ("?", &["a", "*"], &["", "ab"]),
            ("a*c", &["ac", "abc", "abcbc"], &["ab", "abcd", ""]),
            ("*ab*ab", &["abab", "aabxabab"], &["ab", "abx"]),
            ("a?c", &["abc", "a/c"], &["ac", "abbc"]),
            ("[a-c]", &["a", "b", "c"], &["d", "-", ""]),
            ("[!a-c]", &["d", "-", "!"], &["a", "c"]),
            ("[^a]", &["^", "a"], &["b"]),
            ("[]a]", &["]", "a"], &["b", "[]a]"]),
            ("[!]a]", &["b"], &["]", "a"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[--a]", &["-", "a", "0"], &["+", "b"]),
            ("[c-a]", &[], &["a", "b", "c", "-"]),
            ("a[", &["a["], &["a", "ab"]),
            ("[ab", &["[ab"], &["a"]),
            ("[a-", &["[a-"], &["a"]),
            ("a\\*", &["a*"], &["ab", "a", "a\\*"]),
            ("a\\", &["a"], &["a\\", "ab"]),
            ("*\\?", &["x?", "?"], &["xy"]),
            ("a[!x]", &["ab"], &["a", "ax", "abc"]),
            ("*[!x]", &["a", "xa"], &["", "x"]),
        ] {
            for text in yes {
                assert!(glob(pattern, text), "{pattern} {text}");
            }
            for text in no {
                assert!(!glob(pattern, text), "{pattern} {text}");
            }
        }
    }

    /// The NUL at the end of the string is not a member of a class, so that an inverted class matches it.
    #[test]
    fn an_inverted_class_may_step_over_the_end_of_the_text() {
        let memory = b"a\0bc\0";
        let text = |at: usize| memory.get(at).copied().unwrap_or(0);
        for (pattern, takes_nul, not) in [
            ("a[!x]bc", true, false),
            ("a[!x]*", true, false),
            ("a[!x]", false, false),
            ("*[!x]", true, true),
            ("a[b-z]bc", false, false),
            ("a?bc", false, false),
            ("a", true, true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), true, text), takes_nul, "{pattern}");
            assert_eq!(matches(pattern.as_bytes(), false, text), not, "{pattern}");
        }
    }
}

//! Quoted event patterns: `"system:name"` with the wildcards of conditions.

/// Splits a pattern at its only colon, if it is one: letters, digits, `_ - . * ? [ ]` and `!` on both sides.
pub fn split(text: &str) -> Option<(&str, &str)> {
    let (system, name) = text.split_once(':')?;
    let fits = |part: &str| {
        !part.is_empty()
            && !matches!(part, "." | "..")
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-.*?[]!".contains(c))
    };
    (fits(system) && fits(name)).then_some((system, name))
}

/// Returns whether the pattern has a wildcard.
pub fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '['])
}

/// Returns whether a glob matches a whole text. The time is linear in practice: after a mismatch only the last star is
/// tried again.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(&pattern[p..], text[t]),
            Some(&c) => (c == text[t]).then_some(1),
            None => None,
        };
        match (step, star) {
            (Some(length), _) => {
                p += length;
                t += 1;
            }
            (None, Some((after, at))) => {
                star = Some((after, at + 1));
                p = after;
                t = at + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// Returns the length of the class at the start of `pattern` if `c` is in it. An unclosed `[` is a literal, as in
/// lib/glob.c.
fn class(pattern: &[u8], c: u8) -> Option<usize> {
    let negated = pattern.get(1) == Some(&b'!');
    let first = if negated { 2 } else { 1 };
    let Some(end) = pattern.iter().skip(first + 1).position(|&b| b == b']').map(|i| i + first + 1) else {
        return (c == b'[').then_some(1);
    };
    let (mut i, mut inside) = (first, false);
    while i < end {
        if pattern[i + 1] == b'-' && i + 2 < end {
            inside |= (pattern[i]..=pattern[i + 2]).contains(&c);
            i += 3;
        } else {
            inside |= pattern[i] == c;
            i += 1;
        }
    }
    (inside != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_texts() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("sched_*", "sched_switch", true),
            ("*wake*", "sched_wakeup", true),
            ("*wake", "sched_wakeup", false),
            ("s?hed", "sched", true),
            ("[a-s]ched", "sched", true),
            ("[!a-s]ched", "sched", false),
            ("[]x]a", "]a", true),
            ("[x", "[x", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn patterns_that_leave_the_directory_are_refused() {
        for text in ["a", "../x:y", "a:..", "a/b:c", "a:b c", "a:b\n", ":b", "a:", "a:b:c", "a:\"b"] {
            assert_eq!(split(text), None, "{text:?}");
        }
        assert_eq!(split("9p:9p_client_req"), Some(("9p", "9p_client_req")));
        assert_eq!(split("xhci-hcd:*"), Some(("xhci-hcd", "*")));
    }
}

//! Detection of regular expressions where a glob pattern is expected.

/// Returns the first part of a pattern that only a regular expression could mean, and the equivalent pattern. `.` and
/// `*` alone are not evidence: `*.log.*` is a pattern. But few patterns begin with `.*`, and many regular expressions
/// do.
pub(super) fn as_glob(pattern: &str) -> Option<(&'static str, String)> {
    let (start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let escaped = rest.strip_suffix('$').is_some_and(|rest| rest.ends_with('\\'));
    let (end, rest) = rest.strip_suffix('$').filter(|_| !escaped).map_or((false, rest), |rest| (true, rest));
    let negated = rest.match_indices("[^").any(|(at, _)| !rest[..at].ends_with('\\'));
    let anything = rest.starts_with(".*") && !start && !end;
    let part = match (start, end, negated) {
        (true, ..) => "^",
        (_, _, true) => "[^",
        (_, true, _) => "$",
        _ if anything => ".",
        _ => return None,
    };
    let mut glob = rest.replace("[^", "[!");
    if anything {
        // The end may be a `*` of a pattern or of an expression.
        glob = glob.replace(".*", "*");
    } else if start || end {
        glob = glob.replace(".*", "*");
        if !start && !glob.starts_with('*') {
            glob.insert(0, '*');
        }
        if !end && !glob.ends_with('*') {
            glob.push('*');
        }
    }
    Some((part, glob))
}

#[cfg(test)]
mod tests {
    use super::as_glob;

    #[test]
    fn regular_expressions_are_detected() {
        for (pattern, part, glob) in [
            ("^k.*", "^", "k*"),
            ("^k", "^", "k*"),
            ("^k$", "^", "k"),
            ("k$", "$", "*k"),
            (".*k$", "$", "*k"),
            ("[^k]*", "[^", "[!k]*"),
            ("^[^k].*$", "^", "[!k]*"),
            (".*bash", ".", "*bash"),
            (".*bash.*", ".", "*bash*"),
            (".*[^k]", "[^", "*[!k]"),
        ] {
            assert_eq!(as_glob(pattern), Some((part, glob.to_owned())), "{pattern}");
        }
        for pattern in ["k*", "*.log.*", "[!k]*", "[a^]*", "a^b", "a\\$", "", "\\[^a"] {
            assert_eq!(as_glob(pattern), None, "{pattern}");
        }
    }
}
